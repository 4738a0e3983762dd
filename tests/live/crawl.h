// A crawl that a reader can change: the real runtime, queue and tracer, with a site that
// is made up and a clock that jumps. The same settings always make the same run.
#pragma once

#include "tests/live/settings.h"

#include <functional>
#include <string>
#include <string_view>

namespace tests::live {

/// Crawls, and writes the trace to that file. Throws std::system_error if it can't.
Outcome crawl(const Settings& settings, const std::string& trace_file);

/// Gives `write` the name of a file to write to, and returns what it has written. There
/// are two: a program has temporary files (kept_in_file.cpp), a page has memory.
std::string written_by(const std::function<void(const std::string& file)>& write);

/// The only door for programs and pages: crawls with the settings in this text. The first
/// line of the result is the outcome, and the others are the trace. If the settings are
/// wrong, the only line is an object with the field "error". The text "?" asks for all
/// settings: then the only line is an object with the field "settings".
std::string run(std::string_view settings);

} // namespace tests::live
