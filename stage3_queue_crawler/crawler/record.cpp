#include "stage3_queue_crawler/crawler/record.h"

namespace stage3 {

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::page: return "page";
    case Outcome::file: return "file";
    case Outcome::redirect: return "redirect";
    case Outcome::error: return "error";
    case Outcome::failed: return "failed";
    case Outcome::disallowed: return "disallowed";
    case Outcome::unclear: break;
    }
    return "unclear";
}

} // namespace stage3
