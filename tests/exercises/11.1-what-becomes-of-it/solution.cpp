#include "exercise.h"

const Answers prediction = {
    .polite = 1324,
    .early = 34,
    .caught = 1375,
    .late = 1375,
    .itself = 164,
    .inner = 13785,
};
