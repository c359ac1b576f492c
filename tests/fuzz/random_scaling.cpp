// How the pools of those random scenarios are scaled.
#include "tests/stepping/random_scaling.cpp"
