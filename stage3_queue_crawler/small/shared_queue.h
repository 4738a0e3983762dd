// The smallest queue that several processes share, as the server that keeps it sees it.
//
// The real one is shared_frontier/frontier/6_operations.lua.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stage3::small {

// [shared-queue]
/// Its callers may lose an answer and call again, or die and never call again. A copy of
/// an older call may arrive late.
class SharedQueue {
  public:
    using Time = std::chrono::seconds;

    SharedQueue(const std::string& root, Time lease) : lease_(lease) { add(root); }

    // [next]
    /// The process `who` makes its call `number` (1, 2, ...), because it has finished
    /// `url` and found `links` there. Returns the next URL for it to fetch, or "" if none
    /// is waiting.
    std::string next(const std::string& who, int number, const std::string& url,
                     const std::vector<std::string>& links, Time now) {
        end_leases(now);
        Session& session = sessions_[who];
        session.ends = now + lease_;
        if (number == session.number) // a repeated call: only its answer was lost
            return session.holds;
        session.number = number;
        if (!url.empty() && url == session.holds) { // else another process has it by now
            for (const std::string& link : links)
                add(link);
            --unfinished_;
        } else if (!session.holds.empty()) { // a late copy, or `who` has forgotten it
            waiting_.push_front(session.holds);
        }
        session.holds.clear();
        if (!waiting_.empty()) {
            session.holds = waiting_.front();
            waiting_.pop_front();
        }
        return session.holds;
    }
    // [/next]

    bool is_finished() const { return unfinished_ == 0; }

  private:
    struct Session {
        int number = 0; // of its last call
        std::string holds;
        Time ends{};
    };

    void add(const std::string& url) {
        if (!known_.insert(url).second)
            return;
        waiting_.push_back(url);
        ++unfinished_;
    }

    // [end-leases]
    void end_leases(Time now) {
        std::erase_if(sessions_, [&](const auto& one) {
            const bool is_dead = one.second.ends < now;
            if (is_dead && !one.second.holds.empty())
                waiting_.push_front(one.second.holds);
            return is_dead;
        });
    }
    // [/end-leases]

    const Time lease_;
    std::set<std::string> known_;
    std::deque<std::string> waiting_;
    std::size_t unfinished_ = 0;              // waiting, or held by a process
    std::map<std::string, Session> sessions_; // by process
};
// [/shared-queue]

} // namespace stage3::small
