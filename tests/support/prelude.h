// What every file of tests needs: doctest, fmt, and the standard library's everyday
// headers.
//
// A file of tests includes this and what it tests. It includes by name only what few
// others need: threads, files, random numbers, and the system's own headers.
#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream> // doctest wants it
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

/// A failed check prints a vector's items. (doctest alone prints {?}.)
template <class Item>
struct doctest::StringMaker<std::vector<Item>> {
    static String convert(const std::vector<Item>& items) {
        String text = "{";
        for (std::size_t i = 0; i < items.size(); ++i)
            text += (i > 0 ? ", " : "") + toString(items[i]);
        return text + "}";
    }
};

using namespace std::chrono_literals;
