// Hops come one by one, in any order. Which of them close a circle?
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

/// URLs are numbers here.
using Url = int;

/// Something to remember, for a URL: another URL. The test counts how often it's asked.
class Notes {
  public:
    /// What is noted for `url`, if anything is.
    std::optional<Url> find(Url url) const;
    /// Notes `other` for `url`, in place of what was there before.
    void set(Url url, Url other);

  private:
    std::unordered_map<Url, Url> notes_;
};

class Circles {
  public:
    /// `from` has answered that it redirects to `to`. Returns true if that closes a
    /// circle: who goes on from `to`, over all the hops that were told, comes back to
    /// `from`. So of each circle one hop closes it: the last that is told, whichever it
    /// is. A hop that leads into a circle from outside closes none.
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
