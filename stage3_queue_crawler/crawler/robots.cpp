#include "stage3_queue_crawler/crawler/robots.h"

#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/decimal.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

namespace stage3 {
namespace {

constexpr auto nowhere = std::string_view::npos;
constexpr std::string_view blanks = " \t";
constexpr std::string_view line_ends = "\r\n";

// A rule's '*' and '$', once it is in normal form. A literal '*' is still a '*' there,
// and control characters are percent-encoded, so none can be mistaken for another.
constexpr char any_sequence = '\1';
constexpr char end_of_target = '\2';

// RFC 3986 section 2.2: these have, or may have, a special meaning in a URL.
constexpr std::string_view reserved = ":/?#[]@!$&'()*+,;=";

/// RFC 3986 section 2.3: these mean the same, encoded or not.
bool is_unreserved(char c) {
    return common::is_alpha(c) || common::is_digit(c)
           || std::string_view("-._~").find(c) != nowhere;
}

/// "%41bc" → 'A'. Nothing if the text doesn't begin with an encoded octet.
std::optional<char> encoded_octet(std::string_view text) {
    if (text.size() < 3 || text[0] != '%')
        return {};
    unsigned octet = 0;
    const char* const end = text.data() + 3;
    if (std::from_chars(text.data() + 1, end, octet, 16).ptr != end)
        return {};
    return static_cast<char>(octet);
}

void append_encoded(char c, std::string& result) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto octet = static_cast<unsigned char>(c);
    result += {'%', digits[octet >> 4U], digits[octet & 0xfU]};
}

/// The spelling in which paths are compared: "/%7Ej%c3%bc" and "/~jü" both become
/// "/~j%C3%BC". An encoded character that is reserved stays encoded: "%2F" is part of a
/// name, "/" separates two. '*' and '$' are the exception, because a rule has no other
/// way to mean the character itself. A '%' that encodes nothing stays as it is.
std::string normal_form(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto octet = encoded_octet(text.substr(i));
        const char c = octet.value_or(text[i]);
        const bool meant_so = !octet && (c == '%' || reserved.find(c) != nowhere);
        if (is_unreserved(c) || c == '*' || c == '$' || meant_so)
            result += c;
        else
            append_encoded(c, result);
        if (octet)
            i += 2;
    }
    return result;
}

/// A rule's path in normal form, with `any_sequence` and `end_of_target` for '*' and '$'.
std::string normal_pattern(std::string_view text) {
    const bool anchored = text.ends_with('$');
    if (anchored)
        text.remove_suffix(1);
    std::string pattern;
    for (auto star = text.find('*'); star != nowhere; star = text.find('*')) {
        pattern += normal_form(text.substr(0, star)) + any_sequence;
        text.remove_prefix(star + 1);
    }
    pattern += normal_form(text);
    if (anchored)
        pattern += end_of_target;
    return pattern;
}

/// Does the pattern match the target, from its start? Both in normal form.
///
/// Between two stars is a piece of plain text. Each piece is matched where it's found
/// first: that leaves the most text for those after it, so there is never a reason to go
/// back and try another place. (Backtracking is what makes regular expressions slow.)
bool matches(std::string_view pattern, std::string_view target) {
    const bool anchored = pattern.ends_with(end_of_target);
    if (anchored)
        pattern.remove_suffix(1);

    auto star = pattern.find(any_sequence);
    const std::string_view start = pattern.substr(0, star);
    if (!target.starts_with(start))
        return false;
    target.remove_prefix(start.size());
    if (star == nowhere)
        return !anchored || target.empty();

    for (;;) {
        pattern.remove_prefix(star + 1);
        star = pattern.find(any_sequence);
        const std::string_view piece = pattern.substr(0, star);
        if (star == nowhere && anchored)
            return target.ends_with(piece);
        const auto place = target.find(piece);
        if (star == nowhere || place == nowhere)
            return place != nowhere;
        target.remove_prefix(place + piece.size());
    }
}

/// Filters out most rules that don't match a target, without a search for each. All
/// suffixes of the target ("/abc", "abc", "bc", "c") are sorted, like words in a
/// dictionary, so it can look up whether a piece of text is somewhere in the target.
class Sieve {
  public:
    /// `target`, in normal form, must outlive it.
    explicit Sieve(std::string_view target) : target_(target) {}

