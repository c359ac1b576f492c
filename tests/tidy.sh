#!/usr/bin/env bash
# usage: tests/tidy.sh BUILD_FOLDER [SOURCE …]
# Runs clang-tidy 14 with the checks of .clang-tidy, all of them errors, on the sources named or on
# every source that BUILD_FOLDER compiles.
set -euo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -eq 0 ]; then
  mapfile -t sources < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
    sort -u)
  set -- "${sources[@]}"
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$build"
