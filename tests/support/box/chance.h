// Random numbers that are the same everywhere: the standard library's distributions
// aren't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tests::box {

class Chance {
  public:
    explicit Chance(std::uint32_t seed) : random_(seed) {}

    /// From `least` to `most`, both included.
    int number(int least, int most) {
        const auto range = static_cast<std::uint32_t>(most - least + 1);
        return least + static_cast<int>(static_cast<std::uint32_t>(random_()) % range);
    }
    bool one_in(int n) { return number(1, n) == 1; }
    std::uint32_t seed() { return static_cast<std::uint32_t>(random_()); }
    template <class T>
    const T& any_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
    }

  private:
    std::mt19937 random_;
};

} // namespace tests::box
