#include "tests/practice_site/files.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace practice_site {
namespace {

namespace fs = std::filesystem;

int hex_digit(char c) {
    const char lower = common::to_lower(c);
    if (common::is_digit(lower))
        return lower - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Undoes percent-encoding, once: "%252e" becomes "%2e", not a dot. Returns nothing if a
/// "%" is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0)
            return std::nullopt;
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

std::string encode(std::string_view name) {
    constexpr std::string_view plain = "-._~";
    std::string encoded;
    for (const char c : name) {
        if (common::is_alpha(c) || common::is_digit(c)
            || plain.find(c) != std::string_view::npos)
            encoded += c;
        else
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

/// True if a step of the path is "..". Some such paths would end inside; no one needs
/// them, since clients resolve ".." before they ask.
bool climbs(std::string_view path) {
    const std::string closed = std::string(path) + "/";
    return closed.find("/../") != std::string::npos;
}

Answer answer_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return plain_answer(403);
    return {200,
            content_type(file),
            std::string(std::istreambuf_iterator<char>(stream), {}),
            {}};
}

} // namespace

Folder::Folder(const fs::path& root) : root_(fs::canonical(root)) {}

fs::path Folder::resolve(const fs::path& path) const {
    std::error_code error;
    fs::path end = fs::canonical(path, error);
    if (error)
        return {};
    // Step by step, not as text: "/srv/site-2" begins with "/srv/site", and is outside.
    const auto differs = std::ranges::mismatch(root_, end);
    return differs.in1 == root_.end() ? end : fs::path();
}

Answer Folder::answer(const Request& request) const {
    const auto question = std::min(request.target.find('?'), request.target.size());
    const std::string_view encoded_path = request.target.substr(0, question);
    const auto path = decode(encoded_path);
    if (!path)
        return plain_answer(400);
    // A NUL would end the name for the kernel, but not for us.
    if (!path->starts_with('/') || path->find('\0') != std::string::npos || climbs(*path))
        return plain_answer(404);

    // Joined as text: joining with an absolute path would leave the folder.
    const fs::path found = resolve(root_.native() + *path);
    std::error_code error;
    if (!found.empty() && fs::is_directory(found, error)) {
        if (path->ends_with('/'))
            return answer_folder(found, *path);
        // With the origin before it, since "//host" alone would name another server.
        return {301,
                "text/html; charset=utf-8",
                {},
                fmt::format("{}{}/{}", request.origin, encoded_path,
                            request.target.substr(question))};
    }
    // Nothing but plain files: opening a named pipe would wait forever.
    if (!found.empty() && fs::is_regular_file(found, error))
        return answer_file(found);
    return plain_answer(404);
}

Answer Folder::answer_folder(const fs::path& folder, std::string_view name) const {
    std::error_code error;
    const fs::path index = resolve(folder / "index.html");
    if (!index.empty() && fs::is_regular_file(index, error))
        return answer_file(index);

    std::vector<std::string> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path found = resolve(entry->path());
        std::error_code ignored;
        if (!found.empty()) // empty: a link that leads out
            entries.push_back(entry->path().filename().native()
                              + (fs::is_directory(found, ignored) ? "/" : ""));
    }
    if (error)
        return plain_answer(403);
    std::ranges::sort(entries);
    std::string text = fmt::format("<!doctype html>\n<meta charset=\"utf-8\">\n"
                                   "<title>{0}</title>\n<h1>{0}</h1>\n<ul>\n",
                                   escape_html(name));
    if (name != "/")
        text += "<li><a href=\"../\">../</a></li>\n";
    for (const std::string& entry : entries) {
        const bool is_folder = entry.ends_with('/');
        const auto plain = std::string_view(entry).substr(0, entry.size() - is_folder);
        text += fmt::format("<li><a href=\"./{}{}\">{}</a></li>\n", encode(plain),
                            is_folder ? "/" : "", escape_html(entry));
    }
    return {200, "text/html; charset=utf-8", text + "</ul>\n", {}};
}

std::string content_type(const fs::path& file) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> types{{
        {".html", "text/html"},
        {".htm", "text/html"},
        {".xhtml", "application/xhtml+xml"},
        {".xml", "application/xml"},
        {".css", "text/css"},
        {".js", "text/javascript"},
        {".txt", "text/plain"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".gif", "image/gif"},
        {".ico", "image/x-icon"},
        {".json", "application/json"},
        {".pdf", "application/pdf"},
        {".woff2", "font/woff2"},
    }};
    const std::string extension = common::lower(file.extension().native());
    const auto* const type = std::ranges::find(
        types, extension, &std::pair<std::string_view, std::string_view>::first);
    return std::string(type == types.end() ? "application/octet-stream" : type->second);
}

} // namespace practice_site
