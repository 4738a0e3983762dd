// hint: only a blank ends a URL
#include "exercise.h"

#include <algorithm>

std::vector<std::string> images_of(std::string_view srcset) {
    std::vector<std::string> images;
    while (!srcset.empty()) {
        std::string_view part = srcset.substr(0, srcset.find(','));
        srcset.remove_prefix(std::min(part.size() + 1, srcset.size()));
        const auto begin = part.find_first_not_of(" \n");
        if (begin == std::string_view::npos)
            continue;
        part.remove_prefix(begin);
        images.emplace_back(part.substr(0, part.find_first_of(" \n")));
    }
    return images;
}
