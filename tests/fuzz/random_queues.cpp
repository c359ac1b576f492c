// The queues of those random scenarios.
#include "tests/stepping/random_queues.cpp"
