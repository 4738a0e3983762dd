// As long as no answer is lost, this is right. exercise.h says what it should do.
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
    while (true) {
        const Call call{session_, ++number_, want, done};
        try {
            co_return co_await line_(call);
        } catch (const ConnectionLost&) { // perhaps the line works again in a second
        }
        co_await stage3::sleep(1s);
    }
}