    /// False if some piece of the pattern, between its stars, is nowhere in the target.
    bool lets_pass(std::string_view pattern) {
        if (pattern.ends_with(end_of_target))
            pattern.remove_suffix(1);
        auto star = pattern.find(any_sequence);
        if (star == nowhere)
            return true; // matching it is just as quick
        if (!target_.starts_with(pattern.substr(0, star)))
            return false;
        std::size_t length = star; // of all pieces
        while (star != nowhere) {
            pattern.remove_prefix(star + 1);
            star = pattern.find(any_sequence);
            const std::string_view piece = pattern.substr(0, star);
            length += piece.size();
            if (length > target_.size() || !has(piece))
                return false;
        }
        // `matches` will try some piece or other at each place of the target.
        steps_ += target_.size() * (1 + length / word_size);
        return true;
    }

    /// An upper bound on the work of looking up pieces and matching what has passed: in
    /// comparisons of texts of `word_size`.
    std::size_t steps() const { return steps_; }

  private:
    bool has(std::string_view piece) {
        if (piece.empty())
            return true;
        if (words_.empty()) {
            for (std::size_t i = 0; i < target_.size(); ++i)
                words_.push_back(target_.substr(i, word_size));
            std::ranges::sort(words_);
        }
        steps_ += static_cast<std::size_t>(std::bit_width(words_.size()));
        piece = piece.substr(0, word_size);
        const auto word = std::ranges::lower_bound(words_, piece);
        return word != words_.end() && word->starts_with(piece);
    }

    static constexpr std::size_t word_size = 64; // the start of a longer piece will do

    const std::string_view target_;
    std::vector<std::string_view> words_; // empty until they are needed
    std::size_t steps_ = 0;
};

/// "TestBot/1.0" → "TestBot".
std::string_view product_token_of(std::string_view text) {
    const auto end = std::ranges::find_if_not(
        text, [](char c) { return common::is_alpha(c) || c == '-' || c == '_'; });
    return {text.begin(), end};
}

std::optional<Robots::Duration> delay_in(std::string_view text) {
    const auto seconds = read_decimal(text);
    if (!seconds)
        return {};
    return std::min(Robots::Duration(*seconds), Robots::longest_delay);
}

/// The part of the file that is read: all, or as many whole lines as are allowed.
std::string_view readable_part(std::string_view text) {
    if (text.size() > Robots::max_size) {
        const auto end = text.find_last_of(line_ends, Robots::max_size);
        text = text.substr(0, end == nowhere ? 0 : end);
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    return text;
}

} // namespace

/// Takes the file line by line. A group is one or more lines with names, and the rules
/// for the crawlers with those names; it ends at the first name after a rule. The rules
/// for all crawlers are kept, too, until it's known whether we are named anywhere.
class RobotsReader {
  public:
    explicit RobotsReader(std::string_view product_token)
        : name_(product_token_of(product_token)) {}

    void read(std::string_view line);
    Robots result();

  private:
    void read_name(std::string_view value);
    void read_rule(bool allows, std::string_view path);
    void read_delay(std::string_view value);

    struct Group {
        bool for_us = false;
        bool for_all = false;
        bool has_all_names = false;
    };

    std::string_view name_;  // ours
    bool are_named_ = false; // by any group
    Robots to_us_;
    Robots to_all_;
    std::vector<std::string> sitemaps_;
    Group group_;       // for rules
    Group delay_group_; // for delays, see read_delay
};

void RobotsReader::read(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const auto colon = line.find(':');
    if (colon == nowhere)
        return;
    const std::string_view key = common::trim(line.substr(0, colon), blanks);
    const std::string_view value = common::trim(line.substr(colon + 1), blanks);
    if (common::equal_ignoring_case(key, "user-agent"))
        read_name(value);
    else if (common::equal_ignoring_case(key, "allow"))
        read_rule(true, value);
    else if (common::equal_ignoring_case(key, "disallow"))
        read_rule(false, value);
    else if (common::equal_ignoring_case(key, "crawl-delay"))
        read_delay(value);
    else if (common::equal_ignoring_case(key, "sitemap") && !value.empty())
        sitemaps_.emplace_back(value);
}

void RobotsReader::read_name(std::string_view value) {
    const bool names_all = value.substr(0, value.find_first_of(blanks)) == "*";
    const bool names_us =
        !name_.empty() && common::equal_ignoring_case(product_token_of(value), name_);
    are_named_ |= names_us;
    if (group_.has_all_names)
        group_ = delay_group_ = {};
    if (delay_group_.has_all_names)
        delay_group_ = {};
    for (Group* const group : {&group_, &delay_group_}) {
        group->for_us |= names_us;
        group->for_all |= names_all;
    }
}

