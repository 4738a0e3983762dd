// hint: what it returns is dropped
#include "exercise.h"

const Answers prediction = {
    .polite = 1324,
    .early = 34,
    .caught = 1375,
    .late = 1375,
    .itself = 165,
    .inner = 13785,
};
