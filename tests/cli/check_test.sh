#!/usr/bin/env bash
# headway check: what it explains, and its verdict on load against the bound.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
chatbot=$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml

expect_exit 0 "$HEADWAY" check "$chatbot"
for text in "weights" "KV cache" "blocks of 16 tokens" "Sequences" "requests /s" "roofline" "valid"; do
  expect_text "$work/stdout" "$text"
done
[ "$(wc -L <"$work/stdout")" -le 80 ] || fail "wider than 80 columns"

# An M/M/1 server of 1 ms serves at most 1,000 requests a second.
station "run: {duration: 10 s}" >"$work/station.yaml"
expect_exit 0 "$HEADWAY" check "$work/station.yaml"
expect_text "$work/stdout" "500 requests /s offered, at most 1,000"
expect_exit 1 "$HEADWAY" check "$work/station.yaml" \
  --set "workload.work.arrivals.poisson.rate=1001 /s"
expect_text "$work/stdout" "overloaded"

# What the bound calls overloaded, a run calls unstable.
expect_exit 1 "$HEADWAY" check "$chatbot" --set "workload.chat.arrivals.poisson.rate=200 /s"
"$HEADWAY" run "$chatbot" --set "workload.chat.arrivals.poisson.rate=200 /s" \
  --set "run.duration=10 min" >"$work/stdout"
expect_text "$work/stdout" "unstable"

# A trace is read to its end: its totals are told, its errors are found.
{
  echo "arrival_seconds,input_tokens,output_tokens"
  for second in $(seq 0 100); do echo "$second,1000,10"; done
} >"$work/trace.csv"
sed "s|poisson: {rate: 30 /s}|trace: {file: $work/trace.csv, format: plain}|; /_tokens: {lognormal/d
  s|duration: 1 h, ||" "$chatbot" >"$work/traced.yaml"
expect_exit 0 "$HEADWAY" check "$work/traced.yaml"
expect_text "$work/stdout" "101 requests of a trace"
echo "101,many,10" >>"$work/trace.csv"
expect_exit 2 "$HEADWAY" check "$work/traced.yaml"
expect_one_message
expect_text "$work/stderr" "trace.csv:103:"

# Warnings are told, and are no errors.
expect_exit 0 "$HEADWAY" check "$chatbot" --set fleet.main.order=priority
