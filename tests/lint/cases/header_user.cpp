#include "in_header.h"

Task user() { return in_a_template(Number()); }
