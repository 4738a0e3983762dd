// Which elements of SVG and which of their attributes can refer to another file.
#include "common/text/ascii.h"
#include "common/web/html_scanner.h"

#include <array>
#include <cstddef>
#include <utility>

namespace common {

LinkElement svg_element(std::string_view name, bool ignores_case) {
    using Element = LinkElement;
    constexpr std::array known{
        std::pair("a", Element::svg_a),
        std::pair("image", Element::svg_image),
        std::pair("feImage", Element::svg_image),
        std::pair("script", Element::svg_script),
        std::pair("style", Element::svg_style),
        std::pair("use", Element::svg_use),
        std::pair("mpath", Element::svg_use),
        std::pair("textPath", Element::svg_use),
        std::pair("linearGradient", Element::svg_use),
        std::pair("radialGradient", Element::svg_use),
        std::pair("pattern", Element::svg_use),
        std::pair("filter", Element::svg_use),
    };
    for (const auto& [known_name, element] : known)
        if (ignores_case ? equal_ignoring_case(name, known_name) : name == known_name)
            return element;
    return Element::svg_other;
}

void Presentation::add(std::string_view name, std::string_view value) {
    constexpr std::array names{"fill",       "stroke",     "filter",
                               "mask",       "clip-path",  "cursor",
                               "marker-mid", "marker-end", "marker-start"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::uint32_t bit = 1U << i;
        if (!equal_ignoring_case(name, names.at(i)) || (seen_ & bit) != 0)
            continue;
        seen_ |= bit;
        if (value.find('(') != std::string_view::npos) // else it's a colour, say
            css_.append(value).append("\n;"); // the newline ends a string that is broken
    }
}

} // namespace common
