// The traffic of those random scenarios.
#include "tests/stepping/random_traffic.cpp"
