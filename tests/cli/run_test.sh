#!/usr/bin/env bash
# headway run: its outputs, its exit codes, and that the same seed gives the same bytes.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

chatbot=$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml
short=(--set "run.duration=5 min")

# The table, without colour or other bytes where there is no terminal.
expect_exit 0 "$HEADWAY" run "$chatbot" "${short[@]}"
for text in Verdict TTFT TPOT ITL E2E "queue time" SLO Bottleneck "USD an hour" "Step times"; do
  expect_text "$work/stdout" "$text"
done
[ "$(wc -L <"$work/stdout")" -le 80 ] || fail "the table is wider than 80 columns"
LC_ALL=C grep -q '[^ -~]' "$work/stdout" && fail "the table is not plain ASCII"
[ ! -s "$work/stderr" ] || fail "progress without a terminal: $(cat "$work/stderr")"

# Same seed, same bytes: twice, and with every output on.
"$HEADWAY" run "$chatbot" "${short[@]}" --out "$work/a" >"$work/a.table"
"$HEADWAY" run "$chatbot" "${short[@]}" --out "$work/b" >"$work/b.table"
"$HEADWAY" run "$chatbot" "${short[@]}" --json >"$work/c.json"
cmp "$work/a.table" "$work/b.table" || fail "two tables of one seed"
cmp "$work/stdout" "$work/a.table" || fail "the table changes with --out"
for file in requests.csv timeseries.csv trace.json; do
  cmp "$work/a/$file" "$work/b/$file" || fail "two $file of one seed"
done
cmp <(figures "$work/a/summary.json") <(figures "$work/b/summary.json") || fail "summary.json"
cmp <(figures "$work/a/summary.json") <(figures "$work/c.json") || fail "--json changes figures"
[ "$(ls -A "$work/a")" = "$(printf 'requests.csv\nsummary.json\ntimeseries.csv\ntrace.json')" ] ||
  fail "other files in --out: $(ls -A "$work/a")"

# Both engines give the same figures; both ways of stepping the same requests.
"$HEADWAY" run "$chatbot" --set "run.duration=60 s" --json >"$work/fast.json"
"$HEADWAY" run "$chatbot" --set "run.duration=60 s" --engine heap --json >"$work/heap.json"
cmp <(figures "$work/fast.json") <(figures "$work/heap.json") || fail "the engine changes figures"
"$HEADWAY" run "$chatbot" --set "run.duration=60 s" --stepping reference --json >"$work/plain.json"
requests='.latency, .goodput_requests_per_second, (.counts | del(.events))'
cmp <(jq "$requests" "$work/fast.json") <(jq "$requests" "$work/plain.json") ||
  fail "the stepping changes what requests see"

# Another seed gives other figures; --quiet prints nothing.
"$HEADWAY" run "$chatbot" "${short[@]}" --seed 2 --json >"$work/d.json"
cmp -s <(figures "$work/c.json") <(figures "$work/d.json") && fail "the seed changes nothing"
expect_exit 0 "$HEADWAY" run "$chatbot" "${short[@]}" --quiet
[ ! -s "$work/stdout" ] || fail "--quiet prints"

# The files agree with each other: requests, tokens, and the keys of load generators.
completed=$(jq .counts.completed "$work/a/summary.json")
[ "$(grep -c ',completed,' "$work/a/requests.csv")" = "$completed" ] || fail "requests.csv"
tokens=$(awk -F, '$5 == "completed" {sum += $13} END {print sum}' "$work/a/requests.csv")
[ "$tokens" = "$(jq .total_output_tokens "$work/a/summary.json")" ] || fail "output tokens"
arrivals=$(awk -F, 'NR > 2 {sum += $2} END {print sum}' "$work/a/timeseries.csv")
[ "$arrivals" = "$(jq .counts.arrived "$work/a/summary.json")" ] || fail "timeseries.csv"
jq -e '.traceEvents | length > 1000' "$work/a/trace.json" >/dev/null || fail "trace.json"
for key in duration completed request_throughput output_throughput total_token_throughput \
  mean_ttft_ms median_ttft_ms p99_ttft_ms mean_tpot_ms mean_itl_ms mean_e2el_ms; do
  jq -e ".$key > 0" "$work/a/summary.json" >/dev/null || fail "no $key in summary.json"
