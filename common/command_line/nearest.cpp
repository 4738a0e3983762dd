#include "common/command_line/nearest.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace common {
namespace {

/// How many letters have to be changed, inserted, left out, or swapped with the next.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before; // the row of a[i - 2], and of a[i - 1]:
    std::vector<std::size_t> last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                               last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, std::move(row));
    }
    return last.back();
}

} // namespace

std::string nearest(std::string_view typo, const std::vector<std::string>& words) {
    std::vector<std::string> beginning;
    std::ranges::copy_if(words, std::back_inserter(beginning),
                         [&](const std::string& word) { return word.starts_with(typo); });
    if (beginning.size() == 1)
        return beginning.front();
    std::size_t least = std::clamp<std::size_t>(typo.size() / 3, 0, 2) + 1;
    std::string best;
    for (const std::string& word : words)
        if (const std::size_t changes = distance(typo, word); changes < least) {
            least = changes;
            best = word;
        }
    return best;
}

} // namespace common
