// hint: here the path ends
#include "exercise.h"

const Answers prediction = {
    .contact = yes,
    .cart = yes,
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
    .lower_case = yes,
    .pdf = no,
    .pdf_page = no,
    .tilde = no,
    .slash = yes,
    .book = yes,
    .draft = no,
    .picture = yes,
};
