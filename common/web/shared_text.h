// A text that doesn't change any more, and that many may have at once.
//
// A crawler has each URL in its table, in its queue, in records, in lists of links. Were
// these all strings of their own, each would be written down several times. Copies of a
// SharedText share one: a copy is eight bytes, and takes no memory beyond them.
//
// A std::shared_ptr to a string would do the same with twice the bytes, and two pieces of
// memory for each text, or three. There may be millions. Page H of the book.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

namespace common {

/// Copies may be used and dropped in several threads.
class SharedText {
  public:
    SharedText() = default; ///< empty
    /// Both, one behind the other: a copy of them. Throws std::length_error beyond 4 GiB.
    explicit SharedText(std::string_view text, std::string_view more = {});
    SharedText(const SharedText& other) noexcept : block_(other.block_) {
        if (block_ != nullptr)
            block_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    SharedText(SharedText&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)) {}
    SharedText& operator=(const SharedText& other) noexcept {
        return *this = SharedText(other);
    }
    SharedText& operator=(SharedText&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~SharedText() {
        // What others have done with the text must be over when the last one frees it.
        if (block_ != nullptr
            && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
            free(block_);
    }

    std::string_view view() const {
        return block_ == nullptr ? std::string_view()
                                 : std::string_view(block_->text(), block_->size);
    }
    /// The same, with a zero behind it.
    const char* c_str() const { return block_ == nullptr ? "" : block_->text(); }
    /// The lower half of the text's hash_of; 0 if it's empty. It's computed once.
    std::uint32_t hash() const { return block_ == nullptr ? 0 : block_->hash; }

  private:
    /// Behind it, in the same piece of memory, is the text.
    struct Block {
        explicit Block(std::uint32_t n) : size(n) {}

        char* text() { return reinterpret_cast<char*>(this + 1); }

        std::atomic<std::uint32_t> owners = 1;
        const std::uint32_t size;
        std::uint32_t hash = 0;
    };
    static void free(Block* block) noexcept;

    Block* block_ = nullptr;
};

} // namespace common
