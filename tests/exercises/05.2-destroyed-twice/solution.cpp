#include "exercise.h"

#include <utility>

namespace {

/// Owns a frame, and destroys it in its destructor.
class Owner {
  public:
    Owner() : frame_(make_frame()) {}
    Owner(Owner&& other) noexcept : frame_(std::exchange(other.frame_, no_frame)) {}
    Owner& operator=(Owner&& other) noexcept {
        Owner taken(std::move(other));
        std::swap(frame_, taken.frame_); // `taken` destroys ours
        return *this;
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { destroy_frame(frame_); }

    /// Destroys the frame early.
    void destroy() { destroy_frame(std::exchange(frame_, no_frame)); }

  private:
    Frame frame_;
};

} // namespace

void drop_one() { const Owner one; }

void move_to_a_new_one() {
    Owner one;
    const Owner two = std::move(one);
}

void move_into_another() {
    Owner one;
    Owner two;
    two = std::move(one);
}

void move_into_itself() {
    Owner one;
    Owner& same = one;
    one = std::move(same);
}

void let_go_by_hand() {
    Owner one;
    one.destroy();
}
