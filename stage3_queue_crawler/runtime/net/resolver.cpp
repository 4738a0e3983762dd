#include "stage3_queue_crawler/runtime/net/resolver.h"

#include "stage3_queue_crawler/runtime/loop/helper_thread.h"

#include <exception>
#include <new>
#include <utility>

namespace stage3 {

using common::ResolveError;

namespace {

/// Lookups fail with a ResolveError; without memory, with std::bad_alloc.
std::exception_ptr as_resolve_error(const std::exception_ptr& exception) noexcept {
    try {
        try {
            std::rethrow_exception(exception);
        } catch (const ResolveError&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            throw ResolveError(error.what());
        }
    } catch (...) {
        return std::current_exception();
    }
}

} // namespace

Resolver::Resolver(EventLoop& loop, LookUp look_up, std::size_t most_threads,
                   StartThread start_thread)
    : loop_(loop), look_up_(std::move(look_up)), most_threads_(most_threads),
      start_thread_(std::move(start_thread)), threads_(most_threads),
      mailbox_(std::make_shared<Mailbox>()), finds_(std::make_shared<std::list<Find>>()) {
    loop_.add_reader(mailbox_->fd(), [this] { take_mail(); });
}

// NOLINTNEXTLINE(bugprone-exception-escape): an answer that isn't done can be given one
Resolver::~Resolver() {
    loop_.remove_reader(mailbox_->fd());
    for (const auto& [host, name] : names_) {
        if (name.answer.done())
            continue;
        name.answer.fail_with([] { throw ResolveError("the session has ended"); });
        name.answer.base().mark_retrieved(); // nothing may be waiting
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
    try {
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
    } catch (const std::bad_alloc&) {
        settle(host, {.answer = nullptr, .failure = std::current_exception()});
    }
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the future owns it
    return answer;
}

void Resolver::look_up(const std::string& host, Permit permit) {
    try {
        start_look_up(host);
        ++running_;
        names_.at(host).permit.emplace(std::move(permit));
        return;
    } catch (const std::exception&) { // no thread can be started
        const auto failure = as_resolve_error(std::current_exception());
        if (running_ == 0) {
            settle(host, {.answer = nullptr, .failure = failure});
            return;
        }
    }
    try { // until one of ours has ended
        without_thread_.emplace_back(host, std::move(permit));
    } catch (const std::bad_alloc&) {
        settle(host, {.answer = nullptr, .failure = std::current_exception()});
    }
}

void Resolver::start_look_up(const std::string& host) {
    const auto find =
        std::make_shared<std::list<Find>>(1, Find{.host = host, .found = {}});
    // NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks): the lambda owns the letter
    // [look-up]
    // The thread must not touch this object, which may be gone by then. What it uses is
    // its own, or shared with it; and what it posts is called by the loop's thread, if at
    // all. The letter is written first, since a thread without memory must post it, too.
    auto letter = write_letter(
        [finds = finds_, find] { finds->splice(finds->end(), std::move(*find)); });
    auto in_thread = [mailbox = mailbox_, letter = std::move(letter), find,
                      look_up = look_up_]() mutable {
        find->front().found = call(look_up, find->front().host);
        mailbox->put(std::move(letter));
    };
    // [/look-up]
    // NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)
    start_thread_(std::move(in_thread));
}

void Resolver::detached_thread(MoveOnlyFunction function) {
    start_helper_thread(std::move(function)).detach();
}

Resolver::Found Resolver::call(const LookUp& look_up, const std::string& host) noexcept {
    try {
        return {.answer = std::make_shared<const Addresses>(look_up(host)),
                .failure = nullptr};
    } catch (...) {
        return {.answer = nullptr, .failure = as_resolve_error(std::current_exception())};
    }
}

void Resolver::settle(const std::string& host, Found found) {
    const auto place = names_.find(host);
    Name& name = place->second;
    name.permit.reset(); // its thread has ended
    name.turn.reset();
    const Future<Answer> answer = name.answer;
    if (found.failure && !name.last) {
        names_.erase(place); // the next lookup may have more luck
        answer.set_exception_quietly(std::move(found.failure));
        return;
    }
    name.good_until = loop_.time() + good_for;
    answer.set_result(found.failure ? name.last : std::move(found.answer));
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
