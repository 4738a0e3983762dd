// Which options don't go together: each may be right by itself, but not beside another
// one, or without it. No page covers it.
//
// All of them throw common::UsageError. options.cpp calls them in the order in which a
// user who has made several mistakes learns of these.
#pragma once

#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/program/typed.h"

namespace stage3 {

/// Checks what a crawl with --frontier needs, and what it can't do.
void check_shared(const Options& options, const Typed& typed);

/// Checks what is written where: no file may be written twice, or both read and written.
void check_reports(const Options& options, const Typed& typed);

/// Checks what goes with --state.
void check_state(const Options& options, const Typed& typed);

} // namespace stage3
