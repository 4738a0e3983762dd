#include "common/command_line/command_line.h"
#include "common/command_line/nearest.h"
#include "tests/support/prelude.h"

using namespace common;

namespace {

/// What the line makes of these words.
std::optional<std::string> parse(CommandLine& line, std::vector<std::string> words) {
    words.insert(words.begin(), "program");
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return line.parse(static_cast<int>(argv.size()), argv.data());
}

/// A program with an argument and an option of each kind.
struct Program {
    std::string root;
    std::string colour = "red";
    std::vector<std::string> words;
    int number = 7;
    bool loud = false;
    CommandLine line{"paint", "Paints."};

    Program() {
        line.add_argument("WALL", "what to paint", root);
        line.add("-n,--number", "N", "of coats (7)", common::number_into(number, 1, 10));
        line.add(
            "--colour", "C", "red or blue",
            common::choice_into<std::string>(colour, {{"red", "red"}, {"blue", "blue"}}));
        line.add_repeatable("--word", "W", "to write on it",
                            [this](const std::string& text) {
                                words.push_back(text);
                                return std::string();
                            });
        line.add_flag("-l,--loud", "sing", loud);
        line.add("--made-by", "W", "", common::text_into(root)); // not for people
        line.add_footer("That is all.");
    }

    std::optional<std::string> parse(const std::vector<std::string>& arguments) {
        return ::parse(line, arguments);
    }

    /// The error message for these arguments; empty if they are valid.
    static std::string refusal(const std::vector<std::string>& arguments) {
        try {
            Program().parse(arguments);
            return {};
        } catch (const UsageError& error) {
            return error.what();
        }
    }
};

} // namespace

TEST_CASE("given options set their variables and the others keep their defaults") {
    Program program;
    CHECK(!program.parse({"wall", "-n", "3", "--word", "a", "--word=b", "-l"}));
    CHECK(program.root == "wall");
    CHECK(program.number == 3);
    CHECK(program.colour == "red");
    CHECK(program.words == std::vector<std::string>{"a", "b"});
    CHECK(program.loud);
    CHECK(program.line.has("--number"));
    CHECK(!program.line.has("--colour"));
}

TEST_CASE("the last value of a repeated option counts") {
    Program program;
    program.parse({"wall", "--colour", "red", "--number=2", "--colour", "blue", "-n9"});
    CHECK(program.colour == "blue");
    CHECK(program.number == 9);
}

TEST_CASE("a flag may have one word, after an equals sign, and the last one counts") {
    const auto read = [](const std::vector<std::string>& words, const char* file = "") {
        CommandLine line("p", "");
        bool given = false;
        bool has_word = false;
        std::vector<std::string> roots;
        line.add_arguments("ROOT", "", roots);
        line.add_flag_or_word("--list", "error", "", given, has_word);
        parse(line, words);
        line.read_config(file, "f");
        return fmt::format("{}{}{}", given ? "list" : "", has_word ? " error" : "",
                           roots.empty() ? "" : " root");
    };
    CHECK(read({}).empty());
    for (const char* const word : {"--list", "--list=true", "--list=on", "--list=1"})
        CHECK(read({word}) == "list");
    CHECK(read({"--list=false"}).empty());
    CHECK(read({"--list=error"}) == "list error");
    CHECK(read({"--list", "error"}) == "list root");
    CHECK(read({"--list", "--list=error"}) == "list error");
    CHECK(read({"--list=error", "--list"}) == "list");
    CHECK(read({"--list=error", "--list=no"}).empty());
    CHECK(read({}, "list") == "list");
    CHECK(read({}, "list = error") == "list error");
    CHECK(read({"--list"}, "list = error") == "list");
    CHECK(read({"--list=false"}, "list = error").empty());
    CHECK_THROWS_WITH_AS(read({"--list=Error"}),
                         "--list: 'Error': choose one of true, false, error", UsageError);
    CHECK_THROWS_WITH_AS(read({}, "list = errors"),
                         "f, line 1: list: 'errors': choose one of true, false, error",
                         UsageError);
}

TEST_CASE("any number of words without an option is accepted anywhere") {
    for (const std::vector<std::string>& typed :
         std::vector<std::vector<std::string>>{{}, {"a"}, {"a", "b", "c"}}) {
        CommandLine line("list", "Lists.");
        std::vector<std::string> words;
        bool loud = false;
        line.add_arguments("WORD", "to list", words);
        line.add_flag("--loud", "sing", loud);
        std::vector<std::string> all{"--loud"};
        all.insert(typed.size() > 1 ? all.end() - 1 : all.end(), typed.begin(),
                   typed.end());
        CHECK(!parse(line, all));
        CHECK(words == typed);
        CHECK(loud);
    }
}

TEST_CASE("the help lists the arguments and options and is no error") {
    const auto help = Program().parse({"--help"});
    REQUIRE(help.has_value());
    for (const char* part : {"Paints.", "WALL", "-n,--number N", "of coats (7)",
                             "-l,--loud", "That is all."})
        CHECK_MESSAGE(help->find(part) != std::string::npos, part);
}

