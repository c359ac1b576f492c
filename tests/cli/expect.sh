# What the tests of the command share: source it. It leaves a temporary folder in $work.
set -euo pipefail
: "${HEADWAY:?the program under test}" "${HEADWAY_SOURCE_DIR:?the source tree}"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect_exit CODE COMMAND …: runs it; what it prints is in $work/stdout and $work/stderr.
expect_exit() {
  local expected=$1 code=0
  shift
  "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
  [ "$code" = "$expected" ] || fail "exit code $code in place of $expected: $*
$(head -c 2000 "$work/stderr")"
}

# expect_text FILE TEXT: the file holds the text.
expect_text() {
  grep -qF -- "$2" "$1" || fail "no '$2' in:
$(head -c 3000 "$1")"
}

# expect_one_message: the standard error is one message that starts with "headway: ", in few lines,
# and nothing is on the standard output.
expect_one_message() {
  [ "$(grep -ac '^headway: ' "$work/stderr")" = 1 ] && [ "$(wc -l <"$work/stderr")" -le 8 ] &&
    [ "$(wc -c <"$work/stderr")" -le 2000 ] || fail "not one message: $(head -c 2000 "$work/stderr")"
  case $(head -c 9 "$work/stderr") in
    "headway: ") ;;
    *) fail "the message does not start with 'headway: ': $(head -c 2000 "$work/stderr")" ;;
  esac
  [ ! -s "$work/stdout" ] || fail "output beside an error: $(head -c 500 "$work/stdout")"
}

# expect_no_file FOLDER: nothing is in it, hidden or not.
expect_no_file() {
  [ ! -e "$1" ] || [ -z "$(ls -A "$1")" ] || fail "files are left in $1: $(ls -A "$1")"
}

# figures FILE: a summary.json without its provenance.
figures() { sed '/^ "provenance": {/,$d' "$1"; }

# station [EXTRA LINES …]: a scenario of one server at 50 % load, quick and endless as told.
station() {
  cat <<YAML
headway: 1
name: one server
workload:
  - class: work
    arrivals: {poisson: {rate: 500 /s}}
    slo: {e2e: 100 ms, percentile: 99}
fleet:
  - pool: server
    service: {time: {exponential: {mean: 1 ms}}}
    replicas: 1
YAML
  printf '%s\n' "$@"
}
