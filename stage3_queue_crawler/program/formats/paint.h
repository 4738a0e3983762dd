// Colours of a text for a terminal, if it may have some.
#pragma once

#include <string>
#include <string_view>

namespace stage3 {

class Paint {
  public:
    explicit Paint(bool is_on) : is_on_(is_on) {}

    std::string red(std::string_view text) const { return in("31", text); }
    std::string green(std::string_view text) const { return in("32", text); }
    std::string yellow(std::string_view text) const { return in("33", text); }
    std::string bold(std::string_view text) const { return in("1", text); }
    /// For what is less important.
    std::string faint(std::string_view text) const { return in("2", text); }

  private:
    std::string in(std::string_view code, std::string_view text) const {
        std::string painted(text);
        if (!is_on_)
            return painted;
        return "\x1b[" + std::string(code) + 'm' + painted + "\x1b[0m";
    }

    bool is_on_;
};

} // namespace stage3
