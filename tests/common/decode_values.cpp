// Decodes the values on standard input, for character_names_test.py. Each value, in and
// out, is followed by the byte 0xFF, which never occurs in UTF-8.
#include "common/web/html_scanner.h"

#include <iostream>
#include <string>

int main() {
    std::string value;
    std::string storage;
    while (std::getline(std::cin, value, '\xff'))
        std::cout << common::decoded(value, storage) << '\xff';
}
