#include "common/web/shared_text.h"

#include "common/text/hash.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>

namespace common {

SharedText::SharedText(std::string_view text, std::string_view more) {
    const std::size_t size = text.size() + more.size();
    if (size > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a text is too long to be shared");
    if (size == 0)
        return;
    void* const place = ::operator new(sizeof(Block) + size + 1);
    block_ = new (place) Block(static_cast<std::uint32_t>(size));
    char* const end = std::ranges::copy(text, block_->text()).out;
    *std::ranges::copy(more, end).out = '\0';
    block_->hash = static_cast<std::uint32_t>(hash_of(view()));
}

void SharedText::free(Block* block) noexcept {
    block->~Block();
    ::operator delete(block);
}

} // namespace common
