// What may be fetched? Read program.cpp, and write your answers here: yes, no, or
// seconds.
#include "exercise.h"

const Answers prediction = {
    .contact = unanswered,
    .cart = unanswered,
    .stock = unanswered,
    .forum = unanswered,
    .old = unanswered,
    .egret_stock = unanswered,
    .tern_home = unanswered,
    .tern_cart = unanswered,
    .gull_home = unanswered,
    .gull_robots = unanswered,
    .heron_delay = unanswered,
    .offers = unanswered,
    .lower_case = unanswered,
    .pdf = unanswered,
    .pdf_page = unanswered,
    .tilde = unanswered,
    .slash = unanswered,
    .book = unanswered,
    .draft = unanswered,
    .picture = unanswered,
};