void RobotsReader::read_rule(bool allows, std::string_view path) {
    group_.has_all_names = true;
    if (path.empty()) // a rule, but one that matches nothing
        return;
    if (group_.for_us)
        to_us_.rules_.push_back({normal_pattern(path), allows});
    else if (group_.for_all) // useless once we are named
        to_all_.rules_.push_back({normal_pattern(path), allows});
}

/// RFC 9309 doesn't define this line, so it must not end a list of names: a later rule
/// is for the names before it and after it. The delay is only for those before it. Many
/// files have just a delay for one crawler, then another crawler's name and delay.
void RobotsReader::read_delay(std::string_view value) {
    delay_group_.has_all_names = true;
    const auto delay = delay_in(value);
    if (delay_group_.for_us) // an empty one is less than any delay
        to_us_.delay_ = std::max(to_us_.delay_, delay);
    else if (delay_group_.for_all)
        to_all_.delay_ = std::max(to_all_.delay_, delay);
}

/// The rules in the order in which they count: the longest first, and of two equally long
/// ones, the one that allows.
Robots RobotsReader::result() {
    Robots& robots = are_named_ ? to_us_ : to_all_;
    std::ranges::sort(robots.rules_, [](const auto& a, const auto& b) {
        if (a.pattern.size() != b.pattern.size())
            return a.pattern.size() > b.pattern.size();
        if (a.allows != b.allows)
            return a.allows;
        return a.pattern < b.pattern; // so that equal rules are adjacent
    });
    const auto again = std::ranges::unique(robots.rules_);
    robots.rules_.erase(again.begin(), again.end());
    robots.rules_.shrink_to_fit();
    robots.sitemaps_ = std::move(sitemaps_);
    return std::move(robots);
}

namespace {

void read_lines(std::string_view text, RobotsReader& reader) {
    while (!text.empty()) {
        // CR LF is read as an extra empty line, which does no harm and lets all three
        // line endings be handled alike.
        const auto end = std::min(text.find_first_of(line_ends), text.size());
        reader.read(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// A pattern as it's written in a file.
std::string readable_pattern(std::string_view pattern) {
    std::string text;
    bool is_percent = false; // after a '%' that only seems to encode something
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == any_sequence)
            text += '*';
        else if (c == end_of_target)
            text += '$';
        else if (c == '*' || c == '$' || c == '#' || is_percent) // meant literally
            append_encoded(c, text);
        else
            text += c;
        const std::optional<char> octet = encoded_octet(pattern.substr(i));
        is_percent = c == '%' && octet && is_unreserved(*octet);
    }
    return text;
}

} // namespace

std::string Robots::text() const {
    std::string text = "User-agent: *\n";
    if (delay_)
        text += fmt::format("Crawl-delay: {:.6f}\n", delay_->count());
    for (const Rule& rule : rules_)
        text += fmt::format("{}: {}\n", rule.allows ? "Allow" : "Disallow",
                            readable_pattern(rule.pattern));
    return text;
}

Robots Robots::read_text(std::string_view text) {
    RobotsReader reader("");
    read_lines(text, reader);
    return reader.result();
}

Robots Robots::parse(std::string_view text, std::string_view product_token) {
    RobotsReader reader(product_token);
    read_lines(readable_part(text), reader);
    return reader.result();
}

Robots Robots::allow_nothing() {
    Robots robots;
    robots.rules_.push_back({"/", false});
    return robots;
}

std::size_t Robots::memory() const {
    std::size_t bytes = rules_.capacity() * sizeof(Rule);
    for (const Rule& rule : rules_)
        if (rule.pattern.capacity() > std::string().capacity())
            bytes += rule.pattern.capacity();
    for (const std::string& sitemap : sitemaps_)
        bytes += sizeof(std::string) + sitemap.capacity();
    return bytes;
}

bool Robots::allows(std::string_view target) const {
    const std::string normal = normal_form(target);
    if (normal == "/robots.txt")
        return true;
    Sieve sieve(normal);
    for (const Rule& rule : rules_) {
        if (sieve.steps() > max_steps)
            return false;
        if (sieve.lets_pass(rule.pattern) && matches(rule.pattern, normal))
            return rule.allows;
    }
    return true;
}

} // namespace stage3
