#!/usr/bin/env bash
# Wrong scenarios and traces: exit code 2, one message that is the expected one, no file in --out.
# broken/NAME.yaml has its message in its first line, "# expect: …", or in NAME.expect;
# broken_traces/NAME.expect has the format of the trace beside it, then the message.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
here=$HEADWAY_SOURCE_DIR/tests/cli
cases=0

# refused SCENARIO MESSAGE
refused() {
  expect_exit 2 timeout 20 "$HEADWAY" run "$1" --out "$work/out"
  expect_one_message
  expect_text "$work/stderr" "$2"
  expect_no_file "$work/out"
  cases=$((cases + 1))
}

# around TRACE FORMAT: a scenario that replays it.
around() {
  station "run: {seed: 1}" |
    sed "s|poisson: {rate: 500 /s}|trace: {file: \"$1\", format: $2}|" >"$work/around.yaml"
}

for scenario in "$here"/broken/*.yaml; do
  expected=$(head -1 "$scenario" | tr -d '\0' | sed -n 's/^# expect: //p')
  [ -n "$expected" ] || expected=$(cat "${scenario%.yaml}.expect")
  refused "$scenario" "$expected"
done

for expectation in "$here"/broken_traces/*.expect; do
  { read -r format; read -r expected; } <"$expectation" || true
  trace=$(ls "${expectation%.expect}".[!e]*)
  around "$trace" "$format"
  refused "$work/around.yaml" "$expected"
done
[ $cases -ge 60 ] || fail "only $cases broken inputs"

# What is too large, too small or too odd to keep as a file.
: >"$work/empty.yaml"
refused "$work/empty.yaml" "empty.yaml"
{ station "run: {duration: 10 s}"; printf 'x: "'; head -c 10000000 /dev/zero | tr '\0' a; echo '"'; } \
  >"$work/long_line.yaml"
refused "$work/long_line.yaml" "long_line.yaml"
head -c 20000 /dev/urandom >"$work/garbage.yaml"
refused "$work/garbage.yaml" "garbage.yaml"
mkdir "$work/folder.yaml"
refused "$work/folder.yaml" "folder.yaml"
{ echo "arrival_seconds,input_tokens,output_tokens"; head -c 10000000 /dev/zero | tr '\0' 1; } \
  >"$work/long_line.csv"
around "$work/long_line.csv" plain
refused "$work/around.yaml" "long_line.csv:2"
echo "$cases broken inputs are refused, each with its message"
