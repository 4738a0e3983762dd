// Frames that are counted.
#pragma once

/// Stands for a coroutine's frame: made with `make_frame`, destroyed with
/// `destroy_frame`. A real frame forgives nothing; these take notes.
using Frame = int;
constexpr Frame no_frame = 0;

Frame make_frame();
void destroy_frame(Frame frame);

/// What the notes say.
struct Notes {
    int made = 0;
    int destroyed = 0;
    int destroyed_twice = 0; ///< how often a frame was destroyed that was gone already
};
Notes notes();
void forget_notes();

/// What your Owner is tried with: each of these makes owners, moves and drops them.
/// Defined in yours.cpp, at its end; leave them as they are.
void drop_one();
void move_to_a_new_one();
void move_into_another();
void move_into_itself();
void let_go_by_hand();
