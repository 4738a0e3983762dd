// hint: a link is not a redirect
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
    .asked_four = 0,
    .dead = 2,
    .records = 13,
    .alone = 3,
};
