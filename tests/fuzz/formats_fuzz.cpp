// What must hold for every record that is written, whatever a server has put into it:
// each format is read back by a second reader that is as strict as the format's own
// rules. The input's first byte chooses the outcome; the rest are texts separated by `|`:
// the URL's path, its parent's, where it leads, the error, the content type and the
// charset.
#include "common/web/charset.h"
#include "common/web/html_scanner.h"
#include "common/web/link_place.h"
#include "common/web/readable_text.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using stage3::KnownUrls;
using stage3::Record;
using stage3::Standing;
using tests::require;

/// Removes `expected` from the beginning of `text`, if it is there.
bool take(std::string_view& text, std::string_view expected) {
    if (!text.starts_with(expected))
        return false;
    text.remove_prefix(expected.size());
    return true;
}

char take_one(std::string_view& text) {
    require(!text.empty(), "no text ends too early");
    const char c = text.front();
    text.remove_prefix(1);
    return c;
}

// ---- JSON (RFC 8259) ----

std::uint32_t take_unit(std::string_view& text) {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
        const auto digit = std::string_view("0123456789abcdef").find(take_one(text));
        require(digit != std::string_view::npos, "JSON: an escape has four digits");
        unit = 16 * unit + static_cast<std::uint32_t>(digit);
    }
    return unit;
}

std::string take_json_string(std::string_view& text) {
    std::string value;
    require(take(text, "\""), "JSON: a string begins with a quote");
    while (!take(text, "\"")) {
        const char c = take_one(text);
        require(c >= 0x20 && c < 0x7f,
                "JSON: a string has only ASCII and no control characters");
        if (c != '\\') {
            value += c;
            continue;
        }
        const char what = take_one(text);
        if (what == '"' || what == '\\') {
            value += what;
            continue;
        }
        require(what == 'u', "JSON: an escape is one that we write");
        std::uint32_t unit = take_unit(text);
        if (unit >= 0xd800 && unit < 0xe000) {
            require(unit < 0xdc00 && take(text, "\\u"), "JSON: surrogates are two");
            const std::uint32_t second = take_unit(text);
            require(second >= 0xdc00 && second < 0xe000, "JSON: surrogates are two");
            unit = 0x10000 + ((unit & 0x3ffU) << 10U | (second & 0x3ffU));
        }
        common::append_utf8(value, unit);
    }
    return value;
}

using Value = std::optional<std::string>; // nothing: null

Value take_json_value(std::string_view& text) {
    if (take(text, "null"))
        return std::nullopt;
    if (text.starts_with('"'))
        return take_json_string(text);
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    std::string number(text.substr(0, end));
    text.remove_prefix(end);
    require(!number.empty() && number.front() != '.' && number.back() != '.'
                && std::ranges::count(number, '.') <= 1,
            "JSON: a number");
    require(number.size() == 1 || number.front() != '0' || number[1] == '.',
            "JSON: a number has no leading zeros");
    return number;
}

std::vector<Value> read_json(std::string_view line) {
    constexpr std::array keys{
        "url",   "depth",        "parent",  "outcome",  "status", "next_url",
        "error", "content_type", "charset", "bytes",    "links",  "new_links",
        "tries", "seconds",      "kind",    "fragment", "excuse", "nearest_id",
        "line",  "column",       "text",    "href"};
    std::vector<Value> values;
    require(take(line, "{"), "JSON: an object begins with a brace");
    for (const std::string_view key : keys) {
        require(values.empty() || take(line, ", "), "JSON: commas separate the keys");
        require(take_json_string(line) == key && take(line, ": "),
                "JSON: all keys are there");
        values.push_back(take_json_value(line));
    }
    require(line == "}\n", "JSON: a line has one object");
    return values;
}

// ---- CSV (RFC 4180) ----

