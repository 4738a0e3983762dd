// What defines a crawl, as text: so that processes can agree on it, and a crawl can later
// continue under the same rules.
#pragma once

#include "stage3_queue_crawler/program/options.h"

#include <string>

namespace stage3 {

/// What all processes of a shared crawl must have in common; one setting per line.
std::string agreed_settings(const Options& options);

/// What must be the same if answers from an earlier crawl are to be of use; one setting
/// per line. They are judged anew, so settings of the verdict and of limits may differ.
std::string settings_of_answers(const Options& options);

} // namespace stage3
