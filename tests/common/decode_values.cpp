// Decodes the values that come in, for character_names_test.py. Behind each of them, and
// behind each that goes out, stands the byte 0xFF, which no UTF-8 has.
#include "common/web/html_scanner.h"

#include <iostream>
#include <string>

int main() {
    std::string value;
    std::string storage;
    while (std::getline(std::cin, value, '\xff'))
        std::cout << common::decoded(value, storage) << '\xff';
}