done

# Answers that are no.
expect_exit 0 "$HEADWAY" run "$chatbot" --assert-slo --quiet
expect_exit 1 "$HEADWAY" run "$chatbot" --assert-slo --set "workload.chat.slo.tpot=1 ms"
expect_text "$work/stderr" "headway: the SLO does not hold"
expect_text "$work/stdout" "NOT held"
station "run: {requests: 1000}" | grep -v slo: >"$work/without.yaml"
expect_exit 2 "$HEADWAY" run "$work/without.yaml" --assert-slo

# Offered twice what it can serve: unstable, with growth and throughput, no finite wait.
station "run: {duration: 200 s}" >"$work/station.yaml"
expect_exit 1 "$HEADWAY" run "$work/station.yaml" --set "workload.work.arrivals.poisson.rate=2000 /s" \
  --assert-slo
expect_text "$work/stdout" "unstable"
expect_text "$work/stdout" "no finite steady-state value"
expect_text "$work/stderr" "the system is unstable"
tr -s ' \n' ' ' <"$work/stdout" | grep -qE "grows by (9[0-9.]{2,}|1,0[0-9]{2}) /s" ||
  fail "the growth is not about 1,000 requests/s"

# Limits end a run with what it has.
expect_exit 3 "$HEADWAY" run "$work/station.yaml" --set "run.duration=1000000 s" --time-limit "300 ms" \
  --out "$work/limited"
expect_text "$work/stdout" "PARTIAL"
expect_text "$work/stderr" "headway: stopped by the time limit of 300 ms; the results are partial"
expect_text "$work/limited/summary.json" '"partial": true'
expect_exit 3 "$HEADWAY" run "$work/station.yaml" --memory-limit "3 MB" --out "$work/small"
expect_one_message
expect_text "$work/stderr" "memory"
expect_no_file "$work/small"

# Clients who try again every millisecond while no replica is there leave nothing behind: 2,000 of
# them make ten thousand times as many attempts.
cat >"$work/nobody_there.yaml" <<'YAML'
headway: 1
name: nobody there
workload:
  - class: chat
    arrivals: {constant: {rate: 200 /s}}
    timeouts: {total: 0 s}
    retries: {attempts: 1000000, backoff: 0 s}
fleet:
  - pool: main
    service: {time: 100 ms}
    failures: {crash: {mtbf: 1 s, repair: 100 d}}
run: {duration: 20 s}
YAML
expect_exit 0 "$HEADWAY" run "$work/nobody_there.yaml" --memory-limit "100 MB"

# A million and a half answered requests whose clients would have waited an hour leave nothing behind.
cat >"$work/patient.yaml" <<'YAML'
headway: 1
name: patient
workload:
  - class: chat
    arrivals: {constant: {rate: 1000 /s}}
    timeouts: {total: 1 h, first_token: 1 h}
fleet:
  - pool: main
    service: {time: 10 ms, servers: 100}
run: {duration: 1500 s}
YAML
expect_exit 0 "$HEADWAY" run "$work/patient.yaml" --memory-limit "60 MB"

# Ten thousand requests of one replica are answered within a keystroke.
cat >"$work/w1.yaml" <<'YAML'
headway: 1
name: W1
workload:
  - class: w1
    arrivals: {poisson: {rate: 8 /s}}
    input_tokens: 512
    output_tokens: 180
fleet:
  - pool: main
    model: llama-3.1-8b
    gpu: a100-sxm-80gb
    engine: vllm-0.19
    replicas: 1
    batching: {continuous: {max_num_seqs: 128, max_num_batched_tokens: 2048}}
    step_time: {base: 10 ms, per_token: 6.25 us, per_context_token: 87 ns, per_prefill_pair: 3.5 ns}
