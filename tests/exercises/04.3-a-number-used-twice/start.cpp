// It works, but it leaves something behind that shows only later. Find it, and mend it.
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
