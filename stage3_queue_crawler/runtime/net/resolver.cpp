#include "stage3_queue_crawler/runtime/net/resolver.h"

#include "stage3_queue_crawler/runtime/loop/helper_thread.h"

#include <system_error>
#include <utility>

namespace stage3 {

using common::ResolveError;

Resolver::Resolver(EventLoop& loop, LookUp look_up, std::size_t most_threads,
                   StartThread start_thread)
    : loop_(loop), look_up_(std::move(look_up)), most_threads_(most_threads),
      start_thread_(std::move(start_thread)), threads_(most_threads),
      mailbox_(std::make_shared<Mailbox>()),
      finds_(std::make_shared<std::vector<Find>>()) {
    loop_.add_reader(mailbox_->fd(), [this] { take_mail(); });
}

Resolver::~Resolver() {
    loop_.remove_reader(mailbox_->fd());
    for (const auto& [host, name] : names_) {
        if (name.answer.done())
            continue;
        name.answer.set_exception_quietly(
            std::make_exception_ptr(ResolveError("the session has ended")));
    }
}

// [resolve]
Coroutine<Resolver::Answer> Resolver::resolve(std::string host, TimeLimit limit) {
    const Future<Answer> answer = ask(host);
    if (!answer.done()) {
        // `wait` leaves the future alone, even if this task is cancelled: others may be
        // waiting for it, too.
        const std::vector<Future<Answer>> one{answer};
        const bool in_time = co_await wait(one, limit);
        if (!in_time)
            throw Timeout();
    }
    co_return co_await answer;
}
// [/resolve]

/// The answer that is known, or under way, or asked for now.
Future<Resolver::Answer> Resolver::ask(const std::string& host) {
    const auto known = names_.find(host);
    if (known != names_.end() && loop_.time() < known->second.good_until)
        return known->second.answer;
    const Future<Answer> answer(loop_);
    const Answer last = known != names_.end() ? known->second.answer.result() : nullptr;
    Name& name =
        names_.insert_or_assign(host, Name{.answer = answer, .last = last}).first->second;
    Future<Permit> turn = threads_.acquire();
    if (turn.done()) {
        look_up(host, std::move(turn).take());
    } else {
        name.turn = turn;
        name.waits = std::make_unique<CancelAtExit>(
            turn.add_done_callback([this, host](Future<Permit> mine) {
                look_up(host, std::move(mine).take());
            }));
    }
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the future owns it
    return answer;
}

void Resolver::look_up(const std::string& host, Permit permit) {
    // [look-up]
    // The thread must not touch this object, which may be gone by then. What it uses is
    // its own, or shared with it; and what it posts is called by the loop's thread, if at
    // all.
    auto in_thread = [mailbox = mailbox_, finds = finds_, look_up = look_up_, host] {
        Find find{.host = host, .found = call(look_up, host)};
        mailbox->put([finds, find = std::move(find)] { finds->push_back(find); });
    };
    // [/look-up]
    try {
        start_thread_(std::move(in_thread));
        ++running_;
        names_.at(host).permit.emplace(std::move(permit));
    } catch (const std::system_error& error) { // no thread can be started
        if (running_ == 0)
            settle(host, {.addresses = {}, .failure = ResolveError(error.what())});
        else // until one of ours has ended
            without_thread_.emplace_back(host, std::move(permit));
    }
}

void Resolver::detached_thread(std::function<void()> function) {
    start_helper_thread(std::move(function)).detach();
}

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
    name.permit.reset(); // its thread has ended
    name.turn.reset();
    const Future<Answer> answer = name.answer;
    if (found.failure && name.last) {
        name.good_until = loop_.time() + good_for;
        answer.set_result(name.last);
    } else if (found.failure) {
        names_.erase(host); // the next lookup may have more luck
        answer.set_exception_quietly(std::make_exception_ptr(*found.failure));
    } else {
        name.good_until = loop_.time() + good_for;
        answer.set_result(std::make_shared<const Addresses>(std::move(found.addresses)));
    }
}

// [take-mail]
void Resolver::take_mail() {
    mailbox_->empty_pipe();
    for (RunQueue mail = mailbox_->take(); !mail.empty();)
        mail.pop().run();
    for (Find& find : std::exchange(*finds_, {})) {
        --running_;
        settle(find.host, std::move(find.found));
    }
    for (auto& [host, permit] : std::exchange(without_thread_, {}))
        look_up(host, std::move(permit));
}
// [/take-mail]

} // namespace stage3
