#include "in_header.h"

Task one() { return in_a_header(); }
