// The routes and routers of those random scenarios.
#include "tests/stepping/random_routing.cpp"
