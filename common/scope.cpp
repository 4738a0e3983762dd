#include "common/scope.h"

namespace common {

std::string_view without_www(std::string_view host) {
    constexpr std::string_view www = "www.";
    return host.starts_with(www) && host.size() > www.size() ? host.substr(www.size())
                                                             : host;
}

} // namespace common
