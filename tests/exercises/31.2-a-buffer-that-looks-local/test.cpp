#include "exercise.h"
#include "tests/support/prelude.h"

TEST_CASE("what arrives is received") {
    Kernel kernel;
    std::string received;
    const Job job = receive(kernel, received);
    kernel.turn();
    CHECK(received.empty());
    kernel.bytes_arrive("hello");
    kernel.turn();
    CHECK(received == "hello");
    CHECK(kernel.lent() == 0);
}

TEST_CASE("nothing is written into a frame that is gone") {
    Kernel kernel;
    std::string received;
    {
        const Job job = receive(kernel, received);
        kernel.bytes_arrive("hello");
    }
    kernel.turn();
    CHECK_MESSAGE(
        DeadFrames::touched() == 0,
        DeadFrames::touched()
            << " bytes were written into a frame after it was destroyed. Which object's "
               "address did the kernel still have, and how long does that object live?");
    CHECK_MESSAGE(received.empty(), "the frame is gone, and something has resumed it");
}

TEST_CASE("two frames that wait at once have a buffer each") {
    Kernel kernel;
    std::string first;
    std::string second;
    const Job one = receive(kernel, first);
    {
        const Job gone = receive(kernel, second);
        kernel.bytes_arrive("first");
        kernel.bytes_arrive("gone");
    }
    const Job two = receive(kernel, second);
    kernel.bytes_arrive("second");
    kernel.turn();
    CHECK_MESSAGE(first == "first", "the first frame received \""
                                        << first
                                        << "\": does it share its buffer with another?");
    CHECK(second == "second");
}

TEST_CASE("an operation whose frame is gone soon ends") {
    Kernel kernel;
    std::string received;
    {
        const Job job = receive(kernel, received);
    }
    kernel.turn();
    CHECK_MESSAGE(
        kernel.lent() == 0,
        "nothing waits for this operation any longer, but the kernel still has it. If no "
        "bytes ever arrive, the kernel keeps it forever: ask it to end.");
}
