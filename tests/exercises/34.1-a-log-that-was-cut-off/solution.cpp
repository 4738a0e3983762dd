// Three things can be wrong with the last record: its head isn't all there, its text
// isn't, or the text isn't what was written. (A disk may write the end of a record before
// its beginning, so a length alone proves nothing.) Whatever follows is no better.
//
// Answers wait in a list of their own until their transaction's end is there. SQLite does
// the same: pages in its log count once a page that is marked as the last one follows.
#include "exercise.h"

std::vector<std::string> read_log(std::string_view bytes) {
    std::vector<std::string> answers;
    std::vector<std::string> waiting; // for the end of their transaction
    while (bytes.size() >= head_size) {
        const std::uint32_t size = number_at_front(bytes);
        if (size > bytes.size() - head_size)
            break;
        const std::string_view text = bytes.substr(head_size, size);
        if (checksum(text) != number_at_front(bytes.substr(4)))
            break;
        bytes.remove_prefix(head_size + size);
        if (text != commit) {
            waiting.emplace_back(text);
            continue;
        }
        answers.insert(answers.end(), waiting.begin(), waiting.end());
        waiting.clear();
    }
    return answers;
}
