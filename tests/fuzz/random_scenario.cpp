// The random scenarios of tests/stepping, built for this folder too.
#include "tests/stepping/random_scenario.cpp"
