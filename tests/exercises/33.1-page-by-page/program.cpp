// What a format uses of the program. A library of all of it would take a minute to build,
// and these two files take a second.
#include "stage3_queue_crawler/program/formats/escape.cpp"      // NOLINT
#include "stage3_queue_crawler/program/formats/report_line.cpp" // NOLINT
