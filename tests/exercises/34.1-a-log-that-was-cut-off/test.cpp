#include "exercise.h"
#include "tests/support/prelude.h"

#include <fmt/ranges.h>

namespace {

using Answers = std::vector<std::string>;

std::string four_bytes(std::uint32_t number) {
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((number >> shift) & 0xffU);
    return bytes;
}

std::string record(std::string_view text) {
    return four_bytes(static_cast<std::uint32_t>(text.size()))
           + four_bytes(checksum(text)) + std::string(text);
}

/// A log, and for each of its transactions where it ends and what counts from there on.
struct Log {
    std::string bytes;
    std::vector<std::size_t> ends;
    std::vector<Answers> then;

    void transaction(const Answers& answers) {
        Answers all = then.empty() ? Answers() : then.back();
        for (const std::string& answer : answers) {
            bytes += record(answer);
            all.push_back(answer);
        }
        bytes += record(commit);
        ends.push_back(bytes.size());
        then.push_back(all);
    }
    /// What counts if only so many bytes are good.
    Answers within(std::size_t good) const {
        Answers answers;
        for (std::size_t i = 0; i < ends.size() && ends[i] <= good; ++i)
            answers = then[i];
        return answers;
    }
};

Log a_log() {
    Log log;
    log.transaction({"/ 200", "/a 404"});
    log.transaction({"/b 200"});
    log.transaction({});
    log.transaction({"/c 301", "/d 200"});
    return log;
}

Answers read(std::string_view bytes) {
    try {
        return read_log(bytes);
    } catch (const std::exception& error) {
        FAIL("it throws: " << std::string(error.what())
                           << ". Did it read bytes that aren't there? A log may end "
                              "within a record, and even within its length.");
        return {};
    }
}

std::string listed(const Answers& answers) {
    std::string text;
    for (const char c : fmt::format("\"{}\"", fmt::join(answers, "\", \"")))
        text += c >= ' ' && c < 0x7f ? std::string(1, c) : "?";
    return answers.empty() ? "none" : text;
}

std::string advice(const Answers& is, const Answers& should) {
    const Answers all = a_log().then.back();
    std::string text =
        fmt::format("It returns {}; right: {}. ", listed(is), listed(should));
    for (const std::string& answer : is)
        if (std::ranges::find(all, answer) == all.end())
            return text + "One of these was never written: is all of its text there?";
    if (is.size() < should.size())
        return text + "Answers of a transaction that is whole are missing.";
    return text + "An answer counts only with its commit.";
}

std::string advice_on_damage(const Answers& is, const Answers& should) {
    if (is == a_log().then.back())
        return "It returns everything that was written, and hasn't noticed the damage. "
               "What in a record shows that a byte has changed?";
    if (is.size() > should.size())
        return advice(is, should)
               + " And is it certain that a record begins where you think?";
    return advice(is, should);
}

} // namespace

TEST_CASE("a log that is whole is read to its end") {
    const Log log = a_log();
    const Answers answers = read(log.bytes);
    CHECK_MESSAGE(answers == log.then.back(), advice(answers, log.then.back()));
}

TEST_CASE("of a log that was cut off, the transactions that are whole count") {
    const Log log = a_log();
    for (std::size_t size = 0; size < log.bytes.size(); ++size) {
        const Answers answers = read(std::string_view(log.bytes).substr(0, size));
        const Answers right = log.within(size);
        if (answers != right)
            FAIL("after " << size << " bytes, the log is cut off. "
                          << advice(answers, right));
    }
}

TEST_CASE("from the first damaged byte on, nothing counts") {
    const Log log = a_log();
    for (std::size_t place = 0; place < log.bytes.size(); ++place) {
        std::string damaged = log.bytes;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x40);
        const Answers answers = read(damaged);
        const Answers right = log.within(place);
        if (answers != right)
            FAIL("byte " << place << " was changed. "
                         << advice_on_damage(answers, right));
    }
}

TEST_CASE("a length can't lead beyond the end") {
    const Log log = a_log();
    for (const std::uint32_t size : {0xffffffffU, 0xfffffff8U, 0x7fffffffU, 10U}) {
        const Answers answers = read(log.bytes + four_bytes(size)
                                     + four_bytes(checksum("/e 200")) + "/e 200");
        CHECK_MESSAGE(answers == log.then.back(), advice(answers, log.then.back()));
    }
}

TEST_CASE("zeros behind the log, as some file systems leave them, are no transaction") {
    Log log = a_log();
    const Answers answers = read(log.bytes + std::string(100, '\0'));
    CHECK_MESSAGE(answers == log.then.back(), advice(answers, log.then.back()));
}
