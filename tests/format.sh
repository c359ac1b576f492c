#!/usr/bin/env bash
# usage: tests/format.sh [CLANG_FORMAT]
# Fails when a source differs from what .clang-format makes of it, and names each place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s globstar nullglob
sources=({models,sim,calibration,gui,tests}/**/*.{cpp,hpp,cu,cuh})
"${1:-clang-format-14}" --dry-run --Werror "${sources[@]}"
