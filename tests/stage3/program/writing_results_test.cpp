// Where results go, and what happens if they can't be written, or aren't read.
#include "tests/stage3/program/program_under_test.h"
#include "tests/support/waits.h"

#include <csignal>
#include <filesystem>

using namespace tests;

TEST_CASE(
    "failing to write results ends the program cleanly, whatever else it is doing") {
    const PracticeSite site(many_pages);
    for (const char* format : {"jsonl", "jsonl", "text"}) {
        const Finished finished = run_stage3(
            {"--progress", "always", "-w", "300", "--format", format, site.server.url()},
            {.out_file = "/dev/full"});
        CHECK(finished.status == 3);
        CHECK(finished.err.find("stage3: can't write results: ") != std::string::npos);
    }
}

TEST_CASE("failing to write standard error doesn't change the exit status") {
    for (const char* where : {"2>&-", "2>/dev/full"})
        CHECK(tests::run({"/bin/sh", "-c",
                          fmt::format(R"("$0" -w 0 http://h/ {})", where), program()})
                  .status
              == 2);
}

TEST_CASE("a kill in the middle leaves whole lines in the results") {
    const PracticeSite site(many_pages);
    const TemporaryFile file;
    int cut_off = 0;
    for (std::uintmax_t size = 0; size < 20'000; size += 2'000) {
        std::filesystem::remove(file.path());
        run_stage3(
            {"--format", "jsonl", "-w", "50", "-o", file.path(), site.server.url()},
            {.meanwhile = [&](pid_t process) {
                std::error_code none;
                wait_until([&] {
                    const auto now = std::filesystem::file_size(file.path(), none);
                    return (!none && now >= size) || !tests::is_running(process);
                });
                ::kill(process, SIGKILL);
            }});
        std::string text = file.text();
        CHECK(text.size() >= size);
        if (!text.empty() && text.back() != '\n') {
            CHECK(text.size() % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) == 0);
            text.erase(text.rfind('\n') + 1);
            ++cut_off;
        }
        by_outcome(text); // checks each line
    }
    CHECK(cut_off <= 1); // that a line is where a page of memory ends is bad luck
}

TEST_CASE("--output writes the results into a file") {
    ScriptedServer server;
    server.on("/", html(""));
    const TemporaryFile file;
    file.write(std::string(5000, 'x'));
    CHECK(run_stage3({"-o", file.path(), server.url()}).out.empty());
    CHECK(lines(file.text()).at(0)
          == fmt::format("page        200         0  {}", server.url()));
}

TEST_CASE("with closed standard descriptors, no message ends up in a file") {
    const PracticeSite site(many_pages);
    const TemporaryFile file;
    const auto run_in_shell = [&](const std::string& how) {
        return tests::run({"/bin/sh", "-c", R"("$0" "$1" --format jsonl -v )" + how,
                           program(), site.server.url(), file.path()});
    };
    CHECK(run_in_shell("--selector poll -o \"$2\" 0<&- >&- 2>&-").status == 1);
    std::size_t records = 0;
    std::size_t others = 0;
    for (const std::string& line : lines(file.text()))
        ++(line.starts_with('{') ? records : others);
    CHECK(records > 500);
    CHECK(others == 0);
    const Finished finished = run_in_shell("--trace \"$2\" >&-");
    CHECK(finished.status == 3);
    CHECK(finished.err.find("stage3: can't write results: Bad file descriptor\n")
          != std::string::npos);
}

TEST_CASE("when the reader of the results is gone, the program ends quietly") {
    const PracticeSite site(many_pages);
    for (const char* format : {"jsonl", "text"}) {
        const Finished finished = tests::run(
            {"/bin/sh", "-c",
             R"({ "$0" --format "$1" "$2"; echo "status $?" >&2; } | head -n 1)",
             program(), format, site.server.url()});
        CHECK(lines(finished.out).size() == 1);
        // A text report may have fitted into the pipe before its reader left.
        if (std::string_view(format) == "jsonl" || finished.err != "status 1\n")
            CHECK(finished.err == "status 3\n");
    }
}

TEST_CASE("a slow reader of the results makes no page fail") {
    tests::may_wait(1000 * 30ms,
                    "each answer takes 30 ms, most of them at the same time");
    practice_site::SiteOptions much = many_pages;
    much.pages = 800;
    const PracticeSite site(much, 30ms);
    const Finished finished = tests::run(
        {"/bin/sh", "-c",
         // It sleeps for longer than a fetch may take.
         R"({ "$0" -w 20 --format jsonl --fetch-timeout 2 --max-tries 1 "$1"; echo "status $?" >&2; } |
            { read -r first; sleep 3; echo "$first"; cat; })",
         program(), site.server.url()});
    CHECK(finished.out.size() > 150'000); // more than fits into the pipe
    CHECK(finished.out.find("timed out") == std::string::npos);
    CHECK(finished.err == "status 1\n"); // because some links are dead on purpose
}

TEST_CASE("when the disk is full, the results end with a whole line") {
    const PracticeSite site(many_pages);
    const TemporaryFile file;
    for (const char* const format : {"jsonl", "csv", "text"}) {
        const Finished finished =
            tests::run({"/bin/sh", "-c", "ulimit -f 20; exec \"$@\"", "sh", program(),
                        "--format", format, "-o", file.path(), site.server.url()});
        CHECK(finished.status == 3);
        CHECK(finished.err.starts_with("stage3: can't write results: "));
        const std::string text = file.text();
        CHECK(text.size() > 5000);
        CHECK(text.back() == '\n');
        CHECK(text.find('\0') == std::string::npos);
    }
}
