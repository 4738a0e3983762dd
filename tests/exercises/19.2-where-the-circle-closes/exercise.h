// Hops arrive one by one, in any order. Which of them close a circle?
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

/// URLs are numbers here.
using Url = int;

/// A note for each URL: another URL. The test counts how often the notes are used.
class Notes {
  public:
    /// What is noted for `url`, if anything.
    std::optional<Url> find(Url url) const;
    /// Notes `other` for `url`, in place of what was noted before.
    void set(Url url, Url other);

  private:
    std::unordered_map<Url, Url> notes_;
};

class Circles {
  public:
    /// `from` has answered that it redirects to `to`. Returns true if that closes a
    /// circle: following all known hops from `to` leads back to `from`. So each circle
    /// is closed by exactly one hop, the last of its hops to arrive. A hop that leads
    /// into a circle from outside closes none.
    ///
    /// Called at most once for each `from`. `to` may be a URL that has not answered yet,
    /// or one that never will.
    ///
    /// A hundred thousand calls must not take more than 30 steps each on average; each
    /// call of one of Notes' functions is a step.
    bool closes(Url from, Url to);

  private:
    Notes notes_; // nothing else is needed
};
