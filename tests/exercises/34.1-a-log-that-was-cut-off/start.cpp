// This reads a log that is whole. If the log was cut off or damaged, it returns answers
// that were never written. exercise.h says what it should do.
#include "exercise.h"

std::vector<std::string> read_log(std::string_view bytes) {
    std::vector<std::string> answers;
    while (bytes.size() >= head_size) {
        const std::uint32_t size = number_at_front(bytes);
        const std::string_view text = bytes.substr(head_size, size);
        if (text != commit)
            answers.emplace_back(text);
        bytes.remove_prefix(head_size + text.size());
    }
    return answers;
}
