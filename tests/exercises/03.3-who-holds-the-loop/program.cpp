// The program whose trace you read: a server, on stage 1's loop, with five clients. There
// is nothing to edit here.
//
// A client asks for a page by sending its number, which is one byte. All pages but one
// are in memory. Which client asks for which pages is drawn at random: you can't predict
// it, but it is the same in each run.
#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/trace/trace.h"
#include "questions.h"
#include "tests/support/socket_pair.h"

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <system_error>
#include <thread>

using common::Events;
using namespace std::chrono_literals;

namespace {

constexpr char page_on_disk = '3';

/// A client, and the server's end of its connection.
class Client {
  public:
    explicit Client(tests::SocketPair& sockets) : sockets_(sockets) {}

    void ask_for(const std::string& pages) {
        std::error_code error;
        sockets_.far.send(pages, error);
    }
    /// The next page that this client has asked for.
    char request() {
        std::array<char, 1> page{};
        std::error_code error;
        sockets_.near.receive(page, error);
        return page[0];
    }
    void answer(char page) {
        std::error_code error;
        sockets_.near.send(std::string(1, page), error);
    }
    int fd() const { return sockets_.near.fd(); }

  private:
    tests::SocketPair& sockets_;
};

/// One to three pages.
std::string drawn_by_lot(std::mt19937& lot) {
    std::string pages;
    const auto how_many = 1 + lot() % 3;
    while (pages.size() < how_many)
        pages += static_cast<char>('0' + lot() % 10);
    return pages;
}

/// A slow disk. Meanwhile the world moves on, and more clients ask for something. Real
/// ones would do so on their own machines; these do it in the middle of the wait.
void read_from_disk(Client& one, Client& another) {
    std::this_thread::sleep_for(20ms);
    one.ask_for("1");
    another.ask_for("2");
    std::this_thread::sleep_for(20ms);
}

} // namespace

void play(common::Tracer& tracer) {
    std::array<tests::SocketPair, 5> sockets;
    Client anna(sockets[0]);
    Client ben(sockets[1]);
    Client clara(sockets[2]);
    Client david(sockets[3]);
    Client emma(sockets[4]);

    std::mt19937 lot(183); // NOLINT(cert-msc*): the same in each run
    for (Client* client : {&anna, &ben, &clara, &david, &emma})
        client->ask_for(drawn_by_lot(lot));

    const auto serve = [&](Client& client) {
        const char page = client.request();
        if (page == page_on_disk)
            read_from_disk(anna, david);
        client.answer(page);
    };
    common::EventLoop loop(common::make_selector("poll"), tracer);
    loop.register_fd(anna.fd(), Events::read, "anna", [&] { serve(anna); });
    loop.register_fd(ben.fd(), Events::read, "ben", [&] { serve(ben); });
    loop.register_fd(clara.fd(), Events::read, "clara", [&] { serve(clara); });
    loop.register_fd(david.fd(), Events::read, "david", [&] { serve(david); });
    loop.register_fd(emma.fd(), Events::read, "emma", [&] { serve(emma); });

    loop.run(100ms); // it ends when no request has come for that long
    for (const Client* client : {&anna, &ben, &clara, &david, &emma})
        loop.unregister_fd(client->fd());
}