std::vector<std::string> read_csv(std::string_view line) {
    std::vector<std::string> cells(1);
    bool in_quotes = false;
    while (in_quotes || line != "\r\n") {
        const char c = take_one(line);
        require((c >= 0x20 && c < 0x7f) || c < 0, "CSV: a cell has no controls");
        if (in_quotes) {
            if (c != '"')
                cells.back() += c;
            else if (take(line, "\""))
                cells.back() += '"';
            else {
                in_quotes = false;
                require(line == "\r\n" || line.starts_with(','),
                        "CSV: a quote ends its cell");
            }
        } else if (c == ',') {
            cells.emplace_back();
        } else if (c == '"') {
            require(cells.back().empty(), "CSV: a quote begins its cell");
            in_quotes = true;
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// What a cell is written as, so that no spreadsheet computes anything.
std::string no_formula(const std::string& cell) {
    const bool is_formula = cell.find_first_of("=+-@") == 0;
    return is_formula ? "'" + cell : cell;
}
std::string cell_of(std::string_view text) {
    return no_formula(stage3::for_terminal(text));
}
std::string readable_cell_of(std::string_view text) {
    return no_formula(common::readable(text));
}

// ---- DOT (graphviz.org/doc/info/lang.html) ----

std::string take_dot_string(std::string_view& text) {
    std::string value;
    require(take(text, "\""), "DOT: a string begins with a quote");
    while (!take(text, "\"")) {
        char c = take_one(text);
        require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f,
                "DOT: a string has no control characters");
        if (c == '\\') {
            c = take_one(text);
            require(c == '"' || c == '\\',
                    "DOT: only quotes and backslashes are escaped");
        }
        value += c;
    }
    return value;
}

void take_dot_word(std::string_view& text) {
    while (std::isalnum(static_cast<unsigned char>(text[0])) != 0)
        text.remove_prefix(1);
}

// ---- All of them ----

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == '|')
            parts.emplace_back();
        else
            parts.back() += c;
    parts.resize(std::max<std::size_t>(parts.size(), 7));
    return parts;
}

std::optional<common::Url> url_of(std::string_view path) {
    static const common::Url base = *common::parse_url("http://h/d/");
    return common::resolve_url(path, base);
}

Value unless_empty(std::string_view text) {
    std::string storage;
    return text.empty() ? Value()
                        : Value(std::string(common::repaired_utf8(text, storage)));
}

/// Which is its href, too.
Value text_of(const common::LinkPlace& place) {
    std::string storage;
    return place.is_known()
               ? Value(std::string(common::repaired_utf8(place.text(), storage)))
               : Value();
}

void check_json(const Record& record) {
    const auto values =
        read_json(stage3::make_jsonl({})->record(record, Standing::known));
    require(values[0] == record.url.href()
                && values[2].has_value() == record.parent.has_value()
                && (!record.parent || values[2] == record.parent->href())
                && values[3] == stage3::name_of(record.outcome)
                && values[4].has_value() == (record.status != 0)
                && values[5] == unless_empty(record.next_url)
                && values[6] == unless_empty(record.error)
                && values[7] == unless_empty(record.content_type)
                && values[8] == unless_empty(record.charset)
                && values[15] == unless_empty(record.fragment) && values[16] == "known"
                && values[17] == unless_empty(record.nearest_id)
                && values[18] == (record.place.is_known() ? "7" : Value())
                && values[20] == text_of(record.place) && values[21] == values[20],
            "JSON: the record is read back as written");
}

void check_csv(const Record& record) {
    const auto format = stage3::make_csv({});
    const auto names = read_csv(format->begin());
    const auto cells = read_csv(format->record(record, Standing::known));
    require(cells.size() == names.size(), "CSV: each column has a cell");
    for (const std::string& cell : cells)
        require(cell.find_first_of("=+-@") != 0, "CSV: no cell is a formula");
    require(cells[0] == record.url.href()
                && cells[2] == (record.parent ? record.parent->href() : "")
                && cells[5] == cell_of(record.next_url)
                && cells[6] == cell_of(record.error)
                && cells[7] == cell_of(record.content_type)
                && cells[8] == cell_of(record.charset)
                && cells[15] == readable_cell_of(record.fragment) && cells[16] == "known"
                && cells[17] == readable_cell_of(record.nearest_id)
                && (!record.place.is_known()
                    || cells[20] == readable_cell_of(record.place.text())),
            "CSV: the record is read back as written");
}

