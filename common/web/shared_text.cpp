#include "common/web/shared_text.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>

namespace common {

struct SharedText::Block {
    explicit Block(std::uint32_t n) : size(n) {}

    char* text() { return reinterpret_cast<char*>(this + 1); }

    std::atomic<std::uint32_t> owners = 1;
    const std::uint32_t size;
};

SharedText::SharedText(std::string_view text, std::string_view more) {
    const std::size_t size = text.size() + more.size();
    if (size > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a text is too long to be shared");
    if (size == 0)
        return;
    // One piece of memory for both: the block, and the text with its zero.
    void* const place = ::operator new(sizeof(Block) + size + 1);
    block_ = new (place) Block(static_cast<std::uint32_t>(size));
    char* const end = std::ranges::copy(text, block_->text()).out;
    *std::ranges::copy(more, end).out = '\0';
}

SharedText::SharedText(const SharedText& other) noexcept : block_(other.block_) {
    if (block_ != nullptr)
        block_->owners.fetch_add(1, std::memory_order_relaxed);
}

SharedText::~SharedText() {
    // What other threads have done with the text must be over when the last one frees it.
    if (block_ == nullptr || block_->owners.fetch_sub(1, std::memory_order_acq_rel) > 1)
        return;
    block_->~Block();
    ::operator delete(block_);
}

std::string_view SharedText::view() const {
    return block_ == nullptr ? std::string_view()
                             : std::string_view(block_->text(), block_->size);
}

const char* SharedText::c_str() const { return block_ == nullptr ? "" : block_->text(); }

} // namespace common
