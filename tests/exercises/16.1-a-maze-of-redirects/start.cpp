// What does the crawler find? Read program.cpp, and write your answers here.
#include "exercise.h"

const Answers prediction = {
    .asked_news = unanswered,
    .circle = unanswered,
    .abroad = unanswered,
    .depth_of_news = unanswered,
    .parent_of_shop = unanswered,
    .parent_of_today = unanswered,
    .depth_of_today = unanswered,
    .third = unanswered,
    .asked_four = unanswered,
    .dead = unanswered,
    .records = unanswered,
    .alone = unanswered,
};
