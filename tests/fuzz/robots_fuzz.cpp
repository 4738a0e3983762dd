// robots.txt, compared with a second reader that works in the simplest possible way: it
// looks back from each rule for the names, and keeps a table of which start of a rule
// matches which start of the target. The input is a target, a line break, and a
// robots.txt.
#include "stage3_queue_crawler/crawler/robots.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using stage3::Robots;

constexpr int any_sequence = -1;
constexpr int end_of_target = -2;
constexpr int encoded = 1000; // added to an octet

bool stands_for_itself(int octet) {
    return std::isalnum(octet) != 0 // in the "C" locale, which the fuzzer never leaves
           || std::string_view("-._~*$").find(static_cast<char>(octet))
                  != std::string::npos;
}

/// One number for each octet that counts: an encoded octet that means something else than
/// the plain one is a different number.
std::vector<int> numbers_of(std::string_view text, bool is_rule) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int octet = static_cast<unsigned char>(text[i]);
        if (is_rule && octet == '*') {
            numbers.push_back(any_sequence);
        } else if (is_rule && octet == '$' && i + 1 == text.size()) {
            numbers.push_back(end_of_target);
        } else if (octet == '%' && i + 2 < text.size()
                   && std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0
                   && std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0) {
            const int value = std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16);
            numbers.push_back(stands_for_itself(value) ? value : value + encoded);
            i += 2;
        } else {
            const bool may_be_plain =
                stands_for_itself(octet)
                || std::string_view("%:/?#[]@!&'()+,;=").find(text[i])
                       != std::string_view::npos;
            numbers.push_back(may_be_plain ? octet : octet + encoded);
        }
    }
    return numbers;
}

/// As in a URL: an encoded octet is three, and their digits are characters like any
/// others, so that a rule "/*20" matches "/a%20b".
std::vector<int> spelled_out(const std::vector<int>& numbers) {
    std::vector<int> result;
    for (const int number : numbers) {
        if (number < encoded) {
            result.push_back(number);
            continue;
        }
        const std::string_view digits = "0123456789ABCDEF";
        const auto octet = static_cast<std::size_t>(number - encoded);
        for (const char c : {'%', digits[octet / 16], digits[octet % 16]})
            result.push_back(c);
    }
    return result;
}

bool matches(const std::vector<int>& rule, const std::vector<int>& target) {
    // [j]: can the rule so far match just the first j of the target?
    std::vector<bool> row(target.size() + 1);
    row[0] = true;
    for (const int wanted : rule) {
        std::vector<bool> next(row.size());
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (wanted == any_sequence)
                next[j] = row[j] || (j > 0 && next[j - 1]);
            else if (wanted == end_of_target)
                next[j] = row[j] && j == target.size();
            else
                next[j] = j > 0 && row[j - 1] && target[j - 1] == wanted;
        }
        row = next;
    }
    return std::ranges::find(row, true) != row.end();
}

struct Line {
    std::string key;
    std::string value;
    bool is_name() const { return key == "user-agent"; }
    bool is_rule() const { return key == "allow" || key == "disallow"; }
    bool is_delay() const { return key == "crawl-delay"; }
};

std::string without_blanks(std::string text) {
    while (text.ends_with(' ') || text.ends_with('\t'))
        text.pop_back();
    while (text.starts_with(' ') || text.starts_with('\t'))
        text.erase(0, 1);
    return text;
}

std::vector<Line> lines_of(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    std::ranges::replace(text, '\r', '\n');
    std::vector<Line> lines;
    std::istringstream stream(text);
    while (std::getline(stream, text)) {
        text.erase(std::min(text.find('#'), text.size()));
        const auto colon = text.find(':');
        if (colon == std::string::npos)
            continue;
        Line line{without_blanks(text.substr(0, colon)),
                  without_blanks(text.substr(colon + 1))};
        for (char& c : line.key)
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (line.is_name() || line.is_rule() || line.is_delay())
            lines.push_back(line);
    }
    return lines;
}