run: {requests: 10000}
YAML
expect_exit 0 "$HEADWAY" run "$work/w1.yaml"
expect_text "$work/stdout" "10,000 arrived"

# A value that is empty, as of a variable that is not set, is no option left out.
for option in --out --seed --engine --stepping --time-limit --memory-limit; do
  expect_exit 2 "$HEADWAY" run "$work/station.yaml" "$option" ""
  expect_one_message
  expect_text "$work/stderr" "$option: an empty value"
done
expect_exit 2 "$HEADWAY" run "$work/station.yaml" --memory-limit "0.5 B"
expect_text "$work/stderr" "expected at least 1 B"

# A value over its limit is told the limit; a seed is never another than the one asked for.
expect_exit 2 "$HEADWAY" run "$work/station.yaml" --seed 9007199254740993
expect_text "$work/stderr" "expected 0 to 9007199254740991"

# What a message quotes is neither endless nor obeyed by a terminal.
expect_exit 2 "$HEADWAY" run "$work/station.yaml" --set "name=$(head -c 100000 /dev/zero | tr '\0' x)"
expect_one_message
expect_exit 2 "$HEADWAY" run "$work/station.yaml" --set $'name=\x1b[31mred'
expect_one_message
grep -q $'\x1b' "$work/stderr" && fail "a message with an escape"

# Closed descriptors: what is asked for is done, and no file takes their place.
expect_exit 0 bash -c "'$HEADWAY' run '$work/station.yaml' --quiet --out '$work/closed' <&- >&- 2>&-"
"$HEADWAY" run "$work/station.yaml" --quiet --out "$work/open"
cmp "$work/closed/requests.csv" "$work/open/requests.csv" || fail "closed descriptors change files"
expect_exit 3 bash -c "'$HEADWAY' run '$work/station.yaml' >&-"
expect_one_message

# A pipe that does not block is written to its end.
if command -v python3 >/dev/null; then
  python3 - "$HEADWAY" >"$work/slow.md" <<'PYTHON'
import fcntl, os, subprocess, sys, time
read, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
program = subprocess.Popen([sys.argv[1], "reference"], stdout=write)
os.close(write)
time.sleep(0.3)
while block := os.read(read, 65536):
    sys.stdout.buffer.write(block)
sys.exit(program.wait())
PYTHON
  cmp <("$HEADWAY" reference) "$work/slow.md" || fail "a pipe that does not block loses text"
fi

# Two runs into one folder at once: the files of one of them, not some of each.
for _ in 1 2 3; do
  "$HEADWAY" run "$work/station.yaml" --quiet --seed 1 --out "$work/both" &
  first=$!
  "$HEADWAY" run "$work/station.yaml" --quiet --seed 2 --out "$work/both"
  wait $first
  [ "$(grep -c ',completed,' "$work/both/requests.csv")" = \
    "$(jq .counts.completed "$work/both/summary.json")" ] || fail "files of two runs are mixed"
done

# A front that is slower than its fleet is named, and what relieves it does.
"$HEADWAY" run "$HEADWAY_SOURCE_DIR/scenarios/tokeniser.yaml" --set 'run.duration=5 min' \
  --quiet --out "$work/front"
[ "$(jq -r .bottleneck.resource "$work/front/summary.json")" = tokenizer ] ||
  fail "one tokeniser before eight GPUs is not the bottleneck"
[ "$(jq -r .stability.verdict "$work/front/summary.json")" = unstable ] ||
  fail "one tokeniser before eight GPUs keeps up"
"$HEADWAY" run "$HEADWAY_SOURCE_DIR/scenarios/tokeniser.yaml" --set 'run.duration=5 min' \
  --set front.tokenizer.servers=4 --quiet --out "$work/front"
jq -e '.slo_held and .bottleneck.resource != "tokenizer"' "$work/front/summary.json" >/dev/null ||
  fail "four tokenisers before eight GPUs do not keep the promise"
