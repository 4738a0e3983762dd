// hint: doesn't replace the earlier one
#include "exercise.h"

const Answers prediction = {
    .contact = yes,
    .cart = yes,
    .stock = yes,
    .forum = yes,
    .old = no,
    .egret_stock = no,
    .tern_home = yes,
    .tern_cart = yes,
    .gull_home = no,
    .gull_robots = yes,
    .heron_delay = 7,
    .offers = yes,
    .lower_case = yes,
    .pdf = yes,
    .pdf_page = yes,
    .tilde = yes,
    .slash = yes,
    .book = yes,
    .draft = yes,
    .picture = yes,
};
