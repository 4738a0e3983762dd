// The door of a module: text goes in, a function is called, and text comes out. Which one
// is the module's affair: a crawl with these settings, or a walk through the runtime.
#include "tests/live/wasm/door.h"

#include <string>

namespace {

std::string text;

} // namespace

extern "C" {

/// Makes room for what goes in, and says where: its bytes are to be put there.
__attribute__((export_name("input"))) char* input(std::size_t size) {
    text.resize(size);
    return text.data();
}
/// What went in is replaced by what comes out.
__attribute__((export_name("call"))) void call() { text = tests::live::answer(text); }
__attribute__((export_name("output"))) const char* output() { return text.data(); }
__attribute__((export_name("output_size"))) std::size_t output_size() {
    return text.size();
}

} // extern "C"
