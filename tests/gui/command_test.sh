#!/usr/bin/env bash
# headway-gui as a command: help, version, and what it says where no window can be opened.
# HEADWAY_GUI is the program.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# expect CODE TEXT ARGUMENT …: the exit code, and a text on either output.
expect() {
  local code=0
  timeout 20 "$HEADWAY_GUI" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$1" ] || fail "exit code $code in place of $1: ${*:3}: $(head -c 500 "$work/err")"
  cat "$work/out" "$work/err" | grep -qF -- "$2" ||
    fail "no '$2' of: ${*:3}: $(head -c 500 "$work/out" "$work/err")"
}

expect 0 "Examples:" --help
expect 0 "headway-gui " --version
[ "$("$HEADWAY_GUI" --help | wc -L)" -le 80 ] || fail "the help is wider than a terminal"
expect 2 "headway-gui: $work/none.yaml: no such file" "$work/none.yaml"
expect 2 "headway-gui: $work: a folder" "$work"
expect 2 "--colour" --colour
expect 2 "headway-gui: " "$work/a.yaml" "$work/b.yaml"

# Help needs no display; a window does, and says so.
unset QT_QPA_PLATFORM DISPLAY WAYLAND_DISPLAY
expect 0 "Examples:" --help
expect 3 "headway-gui: no display" "$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml"
