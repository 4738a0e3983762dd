// What the steps' tests share. Nothing here needs one of the reader's files.
#pragma once

#include "tests/support/prelude.h"

namespace track {

/// What was reported, for a message.
inline std::string said(const std::string& told) {
    return told.empty() ? "nothing" : told;
}

/// The error in these tests.
struct Rain : std::runtime_error {
    Rain() : std::runtime_error("it rains") {}
};

inline std::exception_ptr rain() { return std::make_exception_ptr(Rain()); }

/// Reports when it is destroyed; one that was moved from doesn't.
class Noted {
  public:
    Noted(std::string& told, std::string name) : told_(&told), name_(std::move(name)) {}
    Noted(Noted&& other) noexcept
        : told_(std::exchange(other.told_, nullptr)), name_(std::move(other.name_)) {}
    Noted& operator=(Noted&&) = delete;
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() {
        if (told_ != nullptr)
            *told_ += "~" + name_ + " ";
    }

  private:
    std::string* told_;
    std::string name_;
};

} // namespace track
