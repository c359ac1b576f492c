#!/usr/bin/env bash
# headway run --protocol, and scenarios from the standard input: what other programs start it with.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

lines() { jq -ec "$1" "$work/stdout" >/dev/null; }

# The first line says the format, the last is the result: the bytes of summary.json.
station "run: {duration: 60 s}" >"$work/one.yaml"
expect_exit 0 "$HEADWAY" run "$work/one.yaml" --protocol --out "$work/out"
[ "$(head -1 "$work/stdout")" = '{"format":"headway.run","version":1}' ] || fail "the first line"
tail -1 "$work/stdout" | jq -j .result | cmp - "$work/out/summary.json" || fail "the result"
[ ! -s "$work/stderr" ] || fail "progress beside the protocol: $(cat "$work/stderr")"

# Progress goes up; SIGTERM ends the run with what it has, and the exit code says so.
station "run: {requests: 100000000000}" >"$work/endless.yaml"
"$HEADWAY" run "$work/endless.yaml" --protocol >"$work/stdout" 2>"$work/stderr" &
for _ in $(seq 100); do
  [ "$(grep -c progress "$work/stdout")" -lt 3 ] || break
  sleep 0.1
done
kill -TERM $!
code=0
wait $! || code=$?
[ $code = 3 ] || fail "a cancelled run gives exit code $code"
grep progress "$work/stdout" | jq -es 'map(.done) | length > 2 and . == sort' >/dev/null ||
  fail "progress: $(head -c 1000 "$work/stdout")"
tail -1 "$work/stdout" | jq -e '.result | fromjson | .partial' >/dev/null || fail "partial result"

# What is wrong with the input is the last line, and on the standard error as ever.
expect_exit 2 "$HEADWAY" run "$work/one.yaml" --protocol --set fleet.server.replicas=0
tail -1 "$work/stdout" | jq -e '.exit_code == 2 and (.error | contains("replicas"))' >/dev/null ||
  fail "the error line: $(cat "$work/stdout")"
expect_text "$work/stderr" "headway: --set fleet.server.replicas=0"

# The standard input stands for a file: the same figures; its name in messages; paths from its folder.
"$HEADWAY" run - --json <"$work/one.yaml" >"$work/stdin.json"
cmp <(figures "$work/stdin.json") <(figures "$work/out/summary.json") || fail "figures of stdin"
expect_exit 2 "$HEADWAY" run - --as dir/new.yaml <<<"headway: 2"
expect_one_message
expect_text "$work/stderr" "headway: dir/new.yaml:1:10: format version '2'"
expect_exit 2 "$HEADWAY" check - <<<"headway: 2"
expect_text "$work/stderr" "headway: standard input:1:10:"
expect_exit 2 "$HEADWAY" check - </dev/null
queue=$HEADWAY_SOURCE_DIR/scenarios/oracle-client-queue
expect_exit 0 "$HEADWAY" run - --as "$queue.yaml" --quiet <"$queue.yaml"
expect_exit 2 "$HEADWAY" run - --quiet <"$queue.yaml"
expect_text "$work/stderr" "no trace file"

# wrong MESSAGE ARGUMENTS …
wrong() {
  expect_exit 2 "$HEADWAY" "${@:2}"
  expect_one_message
  expect_text "$work/stderr" "$1"
}
wrong "--protocol and --json exclude each other" run "$work/one.yaml" --protocol --json
wrong "--protocol and --quiet exclude each other" run "$work/one.yaml" --protocol --quiet
wrong "expected '-' as SCENARIO" run "$work/one.yaml" --as x.yaml
