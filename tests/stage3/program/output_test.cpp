// Results whose reader is slow, or has gone.
#include "common/system/socket.h"
#include "stage3_queue_crawler/program/output.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stage3;

namespace {

/// A pipe that has a name, and so can be an Output's file.
class NamedPipe {
  public:
    NamedPipe() {
        std::string name = std::filesystem::temp_directory_path() / "output-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no directory for a pipe");
        folder_ = name;
        if (::mkfifo(path().c_str(), 0600) != 0)
            throw std::runtime_error("no pipe");
        reader_ = common::Socket(::open(path().c_str(), O_RDONLY | O_NONBLOCK));
    }
    NamedPipe(const NamedPipe&) = delete;
    NamedPipe& operator=(const NamedPipe&) = delete;
    ~NamedPipe() { std::filesystem::remove_all(folder_); }

    std::string path() const { return folder_ / "pipe"; }
    /// The bytes in the pipe, at most `most`.
    std::string read(std::size_t most) {
        std::string text(most, '\0');
        const ssize_t count = ::read(reader_.fd(), text.data(), most);
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return text;
    }
    void leave() { reader_.close(); }

  private:
    std::filesystem::path folder_;
    common::Socket reader_;
};

/// A numbered line of about 300 bytes, like a record.
std::string line(std::size_t number) {
    return fmt::format("{} {}\n", number, std::string(200 + number % 200, 'x'));
}

/// Writes so many lines, and returns them.
std::string fill(Output& output, std::size_t lines) {
    std::string written;
    for (std::size_t i = 0; i < lines; ++i) {
        output.write(line(i)); // would hang if it waited
        written += line(i);
    }
    return written;
}

/// So many tasks that wait in drain.
std::vector<Task<>> drain(Output& output, int tasks) {
    std::vector<Task<>> waiting;
    for (int i = 0; i < tasks; ++i) {
        Coroutine<> one = output.drain();
        waiting.push_back(create_task(std::move(one), "drain"));
    }
    return waiting;
}

/// The error that `use` throws, if any.
std::error_code code_of(const auto& use) {
    try {
        use();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

using OutputTest = Coroutine<>(NamedPipe& pipe, Output& output);

/// Runs a test of an output into a pipe.
void with_pipe(OutputTest* body) {
    std::signal(SIGPIPE, SIG_IGN); // as in the program
    stage3::run([](OutputTest* test) -> Coroutine<> {
        NamedPipe pipe;
        Output output(stage3::running_loop(), pipe.path());
        co_await test(pipe, output);
    }(body));
}

} // namespace

TEST_CASE("a slow reader stops neither the loop nor the writer, except in drain") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        const std::string written = fill(output, 1000);
        CHECK(output.unwritten() > Output::most_unwritten);
        const Task<> waiting = drain(output, 1).front();
        co_await stage3::sleep(20ms); // timers still run
        CHECK(!waiting.done());
        std::string read;
        while (output.unwritten() > Output::most_unwritten) {
            read += pipe.read(1000);
            co_await stage3::next_turn();
        }
        co_await stage3::next_turn();
        CHECK(waiting.done());
        CHECK(output.unwritten() > 0);
        while (read.size() < written.size()) {
            read += pipe.read(100'000);
            co_await stage3::next_turn();
        }
        CHECK(read == written);
        CHECK(output.unwritten() == 0);
    });
}

TEST_CASE("all tasks that wait in drain resume, except a cancelled one") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        fill(output, 1000);
        std::vector<Task<>> waiting = drain(output, 10);
        co_await stage3::next_turn();
        waiting.front().cancel();
        co_await stage3::sleep(10ms);
        CHECK(waiting.front().cancelled());
        CHECK(!waiting.back().done());
        while (output.unwritten() > Output::most_unwritten) {
            pipe.read(100'000);
            co_await stage3::next_turn();
        }
        co_await stage3::next_turn();
        for (const Task<>& one : waiting)
            CHECK(one.done());
    });
}

TEST_CASE("output for a slow reader is split only at the ends of lines") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        fill(output, 1000);
        // If the program were killed now, this would be its output.
        const std::string read = pipe.read(1'000'000);
        CHECK(read.size() > 10'000);
        CHECK(read.back() == '\n');
        output.write("after that");
        CHECK(pipe.read(100).empty()); // it waits for its turn
        co_return;
    });
}

TEST_CASE("a line longer than a pipe's buffer comes whole") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        const std::string text = std::string(300'000, 'x') + '\n' + line(1);
        output.write(text);
        std::string read;
        while (read.size() < text.size()) {
            read += pipe.read(100'000);
            co_await stage3::next_turn();
        }
        CHECK(read == text);
    });
}

TEST_CASE("if the reader has left, write reports it") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        pipe.leave();
        output.write("x\n");
        co_await stage3::sleep(2 * Output::longest_wait);
        CHECK(code_of([&] { output.write("x\n"); }) == std::errc::broken_pipe);
    });
}

TEST_CASE(
    "if the reader leaves in the middle, drain reports it, and so do all later calls") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        fill(output, 1000);
        std::vector<Task<>> waiting = drain(output, 3);
        co_await stage3::next_turn();
        pipe.leave();
        co_await stage3::wait(waiting);
        waiting.push_back(drain(output, 1).front());
        co_await stage3::wait(waiting);
        for (const Task<>& one : waiting)
            CHECK(code_of([&] { one.result(); }) == std::errc::broken_pipe);
        CHECK(code_of([&] { output.write("x\n"); }) == std::errc::broken_pipe);
        CHECK(code_of([&] { output.flush(); }) == std::errc::broken_pipe);
    });
}

TEST_CASE("flush writes the rest, and while it waits, a slow reader has whole lines") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        const std::string written = fill(output, 900);
        CHECK(output.unwritten() > 150'000);
        std::string read;
        std::size_t cut = 0;
        std::thread reader([&] {
            while (read.size() < written.size()) {
                read += pipe.read(10'000); // now there is room for some more
                std::this_thread::sleep_for(20ms);
                const std::string there = pipe.read(1'000'000);
                read += there;
                cut += !there.empty() && !there.ends_with('\n') ? 1U : 0U;
            }
        });
        output.flush();
        CHECK(output.unwritten() == 0);
        reader.join();
        CHECK(read == written);
        CHECK(cut == 0);
        co_return;
    });
}

TEST_CASE("lines for a pipe are written together, and one with none after it soon") {
    with_pipe([](NamedPipe& pipe, Output& output) -> Coroutine<> {
        for (std::size_t i = 0; i < 2; ++i) {
            output.write(line(i));
            CHECK(pipe.read(1000).empty());
            co_await stage3::sleep(2 * Output::longest_wait);
            CHECK(pipe.read(1000) == line(i));
        }
        std::string written;
        while (written.size() + line(1).size() < Output::block) {
            output.write(line(1));
            written += line(1);
        }
        CHECK(pipe.read(100).empty());
        output.write(line(1));
        CHECK(pipe.read(100'000) == written + line(1));
    });
}

TEST_CASE("a file takes all output at once") {
    stage3::run([]() -> Coroutine<> {
        const std::filesystem::path path =
            std::filesystem::temp_directory_path() / fmt::format("output-{}", ::getpid());
        Output output(stage3::running_loop(), path);
        const std::string written = fill(output, 1000);
        CHECK(output.unwritten() == 0);
        std::ifstream file(path);
        CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == written);
        std::filesystem::remove(path);
        co_return;
    }());
}
