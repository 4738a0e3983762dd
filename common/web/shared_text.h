// A text that doesn't change any more, and that many may have at once.
//
// A crawler has each URL in its table, in its queue, in records, in lists of links. Were
// these all strings of their own, each would be written down several times. Copies of a
// SharedText share one: a copy is eight bytes, and takes no memory beyond them.
#pragma once

#include <string_view>
#include <utility>

namespace common {

/// Copies may be used and dropped in several threads.
class SharedText {
  public:
    SharedText() = default; ///< empty
    /// Both, one behind the other: a copy of them. Throws std::length_error beyond 4 GiB.
    explicit SharedText(std::string_view text, std::string_view more = {});
    SharedText(const SharedText& other) noexcept;
    SharedText(SharedText&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)) {}
    SharedText& operator=(const SharedText& other) noexcept {
        return *this = SharedText(other);
    }
    SharedText& operator=(SharedText&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~SharedText();

    std::string_view view() const;
    /// The same, with a zero behind it.
    const char* c_str() const;

  private:
    struct Block; // how many share it, how long it is; and behind that, the text

    Block* block_ = nullptr;
};

} // namespace common
