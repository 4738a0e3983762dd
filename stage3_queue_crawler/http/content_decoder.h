// Undoes the codings of a body as it comes in: gzip, and whatever else zlib can
// decompress.
//
// libcurl can do this, too. But 7.88 doesn't say whether it reached the end of the data:
// a body that was cut off would pass for a whole one. Page 19 of the book.
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
    /// Called with the output, in parts. Returns false if no more is wanted.
    using Sink = std::function<bool(std::string_view)>;
    enum class Verdict : std::uint8_t {
        fine,   ///< so far
        enough, ///< more than `most` bytes, or the sink wants no more
        broken, ///< doesn't match the codings; or they are unknown, or too many
    };

    /// Hardly any server compresses a body twice. A list longer than this is an attack.
    static constexpr std::size_t most_codings = 5;

    /// For a body without codings.
    ContentDecoder() = default;
    /// `codings`: what Content-Encoding lists, in that order. `most`: how many
    /// bytes each may take in. (The sink counts how many come out.)
    /// Source: RFC 9110, section 8.4.
    ContentDecoder(const std::vector<std::string_view>& codings, std::size_t most);

    /// Takes the next bytes. After anything but `fine`, it must not be called again.
    Verdict take(std::string_view packed, const Sink& sink);
    /// False if the end is missing. An empty body is whole.
    bool is_whole() const;

  private:
    struct Free {
        void operator()(z_stream_s* stream) const;
    };
    /// One coding to undo.
    struct Layer {
        bool is_gzip = false;
        bool has_ended = false;
        bool is_over = false; // has ended, and what follows is no part of it
        std::unique_ptr<z_stream_s, Free> stream = {}; // made when the first byte comes
    };

    Verdict take(std::string_view bytes, std::size_t layers, const Sink& sink);
    static z_stream_s& begin(Layer& layer, std::string_view packed);
    static bool goes_on(Layer& layer);

    std::vector<Layer> layers_;     // in the order in which they were applied
    std::vector<std::size_t> room_; // how many bytes each may still take in
    bool is_unknown_ = false;
};

} // namespace stage3
