#include "exercise.h"

#include <algorithm>

std::vector<std::string> images_of(std::string_view srcset) {
    std::vector<std::string> images;
    while (true) {
        const auto begin = srcset.find_first_not_of(" \n,");
        if (begin == std::string_view::npos)
            return images;
        srcset.remove_prefix(begin);
        const std::string_view url = srcset.substr(0, srcset.find_first_of(" \n"));
        srcset.remove_prefix(url.size());
        const auto last = url.find_last_not_of(',');
        images.emplace_back(url.substr(0, last + 1));
        if (last + 1 == url.size()) // its size may follow
            srcset.remove_prefix(std::min(srcset.find(','), srcset.size()));
    }
}
