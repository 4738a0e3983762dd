// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One number for each question. Where a question asks for events, the number is
/// 0: nothing, 1: read, 2: write, 3: both.
struct Answers {
    // "Bytes that stay unread": three bytes have arrived. How many descriptors are ready
    int unread_turn_1 = unanswered; ///< ... before anything is read?
    int unread_turn_2 = unanswered; ///< ... after one byte of the three is read?
    int unread_turn_3 = unanswered; ///< ... after the other two are read?

    // "Room to write": the socket is watched for both events, and nothing has arrived.
    int room_at_first = unanswered;   ///< For which events is it ready?
    int room_after_full = unanswered; ///< For which, after `send` said "would block"?

    // "The peer has gone": it sent "bye" and closed its end.
    int gone_first_receive = unanswered;  ///< How many bytes does `receive` return?
    int gone_ready = unanswered;          ///< How many descriptors are ready after that?
    int gone_second_receive = unanswered; ///< How many bytes does `receive` return now?
    int gone_ready_again = unanswered;    ///< How many descriptors are ready after that?

    // "A connection that is made": a server listens at the other end.
    int made_connect_error =
        unanswered;              ///< Does `connect` return an error? 0: no, 1: yes.
    int made_ready = unanswered; ///< Watched for both: for which events is it ready?
    int made_pending_error = unanswered; ///< Is there an error in `error()` then? 0 or 1.

    // "A connection that is refused": no server listens there.
    int refused_ready = unanswered; ///< Watched for both: for which events is it ready?
    int refused_pending_error =
        unanswered; ///< Is there an error in `error()` then? 0 or 1.
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays all scenes, and returns what happened. Defined in program.cpp.
Answers run_program();
