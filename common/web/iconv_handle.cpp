#include "common/web/iconv_handle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace common {
namespace {

/// The table that is most like the Encoding Standard's. (Windows' names for Shift_JIS and
/// EUC-KR, cp932 and cp949, are used everywhere.) Compared with glibc 2.36, these still
/// differ:
/// - gbk, gb18030: six rare ideographs are in two bytes, not in four (glibc follows the
///   GB 18030 of 2005), and 0x80 isn't read as the euro sign;
/// - euc-jp: 370 characters that NEC took over from IBM are missing;
/// - big5: the control pictures and the euro sign are missing, and some signs are read
///   as others that look alike (they come back as they were);
/// - koi8-u: has no Belarusian letters; macintosh: one triangle is another;
/// - windows-*: bytes without a character are errors, not control characters.
std::string best_name(const std::string& charset) {
    using Name = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Name, 4> names{{{"gbk", "gb18030"},
                                         {"euc-jp", "euc-jp-ms"},
                                         {"big5", "big5-hkscs"},
                                         {"iso-8859-8-i", "iso-8859-8"}}};
    const auto* found = std::ranges::find(names, charset, &Name::first);
    return found == names.end() ? charset : std::string(found->second);
}

} // namespace

bool IconvHandle::is_open(iconv_t handle) {
    return reinterpret_cast<std::intptr_t>(handle) != -1;
}

IconvHandle::IconvHandle(const std::string& to, const std::string& from)
    : handle_(::iconv_open(best_name(to).c_str(), best_name(from).c_str())) {
    if (!*this) // not every system has the best one
        handle_ = ::iconv_open(to.c_str(), from.c_str());
}

IconvHandle::~IconvHandle() {
    if (*this)
        ::iconv_close(handle_);
}

} // namespace common
