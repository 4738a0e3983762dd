// What a crawl writes, on a machine with files.
#include "tests/live/crawl.h"
#include "tests/support/trace_file.h"

#include <fstream>
#include <iterator>

namespace tests::live {

std::string written_by(const std::function<void(const std::string& file)>& write) {
    const TraceFile file;
    write(file.path());
    std::ifstream written(file.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(written), {}};
}

} // namespace tests::live
