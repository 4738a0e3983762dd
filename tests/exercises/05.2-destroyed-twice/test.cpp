#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

void check(void (*action)(), const std::string& when) {
    forget_notes();
    action();
    const Notes found = notes();
    CHECK_MESSAGE(found.destroyed_twice == 0,
                  "after " << when << ", a frame was destroyed " << found.destroyed_twice
                           << " time too often. Which owner held it for too long?");
    CHECK_MESSAGE(found.destroyed == found.made,
                  (found.made - found.destroyed)
                      << " frame was never destroyed after " << when
                      << ". Which owner forgot it without destroying it?");
}

} // namespace

TEST_CASE("dropping an owner destroys its frame once") {
    check(drop_one, "an owner was simply dropped");
}

TEST_CASE("moving to a new owner destroys the frame once") {
    check(move_to_a_new_one, "a move to a new owner");
}

TEST_CASE("moving into another owner destroys both frames once") {
    check(move_into_another, "moving into another owner, which had its own frame");
}

TEST_CASE("moving an owner into itself keeps its frame") {
    check(move_into_itself, "moving into itself");
}

TEST_CASE("a frame destroyed by hand is not destroyed again") {
    check(let_go_by_hand, "destroying it by hand");
}
