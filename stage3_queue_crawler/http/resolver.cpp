#include "stage3_queue_crawler/http/resolver.h"

#include <system_error>
#include <thread>
#include <utility>

namespace stage3 {

using common::ResolveError;
using namespace std::chrono_literals;

Resolver::Resolver(EventLoop& loop, LookUp look_up, std::size_t most_threads)
    : loop_(loop), look_up_(std::move(look_up)), most_threads_(most_threads),
      threads_(std::make_shared<Semaphore>(most_threads)),
      mailbox_(std::make_shared<Mailbox>()) {
    loop_.add_reader(mailbox_->fd(), [this] { take_mail(); });
}

// NOLINTNEXTLINE(bugprone-exception-escape): if somebody has closed our pipe
Resolver::~Resolver() {
    loop_.remove_reader(mailbox_->fd());
    for (auto& [host, name] : names_) {
        if (name.answer.done())
            continue;
        name.thread.cancel();
        name.answer.set_exception_quietly(
            std::make_exception_ptr(ResolveError("the session has ended")));
    }
}

// [resolve]
Coroutine<Resolver::Answer> Resolver::resolve(std::string host, TimeLimit limit) {
    const Future<Answer> answer = ask(host);
    if (!answer.done()) {
        // `wait` leaves the future alone, also when this task is cancelled: others may
        // wait for it, too.
        const std::vector<Future<Answer>> one{answer};
        const bool in_time = co_await wait(one, limit);
        if (!in_time)
            throw Timeout();
    }
    co_return co_await answer;
}
// [/resolve]

// [ask]
/// The answer that is known, or that is under way, or will be.
Future<Resolver::Answer> Resolver::ask(const std::string& host) {
    const auto known = names_.find(host);
    if (known != names_.end() && loop_.time() < known->second.good_until)
        return known->second.answer;
    const Future<Answer> answer(loop_);
    const Answer last = known != names_.end() ? known->second.answer.result() : nullptr;
    const Future<> ended(loop_);
    // The thread must not touch us: it doesn't know whether we still live. What it uses
    // is its own, and the letter is opened by the loop's thread, if at all.
    auto look_up = [look_up = look_up_, host] { return call(look_up, host); };
    auto tell = [mailbox = mailbox_, this, host](Found found) {
        mailbox->put([this, host, found = std::move(found)]() mutable {
            settle(host, std::move(found));
        });
    };
    Task<> thread = create_task(
        loop_, in_thread(threads_, std::move(look_up), std::move(tell), ended),
        "name " + host);
    names_.insert_or_assign(host, Name{.answer = answer,
                                       .last = last,
                                       .thread = std::move(thread),
                                       .thread_ended = ended});
    return answer;
}
// [/ask]

// [in-thread]
/// A task that stands for a thread: from its place in line until `ended`. It may outlive
/// the resolver by a turn, and touches nothing of it.
Coroutine<> Resolver::in_thread(std::shared_ptr<Semaphore> threads,
                                std::function<Found()> look_up,
                                std::function<void(Found)> tell, Future<> ended) {
    const Permit permit = co_await threads->acquire();
    constexpr int most_tries = 50;
    std::string why; // there is no thread to be had
    for (int tries = 0; tries < most_tries; ++tries) {
        try {
            std::thread([look_up, tell] { tell(look_up()); }).detach();
            co_await ended;
            co_return;
        } catch (const std::system_error& error) {
            why = error.what();
        }
        co_await sleep(100ms);
    }
    tell({.addresses = {}, .failure = ResolveError(why)});
}
// [/in-thread]

Resolver::Found Resolver::call(const LookUp& look_up, const std::string& host) noexcept {
    Found found;
    try {
        found.addresses = look_up(host);
    } catch (const ResolveError& error) {
        found.failure = error;
    } catch (const std::exception& error) {
        found.failure = ResolveError(error.what());
    }
    return found;
}

void Resolver::settle(const std::string& host, Found found) {
    Name& name = names_.at(host);
    name.thread_ended.set_result_unless_done();
    const Future<Answer> answer = name.answer;
    if (found.failure && name.last) {
        name.good_until = loop_.time() + good_for;
        answer.set_result(name.last);
    } else if (found.failure) {
        names_.erase(host); // whoever asks next may have more luck
        answer.set_exception_quietly(std::make_exception_ptr(*found.failure));
    } else {
        name.good_until = loop_.time() + good_for;
        answer.set_result(std::make_shared<const Addresses>(std::move(found.addresses)));
    }
}

void Resolver::take_mail() {
    mailbox_->empty_pipe();
    for (const Mailbox::Function& letter : mailbox_->take())
        letter();
}

} // namespace stage3
