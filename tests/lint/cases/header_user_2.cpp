#include "in_header.h"

Task two() { return in_a_template(Number()); }
