// Five scenes on an event loop. Its selector is poll, which reports the sockets that are
// ready in the order of their registration, so the order is the same on every machine.
#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/trace/trace.h"
#include "questions.h"
#include "tests/support/socket_pair.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <system_error>

using common::Events;
using namespace std::chrono_literals;

namespace {

/// A loop with three sockets, 1, 2 and 3, and a note of the callbacks that ran.
class Scene {
  public:
    /// Registers a socket's callback, which notes its number and then calls `action`.
    void when_readable(int number, const std::function<void()>& action) {
        loop_.register_fd(near(number).fd(), Events::read, "noted", [=, this] {
            called_ = called_ * 10 + number;
            action();
        });
    }
    /// A byte arrives at a socket.
    void arrive(int number) {
        std::error_code error;
        pairs_.at(index(number)).far.send("x", error);
    }
    void read(int number) {
        std::array<char, 1> byte{};
        std::error_code error;
        near(number).receive(byte, error);
    }
    void unregister(int number) { loop_.unregister_fd(near(number).fd()); }
    void stop() { loop_.stop(); }
    int times_called(int number) const {
        int count = 0;
        for (int rest = called_; rest != 0; rest /= 10)
            count += rest % 10 == number ? 1 : 0;
        return count;
    }

    /// Runs until it is stopped, or until nothing is ready for 50 ms.
    int run() {
        loop_.run(50ms);
        return called_;
    }

  private:
    static std::size_t index(int number) { return static_cast<std::size_t>(number - 1); }
    common::Socket& near(int number) { return pairs_.at(index(number)).near; }

    std::array<tests::SocketPair, 3> pairs_;
    common::Tracer tracer_;
    common::EventLoop loop_{common::make_selector("poll"), tracer_};
    int called_ = 0;
};

// All are ready.
int all_ready() {
    Scene scene;
    for (const int number : {3, 1, 2})
        scene.when_readable(number, [&scene, number] { scene.read(number); });
    for (const int number : {1, 2, 3})
        scene.arrive(number);
    return scene.run();
}

// One does not read.
int unread() {
    Scene scene;
    scene.when_readable(1, [&scene] {
        if (scene.times_called(1) == 3)
            scene.stop();
    });
    scene.when_readable(2, [&scene] { scene.read(2); });
    scene.arrive(1);
    scene.arrive(2);
    return scene.run();
}

// One forbids another.
int forbidden() {
    Scene scene;
    scene.when_readable(1, [&scene] {
        scene.read(1);
        scene.unregister(2);
    });
    scene.when_readable(2, [&scene] { scene.read(2); });
    scene.when_readable(3, [&scene] { scene.read(3); });
    for (const int number : {1, 2, 3})
        scene.arrive(number);
    return scene.run();
}

// One makes another ready.
int made_ready() {
    Scene scene;
    scene.when_readable(1, [&scene] {
        scene.read(1);
        scene.arrive(2);
    });
    scene.when_readable(2, [&scene] { scene.read(2); });
    scene.when_readable(3, [&scene] { scene.read(3); });
    scene.arrive(1);
    scene.arrive(3);
    return scene.run();
}

// One stops the loop.
int stopped() {
    Scene scene;
    scene.when_readable(1, [&scene] {
        scene.read(1);
        scene.stop();
    });
    scene.when_readable(2, [&scene] { scene.arrive(3); });
    scene.when_readable(3, [&scene] { scene.read(3); });
    scene.arrive(1);
    scene.arrive(2);
    return scene.run();
}

} // namespace

Answers run_program() {
    Answers found;
    found.all_ready = all_ready();
    found.unread = unread();
    found.forbidden = forbidden();
    found.made_ready = made_ready();
    found.stopped = stopped();
    return found;
}
