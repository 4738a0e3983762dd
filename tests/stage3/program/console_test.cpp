// The messages that a user sees while a crawl runs, or doesn't read.
// interrupts_test.cpp and program_test.cpp test where they go, and when.
#include "common/system/socket.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"
#include "tests/support/waits.h"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

using namespace stage3;

namespace {

/// A user at the end of a pipe.
class User {
  public:
    User() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        reader_ = common::Socket(ends[0]);
        writer_ = common::Socket(ends[1]); // a write to it may block
        REQUIRE(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    }
    /// What can be read now.
    std::string read() {
        std::string text;
        std::array<char, 4096> bytes{};
        ssize_t count = 0;
        while ((count = ::read(reader_.fd(), bytes.data(), bytes.size())) > 0)
            text.append(bytes.data(), static_cast<std::size_t>(count));
        return text;
    }
    /// The same, until the console has nothing left.
    Coroutine<std::string> read_all(Console& console) {
        std::string text = read();
        while (console.unwritten() > 0) {
            co_await stage3::sleep(1ms);
            text += read();
        }
        co_return text;
    }
    void leave() { reader_.close(); }
    int fd() const { return writer_.fd(); }

  private:
    common::Socket reader_;
    common::Socket writer_;
};

std::string long_note(std::size_t number) {
    return fmt::format("{} {}", number, std::string(200, 'x'));
}

using ConsoleTest = Coroutine<>(User& user, Console& console);

/// Runs a test with a console for such a user.
void with_user(ConsoleTest* body) {
    std::signal(SIGPIPE, SIG_IGN); // as in the program
    stage3::run([](ConsoleTest* test) -> Coroutine<> {
        User user;
        Console console(stage3::running_loop(), false, user.fd());
        co_await test(user, console);
    }(body));
}

void write_notes(Console& console, std::size_t number) {
    for (std::size_t i = 0; i < number; ++i)
        console.note(long_note(i));
}

} // namespace

TEST_CASE("notes that aren't read block nothing, and come later") {
    with_user([](User& user, Console& console) -> Coroutine<> {
        write_notes(console, 1000); // three times what fits into the pipe
        std::string said;
        for (std::size_t i = 0; i < 1000; ++i)
            said += long_note(i) + '\n';
        CHECK(console.unwritten() > 0);
        const std::string read = co_await user.read_all(console);
        CHECK(read == said);
    });
}

TEST_CASE(
    "if there are too many notes at once, the later ones are left out and counted") {
    with_user([](User& user, Console& console) -> Coroutine<> {
        write_notes(console, 10'000);
        CHECK(console.unwritten() <= Console::most_unwritten + 300);
        const std::string read = co_await user.read_all(console);
        const auto lines = static_cast<std::size_t>(std::ranges::count(read, '\n'));
        CHECK(read.ends_with(long_note(lines - 1) + '\n')); // the first notes
        CHECK(lines < 3000);
        console.note("here again");
        CHECK(user.read()
              == fmt::format("stage3: {} notes left out here: the ones before weren't "
                             "being read\nhere again\n",
                             10'000 - lines));
        console.note("and on");
        CHECK(user.read() == "and on\n");
    });
}

TEST_CASE("progress is not kept for later") {
    with_user([](User& user, Console& console) -> Coroutine<> {
        console.show_progress("one");
        CHECK(user.read() == "\r\x1b[Kone");
        console.note("above");
        CHECK(user.read() == "\r\x1b[Kabove\n\r\x1b[Kone");
        std::size_t number = 0;
        while (console.unwritten() == 0)
            console.note(long_note(number++));
        console.note(long_note(number++)); // "one" is dropped, if it didn't fit
        const std::size_t unwritten = console.unwritten();
        console.show_progress("two");
        CHECK(console.unwritten() == unwritten);
        const std::string read = co_await user.read_all(console);
        CHECK(read.find("two") == std::string::npos);
        CHECK(read.ends_with(long_note(number - 1) + '\n')); // "one" is gone
        console.show_progress("three");
        CHECK(user.read() == "\r\x1b[Kthree");
    });
}

TEST_CASE("a user who stops reading is no error") {
    with_user([](User& user, Console& console) -> Coroutine<> {
        write_notes(console, 1000);
        CHECK(console.unwritten() > 0);
        user.leave();
        while (console.unwritten() > 0)
            co_await stage3::sleep(1ms);
        write_notes(console, 10);
        CHECK(console.unwritten() == 0);
    });
}

TEST_CASE("at the end, a reader that has stopped is waited for, but not for long") {
    tests::may_wait(5s, "that is how long it is waited for");
    stage3::run([]() -> Coroutine<> {
        User user;
        {
            Console console(stage3::running_loop(), false, user.fd());
            write_notes(console, 10'000);
        } // a destructor that waited for the reader would hang here
        std::string read = user.read();
        CHECK(read.size() >= 4096);
        CHECK(read.find("left out") == std::string::npos); // there was no room for it
        {
            Console console(stage3::running_loop(), false, user.fd());
            console.show_progress("one");
        }
        CHECK(user.read() == "\r\x1b[Kone\r\x1b[K");
        co_return;
    }());
}

TEST_CASE("progress is printed as a line of numbers") {
    const Progress progress{
        .fetched = 1234, .redirects = 12, .dead = 3, .in_flight = 10, .waiting = 345};
    CHECK(stage3::describe(progress, 12s)
          == "1234 fetched, 12 redirects, 3 dead; 10 under way, 345 waiting; 12 s");
}

TEST_CASE("each way to end early has its message, which names the option") {
    CHECK(stage3::describe(Ending::interrupted) == "interrupted");
    CHECK(stage3::describe(Ending::timed_out) == "the time is over (--timeout)");
    CHECK(stage3::describe(Ending::max_pages) == "enough has been fetched (--max-pages)");
}
