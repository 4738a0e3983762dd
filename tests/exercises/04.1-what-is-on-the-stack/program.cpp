// One fetch, twice. There are no sockets: "ready" is a queue of callbacks instead.
#include "questions.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::string> stack;        // functions that have begun and not ended
std::vector<std::string> stack_thrown; // the same, at the moment of the throw

/// At the beginning of a function, notes that the function is on the stack.
class Frame {
  public:
    explicit Frame(const std::string& name) { stack.push_back(name); }
    ~Frame() { stack.pop_back(); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
};

int was_on_stack(const std::string& name) {
    return static_cast<int>(std::ranges::count(stack_thrown, name));
}

void parse() {
    const Frame frame("parse");
    stack_thrown = stack;
    throw std::runtime_error("this page makes no sense");
}

namespace plain {

void connect() { const Frame frame("connect"); }

void receive() { const Frame frame("receive"); }

void fetch() {
    const Frame frame("fetch");
    connect();
    receive();
    parse();
}

/// Returns 1 if the `try` around `fetch` caught the error.
int crawl() {
    const Frame frame("crawl");
    try {
        fetch();
    } catch (const std::runtime_error&) {
        return 1;
    }
    return 0;
}

} // namespace plain

namespace callbacks {

struct Program {
    std::deque<std::function<void()>> ready; // what the loop calls, in this order
    int caught = 0;
    int responses = 0;

    void read_response() {
        const Frame frame("read_response");
        ++responses;
        parse();
    }

    void connected() {
        const Frame frame("connected");
        ready.emplace_back([this] { read_response(); });
    }

    void fetch() {
        const Frame frame("fetch");
        ready.emplace_back([this] { connected(); });
    }

    void start() {
        const Frame frame("start");
        try {
            fetch();
            fetch(); // the second one
        } catch (const std::runtime_error&) {
            caught = 1;
        }
    }

    void loop() {
        const Frame frame("loop");
        while (!ready.empty()) {
            const auto callback = ready.front();
            ready.pop_front();
            callback();
        }
    }

    void crawl() {
        const Frame frame("crawl");
        start();
        loop();
    }
};

} // namespace callbacks

} // namespace

Answers run_program() {
    Answers found;
    found.plain_caught = plain::crawl();
    found.plain_depth = static_cast<int>(stack_thrown.size());
    found.plain_fetch = was_on_stack("fetch");

    callbacks::Program program;
    try {
        program.crawl();
    } catch (const std::runtime_error&) {
        // It has left the loop, and everything else.
    }
    found.callback_depth = static_cast<int>(stack_thrown.size());
    found.callback_fetch = was_on_stack("fetch");
    found.callback_connected = was_on_stack("connected");
    found.callback_caught = program.caught;
    found.callback_second = program.responses == 2 ? 1 : 0;
    return found;
}
