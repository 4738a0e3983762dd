// It returns the whole text. Make it return each URL; exercise.h says how.
#include "exercise.h"

std::vector<std::string> images_of(std::string_view srcset) {
    return {std::string(srcset)};
}
