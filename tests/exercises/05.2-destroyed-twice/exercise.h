// Frames that are counted.
#pragma once

/// Plays the part of a coroutine's frame: made with `make_frame`, destroyed with
/// `destroy_frame`. A real frame forgives nothing; these are only counted.
using Frame = int;
constexpr Frame no_frame = 0;

Frame make_frame();
void destroy_frame(Frame frame);

/// What has been counted.
struct Notes {
    int made = 0;
    int destroyed = 0;
    int destroyed_twice = 0; ///< how often a frame that was gone already was destroyed
};
Notes notes();
void forget_notes();

/// The tests of your Owner: each of these makes owners, moves them and drops them.
/// Defined at the end of yours.cpp; leave them as they are.
void drop_one();
void move_to_a_new_one();
void move_into_another();
void move_into_itself();
void let_go_by_hand();
