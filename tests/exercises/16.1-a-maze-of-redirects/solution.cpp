#include "exercise.h"

const Answers prediction = {
    .asked_news = 1,
    .circle = 2,
    .abroad = outcome::redirect,
    .depth_of_news = 1,
    .parent_of_shop = site::root,
    .parent_of_today = site::shop,
    .depth_of_today = 2,
    .third = outcome::failed,
    .asked_four = 1,
    .dead = 2,
    .records = 14,
    .alone = 3,
};
