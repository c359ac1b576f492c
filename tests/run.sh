#!/usr/bin/env bash
# usage: tests/run.sh [ARGUMENT OF ctest …]
#   tests/run.sh                                        every test
#   tests/run.sh -L theory                              one part; `ctest --print-labels` names them
# Installs what is missing (Debian 12), builds everything, and runs the tests up to the first failure.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../scenarios/setup.sh"

install_packages "${build_packages[@]}" "${desktop_packages[@]}" libgtest-dev libgmock-dev \
  libbenchmark-dev jq xvfb xauth fonts-dejavu-core
build_targets all
say "test: ctest${*:+ $*}"
exec ctest --test-dir "$build" --output-on-failure --stop-on-failure --no-tests=error \
  --parallel "$(nproc)" "$@"