void check_dot(const Record& record) {
    const auto format = stage3::make_dot({});
    const std::string text = format->record(record, Standing::known);
    std::string_view rest = text;
    require(take(rest, "  ") && take_dot_string(rest) == record.url.href()
                && take(rest, " [color="),
            "DOT: a record begins with a node");
    take_dot_word(rest);
    while (take(rest, ", ")) {
        take_dot_word(rest);
        require(take(rest, "="), "DOT: an attribute has a value");
        if (rest.starts_with('"'))
            take_dot_string(rest);
        else
            take_dot_word(rest);
    }
    require(take(rest, "];\n"), "DOT: a node has attributes");
    if (record.parent)
        require(take(rest, "  ") && take_dot_string(rest) == record.parent->href()
                    && take(rest, " -> ") && take_dot_string(rest) == record.url.href()
                    && take(rest, " [color=gray40, constraint=true];\n"),
                "DOT: an arrow comes from the page where it was found");
    if (!record.next_url.empty())
        require(take(rest, "  ") && take_dot_string(rest) == record.url.href()
                    && take(rest, " -> ")
                    && take_dot_string(rest) == stage3::for_terminal(record.next_url)
                    && take(rest, " [style=dashed, color=blue, constraint=true];\n"),
                "DOT: an arrow leads to the next URL");
    require(rest.empty(), "DOT: a record has nothing else");
}

/// The report on a crawl of this URL.
std::string report(const stage3::FormatEntry& entry, const Record& record) {
    KnownUrls urls;
    const auto number = urls.number_of(record.url);
    if (record.parent) {
        const auto parent = urls.number_of(*record.parent);
        urls[number].parent = parent;
        if (record.status != 0)
            urls.meet(number, parent);
    }
    const auto format = entry.make({.redirects = true, .places = true});
    stage3::ReportLines lines;
    lines.emplace_back(record);
    std::string text = format->begin() + format->record(record, Standing::known);
    return text + format->end({urls, {}, std::chrono::seconds(1)}, lines);
}

/// What means something in each of the formats, besides letters. A server can't add any.
std::string_view markup_of(std::string_view format) {
    if (format == "text" || format == "github")
        return "\n";
    if (format == "html")
        return "<>\n"; // quotes in JSON are read back above
    if (format == "junit")
        return "<>\"\n";
    return format == "markdown" ? "<>|`*\n" : "";
}

/// At line 7, with that text, also as its href.
common::LinkPlace place_with(std::string text) {
    text.resize(std::min<std::size_t>(text.size(), 2000));
    const auto size = static_cast<std::uint16_t>(text.size());
    common::PlacesOnPage page;
    page.text = text + text;
    page.list = {{.target = 0,
                  .line = 7,
                  .column = 1,
                  .begin = 0,
                  .href_size = size,
                  .text_size = size,
                  .role = common::LinkRole::hyperlink}};
    return {page, page.list[0]};
}

void check_reports(const Record& record) {
    Record harmless = record;
    for (std::string* const field :
         {&harmless.next_url, &harmless.error, &harmless.content_type, &harmless.charset,
          &harmless.fragment, &harmless.nearest_id})
        if (!field->empty())
            *field = "x";
    if (record.place.is_known())
        harmless.place = place_with("x");
    for (stage3::MentionedOn& mention : harmless.mentions)
        mention.place = harmless.place;
    for (const stage3::FormatEntry& entry : stage3::all_formats) {
        const std::string_view markup = markup_of(entry.name);
        if (markup.empty())
            continue;
        const std::string text = report(entry, record);
        const std::string expected = report(entry, harmless);
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            require(common::readable(line) == line, "a report can be read");
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        }
        for (const char mark : markup)
            require(std::ranges::count(text, mark) == std::ranges::count(expected, mark),
                    "nothing from a server adds a line, or markup, to a report");
    }
}

} // namespace

void tests::fuzz(std::string_view input) {
    if (input.empty())
        return;
    const auto choice = static_cast<unsigned char>(input[0]);
    std::vector<std::string> parts = split(input.substr(1));
    const auto url = url_of(parts[0]);
    if (!url)
        return;
    Record record(*url);
    if ((choice & 8U) != 0)
        record.parent = url_of(parts[1]);
    record.outcome = static_cast<stage3::Outcome>(choice % 7); // there are seven
    record.status = (choice & 16U) != 0 ? 200 + choice : 0;
    record.bytes = choice * std::size_t{1'000'003};
    record.seconds = choice / 7.0;
    record.next_url = std::move(parts[2]);
    record.error = std::move(parts[3]);
    record.content_type = std::move(parts[4]);
    record.charset = std::move(parts[5]);
    check_dot(record);
    record.fragment = parts[6];
    if ((choice & 32U) != 0) {
        record.nearest_id = parts[6];
        record.place = place_with(parts[6]);
        record.mentions = {{.page = *url, .place = record.place}};
    }
    check_json(record);
    check_csv(record);
    check_reports(record);
}
