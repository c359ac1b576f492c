#!/usr/bin/env bash
# Builds the unit and fuzz tests in build/asan under AddressSanitizer and
# UndefinedBehaviorSanitizer, and runs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -f build/asan/build.ninja ] || cmake --preset asan
cmake --build --preset asan --target unit_tests fuzz_tests
ctest --preset asan -L 'unit|fuzz' --stop-on-failure -j "$(nproc)"
