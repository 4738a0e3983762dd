// hint: a path that no rule matches may be fetched
#include "exercise.h"

const Answers prediction = {
    .contact = no,
    .cart = no,
    .stock = no,
    .forum = no,
    .old = no,
    .egret_stock = no,
    .tern_home = yes,
    .tern_cart = yes,
    .gull_home = no,
    .gull_robots = yes,
    .heron_delay = 7,
    .offers = no,
    .lower_case = no,
    .pdf = no,
    .pdf_page = no,
    .tilde = no,
    .slash = no,
    .book = yes,
    .draft = no,
    .picture = yes,
};
