// A crawl that several processes share: a server, which is only an object here, and a
// process that calls it over a line that may break.
#pragma once

#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What a process says.
struct Call {
    int session = 0;
    int number = 0;
    std::size_t want = 0;               ///< at most this many URLs
    std::vector<std::string> done = {}; ///< it has fetched these
};

/// What the server answers.
struct Answer {
    bool is_refused = false;            ///< the call has changed nothing
    std::vector<std::string> urls = {}; ///< the process has to fetch these now
};

/// There is no answer, and no way to know whether the call has reached the server.
struct ConnectionLost : std::runtime_error {
    ConnectionLost() : std::runtime_error("the connection is lost") {}
};

/// Brings a call to the server, and the answer back. May throw ConnectionLost.
using Line = std::function<stage3::Coroutine<Answer>(Call)>;

/// What the server knows about a process that takes part.
struct Session {
    int last = 0; ///< the number of the last call that changed anything
    /// What it has to fetch: URL -> the number of the call that took it out of the queue.
    std::map<std::string, int> held;
};

/// Keeps the crawl.
class Server {
  public:
    /// Records what is done, and gives out URLs. If a call is repeated because its answer
    /// was lost, it records nothing and gives out nothing: it answers as before. It
    /// refuses a call that arrives after later ones, a call before which another is
    /// missing, and every call of a session that it doesn't know.
    Answer step(const Call& call);

    std::deque<std::string> queue;
    std::map<int, Session> sessions;
    std::vector<std::string> records; ///< one for each URL that is done
};

/// A process that takes part in the crawl.
class Process {
  public:
    Process(Line line, int session) : line_(std::move(line)), session_(session) {}

    /// Makes a call, and repeats it until there is an answer.
    stage3::Coroutine<Answer> ask(std::size_t want, std::vector<std::string> done);

  private:
    Line line_;
    int session_;
    int number_ = 0; // of the last call
};
