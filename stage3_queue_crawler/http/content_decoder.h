// Undoes the codings of a body while it comes in: gzip, and what else is unpacked by
// zlib.
//
// libcurl can do this, too. But 7.88 doesn't say whether it has come to the end of what
// was packed: a body that was cut off would pass for a whole one. Page 19 of the book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

struct z_stream_s; // zlib's. NOLINT(readability-identifier-naming)

namespace stage3 {

class ContentDecoder {
  public:
    /// What comes out, in parts. False: no more is wanted.
    using Sink = std::function<bool(std::string_view)>;
    enum class Verdict : std::uint8_t {
        fine,   ///< as far as it has come
        enough, ///< more than `most` bytes, or the sink wants no more
        broken, ///< not what the codings say; or these are unknown, or too many
    };

    /// Hardly any server packs a body twice. A list longer than this one is an attack.
    static constexpr std::size_t most_codings = 5;

    /// Nothing is packed.
    ContentDecoder() = default;
    /// `codings`: what Content-Encoding lists, in that order. `most`: how many
    /// bytes may come in at each. (How many come out is for the sink to count.)
    /// Source: RFC 9110, section 8.4.
    ContentDecoder(const std::vector<std::string_view>& codings, std::size_t most);

    /// The next bytes that have come. After anything but `fine`, none may follow.
    Verdict take(std::string_view packed, const Sink& sink);
    /// False if the end is missing. A body of no bytes at all is whole.
    bool is_whole() const;

  private:
    struct Free {
        void operator()(z_stream_s* stream) const;
    };
    /// One coding that is to be undone.
    struct Layer {
        bool is_gzip = false;
        bool has_ended = false;
        bool is_over = false; // has ended, and what came then is no part of it
        std::unique_ptr<z_stream_s, Free> stream = {}; // made when the first byte comes
    };

    Verdict take(std::string_view bytes, std::size_t layers, const Sink& sink);
    static z_stream_s& begin(Layer& layer, std::string_view packed);
    static bool goes_on(Layer& layer);

    std::vector<Layer> layers_;     // in the order in which they were applied
    std::vector<std::size_t> room_; // so many bytes may still come in at each
    bool is_unknown_ = false;
};

} // namespace stage3