TEST_CASE("for an unknown option, the error names the nearest one, if one is near") {
    for (const std::string typo : {"--nmuber", "--nubmer=3", "--numbers", "--num"})
        CHECK(Program::refusal({typo, "3", "wall"})
              == "unknown option " + typo.substr(0, typo.find('='))
                     + ": did you mean --number?");
    for (const std::string far : {"--sing", "-x", "-w", "--made", "---"})
        CHECK(Program::refusal({"wall", far}) == "unknown option " + far);
    CHECK(Program::refusal({"wall", "-phttp://u:SECRET@p"}) == "unknown option -p");
    CHECK(Program::refusal({"wall", "-"}).find("unknown option") == std::string::npos);
    // Even if the word that it takes away makes another one missing.
    CHECK(Program::refusal({"--wrod"}) == "unknown option --wrod: did you mean --word?");
}

TEST_CASE("the nearest word is the one with the fewest changes") {
    const std::vector<std::string> words{"max-pages", "max-depth", "workers", "top"};
    CHECK(common::nearest("max-page", words) == "max-pages");
    CHECK(common::nearest("mx-depht", words) == "max-depth");
    CHECK(common::nearest("worker", words) == "workers");
    CHECK(common::nearest("w", words) == "workers");
    CHECK(common::nearest("max", words).empty()); // which one?
    CHECK(common::nearest("tpo", words) == "top");
    CHECK(common::nearest("tp", words).empty());
    CHECK(common::nearest("", words).empty());
}

TEST_CASE("invalid arguments are refused with a message that says why") {
    CHECK(Program::refusal({"wall"}).empty());
    CHECK(Program::refusal({}) == "WALL is required");
    CHECK(Program::refusal({"wall", "fence"}).find("fence") != std::string::npos);
    CHECK(Program::refusal({"wall", "-n"}).starts_with("a value is missing: "));
    CHECK(Program::refusal({"--number=", "wall"}) == "a value is missing: --number=");
    CHECK(Program::refusal({"wall", "--colour", "pink"})
          == "--colour: 'pink': choose one of red, blue");
    for (const char* number :
         {"0", "11", "-1", "ten", "1x", "1.5", " 1", "", "99999999999999999999"}) {
        CAPTURE(number);
        CHECK(Program::refusal({"wall", "-n", number})
              == std::string("--number: '") + number + "' is not a number from 1 to 10");
    }
}

TEST_CASE("a file gives options, and what was typed counts more") {
    Program program;
    program.parse({"wall", "-n", "3", "--word", "a"});
    program.line.read_config("# how we paint\n"
                             "\n"
                             " number = 7\r\n"
                             "colour=blue\n"
                             "; and what we write\n"
                             "word = \"b c\"\n"
                             "word = \"d # e\"\n"
                             "loud",
                             "f.ini");
    CHECK(program.number == 3);
    CHECK(program.colour == "blue");
    CHECK(program.words == std::vector<std::string>{"a", "b c", "d # e"});
    CHECK(program.loud);
    for (const bool loud : {false, true}) {
        Program other;
        other.parse({"wall"});
        other.line.read_config(loud ? "loud = true" : "loud = false", "f.ini");
        CHECK(other.loud == loud);
    }
}

TEST_CASE("words in a file count if none were typed") {
    for (const bool is_typed : {false, true}) {
        CommandLine line("list", "Lists.");
        std::vector<std::string> words;
        line.add_arguments("WORD", "to list", words);
        parse(line, std::vector<std::string>(is_typed ? 1 : 0, "a"));
        line.read_config("word = b\nword = c\n", "f.ini");
        CHECK(words
              == (is_typed ? std::vector<std::string>{"a"}
                           : std::vector<std::string>{"b", "c"}));
    }
}

TEST_CASE("a file's errors name the file and the line") {
    for (const auto& [text, message] : {
             std::pair("\nnumber = 11",
                       "line 2: number: '11' is not a number from 1 to 10"),
             {"nmuber = 1", "line 1: unknown option 'nmuber': did you mean number?"},
             {"sing", "line 1: unknown option 'sing'"},
             {"n = 1", "line 1: unknown option 'n': did you mean number?"},
             {"help", "line 1: unknown option 'help'"},
             {"number", "line 1: a value is missing"},
             {"number =", "line 1: a value is missing"},
             {"loud = yes", "line 1: loud: write true or false"},
             {"--number = 1",
              "line 1: write an option without its dashes, as in workers = 20"},
             {"[paint]", "line 1: there are no sections here: leave it out"},
             {"number 3", "line 1: write a value behind a '=', as in number = 3"},
             {"number: 3", "line 1: write a value behind a '=', as in number = 3"},
             {"number:3", "line 1: write a value behind a '=', as in number = 3"},
             {"word = d # e", "line 1: a comment needs a line of its own (or quotes, if "
                              "it's a part of the value)"},
         }) {
        Program program;
        program.parse({"wall"});
        CHECK_THROWS_WITH_AS(program.line.read_config(text, "f.ini"),
                             (std::string("f.ini, ") + message).c_str(), UsageError);
    }
}
