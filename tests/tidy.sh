#!/usr/bin/env bash
# usage: tests/tidy.sh BUILD_FOLDER [SOURCE …]
# Runs clang-tidy 14 with the checks of .clang-tidy, all of them errors, on the sources named, or on
# those of models/, sim/ and gui/ that BUILD_FOLDER compiles. A source that passed is not read again until
# it, a header or the checks change: BUILD_FOLDER/tidy keeps what passed.
set -euo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ $# -eq 0 ]; then
  mapfile -t sources < <(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",\{0,1\}\$|\1|p" \
    "$build/compile_commands.json" | grep -E '^(models|sim|gui)/' | sort -u)
  set -- "${sources[@]}"
fi
mkdir -p "$build/tidy"

shopt -s globstar nullglob
headers=({models,sim,calibration,gui,tests}/**/*.hpp)
export build shared
shared=$(cat .clang-tidy "${headers[@]}" | sha256sum)

tidy_one() {
  local passed
  passed=$build/tidy/$( (echo "$shared" && cat "$1") | sha256sum | cut -d' ' -f1)
  [ -e "$passed" ] && return 0
  clang-tidy-14 --quiet -p "$build" "$1" 2> >(grep -v 'warnings\? generated\|warnings treated as' >&2)
  touch "$passed"
}
export -f tidy_one
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -ec 'tidy_one "$1"' tidy
echo "clang-tidy: $# sources clean"
