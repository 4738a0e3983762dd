// It returns the path as it came. Make it take out the dots; exercise.h says how.
#include "exercise.h"

std::string without_dots(std::string_view path) { return std::string(path); }
