// The number belongs to the call, and not to the attempt to make it. So the process
// counts before it tries, and the server can tell a repeated call from a new one.
//
// Recognizing the call isn't enough: the process must learn what it was given. The
// server needs no copy of its answers for that, because the same number marks the URLs
// that the session holds.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

using namespace std::chrono_literals;
using stage3::Coroutine;

Answer Server::step(const Call& call) {
    Answer answer;
    const auto found = sessions.find(call.session);
    if (found == sessions.end()) {
        answer.is_refused = true;
        return answer;
    }
    Session& session = found->second;
    if (call.number == session.last) {
        for (const auto& [url, number] : session.held)
            if (number == call.number)
                answer.urls.push_back(url);
        return answer;
    }
    if (call.number != session.last + 1) {
        answer.is_refused = true;
        return answer;
    }
    session.last = call.number;
    for (const std::string& url : call.done) {
        session.held.erase(url);
        records.push_back(url);
    }
    while (answer.urls.size() < call.want && !queue.empty()) {
        session.held[queue.front()] = call.number;
        answer.urls.push_back(queue.front());
        queue.pop_front();
    }
    return answer;
}

Coroutine<Answer> Process::ask(std::size_t want, std::vector<std::string> done) {
    const Call call{session_, ++number_, want, done};
    while (true) {
        try {
            co_return co_await line_(call);
        } catch (const ConnectionLost&) { // perhaps the line works again in a second
        }
        co_await stage3::sleep(1s);
    }
}
