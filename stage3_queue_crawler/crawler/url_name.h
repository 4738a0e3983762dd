// What a URL is called where people and other programs read it.
//
// Pages in a folder on this machine have no address: they are served at a port that
// differs in each run. So a crawl knows them by URLs that no server has, and every report
// gives their path in the folder instead: "/guide/a.html". With several folders, the
// folder's name comes first: "public/guide/a.html". Page 32 of the book.
#pragma once

#include "common/text/ascii.h"
#include "common/web/url.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace stage3 {

/// No name of a host begins like that, and browsers take it for one all the same. With
/// https, a link such as "//cdn.example/a.js" leads where it does on most sites today.
constexpr std::string_view folder_origin = "https://_folder";

/// "/" + a path for the only folder; "public/" + a path for one of several; any other URL
/// as it is. The same for the text of a URL. Its characters are those of the argument, up
/// to the end.
constexpr std::string_view name_of_url(std::string_view href) {
    if (!href.starts_with(folder_origin))
        return href;
    const std::string_view rest = href.substr(folder_origin.size());
    if (rest.starts_with('/'))
        return rest;
    return rest.starts_with('.') ? rest.substr(1) : href;
}
inline std::string_view name_of(const common::Url& url) {
    return name_of_url(url.href());
}
/// The same with a zero behind it, for libraries in C.
inline const char* c_name_of(const common::Url& url) {
    return url.c_str() + (url.href().size() - name_of(url).size());
}

/// What its server is called: host and port; "folder", or the name of one of several.
inline std::string_view name_of_server(const common::Url& url) {
    const std::string_view name = name_of(url);
    if (name.size() == url.href().size())
        return url.authority();
    return name.starts_with('/') ? "folder" : name.substr(0, name.find('/'));
}

/// The same for a host, as host_of has it.
inline std::string_view name_of_host(std::string_view host) {
    const std::string_view folder = folder_origin.substr(folder_origin.find('_'));
    if (!host.starts_with(folder) || host.size() == folder.size())
        return host;
    std::string_view rest = host.substr(folder.size());
    rest = rest.substr(0, rest.find(':'));
    if (rest.empty())
        return "folder";
    return rest.starts_with('.') ? rest.substr(1) : host;
}

/// True for what may be a folder's name in such names.
inline bool is_folder_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return common::is_digit(c) || (c >= 'a' && c <= 'z') || c == '-';
    });
}

/// The text of the URL that has this name.
inline std::string href_named(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == 0)
        return std::string(folder_origin).append(name);
    if (slash != std::string_view::npos && is_folder_name(name.substr(0, slash)))
        return std::string(folder_origin).append(".").append(name);
    return std::string(name);
}

} // namespace stage3
