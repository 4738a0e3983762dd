// WASI has no pipes. machine.cpp has one.
#pragma once
#include_next <unistd.h>
extern "C" int pipe(int* ends);
