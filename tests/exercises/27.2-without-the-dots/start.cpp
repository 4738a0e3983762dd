// It returns the path as it came. Make it remove the dots; exercise.h says how.
#include "exercise.h"

std::string without_dots(std::string_view path) { return std::string(path); }
