// A descriptor is also closed when its owner takes another one, and that is easy to
// overlook, because no call of `close` is in sight. Each time, unregister it first.
#include "exercise.h"

#include <array>
#include <memory>
#include <system_error>
#include <utility>

namespace {

class Download : public std::enable_shared_from_this<Download> {
  public:
    Download(Connect connect, common::EventLoop& loop, Done done)
        : connect_(std::move(connect)), loop_(loop), done_(std::move(done)) {}

    void start() {
        socket_ = connect_();
        watch();
    }

  private:
    void watch() {
        loop_.register_fd(socket_.fd(), common::Events::read, "read",
                          [self = shared_from_this()] { self->read(); });
    }

    void read() {
        std::array<char, 4096> chunk{};
        std::error_code error;
        const std::size_t count = socket_.receive(chunk, error);
        if (error == std::errc::operation_would_block)
            return;
        page_.append(chunk.data(), count);
        if (count != 0)
            return; // more may come
        // The server has closed, or the connection broke.
        if (page_.empty() && !tried_again_)
            try_again();
        else
            finish();
    }

    void try_again() {
        tried_again_ = true;
        // `start` replaces this socket with another one, which closes it. This is the
        // last moment at which its number is known and still ours.
        loop_.unregister_fd(socket_.fd());
        start();
    }

    void finish() {
        loop_.unregister_fd(socket_.fd());
        socket_.close();
        done_(page_);
    }

    const Connect connect_;
    common::EventLoop& loop_;
    const Done done_;
    common::Socket socket_;
    std::string page_;
    bool tried_again_ = false;
};

} // namespace

void download(const Connect& connect, common::EventLoop& loop, const Done& done) {
    std::make_shared<Download>(connect, loop, done)->start();
}