bool names(const Line& line, bool everyone) {
    if (!line.is_name())
        return false;
    if (everyone)
        return line.value == "*" || line.value.starts_with("* ")
               || line.value.starts_with("*\t");
    const std::string& name = line.value;
    return name.size() >= 3 && std::tolower(name[0]) == 'b'
           && std::tolower(name[1]) == 'o' && std::tolower(name[2]) == 't'
           && (name.size() == 3
               || (std::isalpha(static_cast<unsigned char>(name[3])) == 0
                   && name[3] != '-' && name[3] != '_'));
}

/// Is the line for "bot" (or for everyone)? Its names are the last ones before it, back
/// to the rules of the previous group.
bool counts(const std::vector<Line>& lines, std::size_t at, bool everyone) {
    std::size_t i = at;
    while (i > 0 && !lines[i - 1].is_name())
        --i;
    for (; i > 0 && !lines[i - 1].is_rule(); --i) {
        if (lines[i - 1].is_delay() && lines[at].is_delay())
            return false;
        if (names(lines[i - 1], everyone))
            return true;
    }
    return false;
}

double delay_of(const std::string& text) {
    if (text.find_first_of("0123456789") == std::string::npos
        || text.find_first_not_of("0123456789.") != std::string::npos
        || std::ranges::count(text, '.') > 1 || text.size() > 100)
        return -1;
    return std::min(std::stod(text), Robots::longest_delay.count());
}

void compare(const std::string& target, const std::string& text) {
    const auto target_numbers = spelled_out(numbers_of(target, false));
    const auto lines = lines_of(text);
    const bool everyone =
        std::ranges::none_of(lines, [](const Line& line) { return names(line, false); });
    bool allowed = true;
    std::size_t longest = 0;
    double delay = -1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].is_name() || !counts(lines, i, everyone))
            continue;
        if (lines[i].is_delay()) {
            if (lines[i].value.size() > 100)
                return; // the two need not agree about this many digits
            delay = std::max(delay, delay_of(lines[i].value));
            continue;
        }
        const auto rule = spelled_out(numbers_of(lines[i].value, true));
        if (rule.empty() || rule.size() < longest || !matches(rule, target_numbers))
            continue;
        const bool allows = lines[i].key == "allow";
        allowed = rule.size() > longest ? allows : allowed || allows;
        longest = rule.size();
    }
    if (target_numbers == numbers_of("/robots.txt", false))
        allowed = true;
    const Robots robots = Robots::parse(text, "bot");
    tests::require(robots.allows(target) == allowed, "both readers agree on the target");
    tests::require(robots.crawl_delay().value_or(Robots::Duration(-1)).count() == delay,
                   "both readers agree on the delay");
}

/// Each line as a rule, alternately one that allows and one that doesn't.
std::string as_rules(const std::string& text) {
    std::string result = "User-agent: *\n";
    std::istringstream lines(text);
    bool allow = false;
    for (std::string path; std::getline(lines, path); allow = !allow)
        result += (allow ? "Allow: " : "Disallow: ") + path + "\n";
    return result;
}

} // namespace

void tests::fuzz(std::string_view input) {
    const auto line = input.find('\n');
    if (line == std::string_view::npos)
        return;
    const std::string target = "/" + std::string(input.substr(0, line)).substr(0, 300);
    const std::string text(input.substr(line + 1));
    const Robots robots = Robots::parse(text, "bot");
    require(robots.allows("/robots.txt"), "robots.txt itself is always allowed");
    if (text.size() > 4000) // for more, Robots may give up; and the second reader is slow
        return;
    compare(target, text);
    compare(target, as_rules(text));

    std::string longer;
    for (const char c : text)
        longer += c == '\n' ? std::string(" \t# more: *\r\n\r\nother: line\n")
                            : std::string(1, c);
    const Robots same = Robots::parse(longer, "BOT/1.0");
    require(robots.allows(target) == same.allows(target)
                && robots.crawl_delay() == same.crawl_delay(),
            "comments, line ends and other lines make no difference");
}
