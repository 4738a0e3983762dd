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

/// The error that `use` throws, if any.
std::error_code code_of(const auto& use) {
    try {
        use();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

Coroutine<> a_slow_reader_stops_nobody() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    std::string written;
    for (std::size_t i = 0; i < 1000; ++i) {
        output.write(line(i)); // would hang here if it waited
        written += line(i);
    }
    CHECK(output.unwritten() > Output::most_unwritten);

    Coroutine<> waiting = output.drain();
    const Task<> drain = create_task(std::move(waiting), "drain");
    co_await stage3::sleep(20ms); // timers still run
    CHECK(!drain.done());

    std::string read;
    while (read.size() < written.size()) {
        read += pipe.read(1000);
        co_await stage3::next_turn();
        if (output.unwritten() <= Output::most_unwritten)
            break;
    }
    co_await stage3::next_turn();
    CHECK(drain.done());
    CHECK(output.unwritten() > 0);
    while (read.size() < written.size()) {
        read += pipe.read(100'000);
        co_await stage3::next_turn();
    }
    CHECK(read == written);
    CHECK(output.unwritten() == 0);
}

Coroutine<> all_who_wait_go_on() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    for (std::size_t i = 0; i < 1000; ++i)
        output.write(line(i));
    std::vector<Task<>> waiting;
    for (int i = 0; i < 10; ++i) {
        Coroutine<> one = output.drain();
        waiting.push_back(create_task(std::move(one), "drain"));
    }
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
}

Coroutine<> whole_lines_come() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    for (std::size_t i = 0; i < 1000; ++i)
        output.write(line(i));
    // If the program were killed now, this would be its output.
    const std::string read = pipe.read(1'000'000);
    CHECK(read.size() > 10'000);
    CHECK(read.back() == '\n');
    output.write("after that");
    CHECK(pipe.read(100).empty()); // it waits for its turn
    co_return;
}

Coroutine<> a_line_may_be_longer_than_a_pipe_takes() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    const std::string text = std::string(300'000, 'x') + '\n' + line(1);
    output.write(text);
    std::string read;
    while (read.size() < text.size()) {
        read += pipe.read(100'000);
        co_await stage3::next_turn();
    }
    CHECK(read == text);
}

Coroutine<> a_reader_who_has_left_is_an_error() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    pipe.leave();
    output.write("x\n");
    co_await stage3::sleep(2 * Output::longest_wait);
    CHECK(code_of([&] { output.write("x\n"); }) == std::errc::broken_pipe);
}

Coroutine<> a_reader_who_leaves_is_an_error_for_all() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    for (std::size_t i = 0; i < 1000; ++i)
        output.write(line(i));
    std::vector<Task<>> waiting;
    for (int i = 0; i < 3; ++i) {
        Coroutine<> one = output.drain();
        waiting.push_back(create_task(std::move(one), "drain"));
    }
    co_await stage3::next_turn();
    pipe.leave();
    co_await stage3::wait(waiting);
    for (const Task<>& one : waiting)
        CHECK(code_of([&] { one.result(); }) == std::errc::broken_pipe);
    CHECK(code_of([&] { output.write("x\n"); }) == std::errc::broken_pipe);
    CHECK(code_of([&] { output.flush(); }) == std::errc::broken_pipe);
    Coroutine<> again = output.drain();
    const Task<> drain = create_task(std::move(again), "drain");
    const std::vector<Task<>> last(1, drain);
    co_await stage3::wait(last);
    CHECK(code_of([&] { drain.result(); }) == std::errc::broken_pipe);
}

Coroutine<> flush_writes_all() {
    NamedPipe pipe;
    std::string written;
    std::string read;
    {
        Output output(stage3::running_loop(), pipe.path());
        for (std::size_t i = 0; i < 300; ++i) {
            output.write(line(i));
            written += line(i);
        }
        CHECK(output.unwritten() > 0);
        read = pipe.read(1'000'000);
        output.flush();
        CHECK(output.unwritten() == 0);
    }
    read += pipe.read(1'000'000);
    CHECK(read == written);
    co_return;
}

/// What a slow reader has at each moment, while `flush` waits for it.
Coroutine<> flush_writes_whole_lines() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    std::size_t written = 0;
    for (std::size_t i = 0; output.unwritten() < 200'000; ++i) {
        output.write(line(i));
        written += line(i).size();
    }
    std::size_t cut = 0;
    std::thread reader([&] {
        for (std::size_t read = 0; read < written;) {
            read += pipe.read(10'000).size(); // now there is room for some more
            std::this_thread::sleep_for(20ms);
            const std::string there = pipe.read(1'000'000);
            read += there.size();
            cut += !there.empty() && !there.ends_with('\n') ? 1U : 0U;
        }
    });
    output.flush();
    reader.join();
    CHECK(cut == 0);
    co_return;
}

Coroutine<> lines_come_together_for_a_pipe() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    std::string written;
    while (written.size() + line(1).size() < Output::block) {
        output.write(line(1));
        written += line(1);
    }
    CHECK(pipe.read(100).empty());
    output.write(line(1));
    written += line(1);
    CHECK(pipe.read(100'000) == written);
    co_return;
}

Coroutine<> a_line_alone_comes_soon() {
    NamedPipe pipe;
    Output output(stage3::running_loop(), pipe.path());
    for (std::size_t i = 0; i < 2; ++i) {
        output.write(line(i));
        CHECK(pipe.read(1000).empty());
        co_await stage3::sleep(2 * Output::longest_wait);
        CHECK(pipe.read(1000) == line(i));
    }
}

Coroutine<> files_take_all_at_once() {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("output-{}", ::getpid());
    std::string written;
    Output output(stage3::running_loop(), path);
    for (std::size_t i = 0; i < 1000; ++i) {
        output.write(line(i));
        CHECK(output.unwritten() == 0);
        written += line(i);
    }
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == written);
    std::filesystem::remove(path);
    co_return;
}

void run(Coroutine<> coroutine) {
    std::signal(SIGPIPE, SIG_IGN); // as in the program
    stage3::run(std::move(coroutine));
}

} // namespace

TEST_CASE("a slow reader stops neither the loop nor the writer, except in drain") {
    run(a_slow_reader_stops_nobody());
}
TEST_CASE("all tasks that wait in drain resume, except a cancelled one") {
    run(all_who_wait_go_on());
}
TEST_CASE("output for a slow reader is split only at the ends of lines") {
    run(whole_lines_come());
}
TEST_CASE("a line longer than a pipe's buffer comes whole") {
    run(a_line_may_be_longer_than_a_pipe_takes());
}
TEST_CASE("if the reader has left, write reports it") {
    run(a_reader_who_has_left_is_an_error());
}
TEST_CASE(
    "if the reader leaves in the middle, drain reports it, and so do all later calls") {
    run(a_reader_who_leaves_is_an_error_for_all());
}
TEST_CASE("flush writes the rest at the end") { run(flush_writes_all()); }
TEST_CASE("while flush waits for a slow reader, the reader has whole lines") {
    run(flush_writes_whole_lines());
}
TEST_CASE("lines for a pipe are written together") {
    run(lines_come_together_for_a_pipe());
}
TEST_CASE("a file takes all output at once") { run(files_take_all_at_once()); }
TEST_CASE("a line with no other after it comes soon") { run(a_line_alone_comes_soon()); }
