#!/usr/bin/env bash
# headway engine fit: from benchmark results to an engine's file that a scenario can name.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# result NAME RATE SECONDS TTFT TPOT: a JSON of vLLM's serving benchmark, 100 requests of 200
# tokens in, 32 out.
result() {
  cat >"$work/$1.json" <<JSON
{"backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B-Instruct", "num_prompts": 100,
 "request_rate": $2, "burstiness": 1.0, "max_concurrency": null, "duration": $3, "completed": 100,
 "total_input_tokens": 20000, "total_output_tokens": 3200,
 "mean_ttft_ms": $4, "mean_tpot_ms": $5}
JSON
}
result idle 1.0 100.5 33.0 8.3
result half 20.0 5.6 36.0 9.3
fit=("$HEADWAY" engine fit --engine vllm-0.11 --gpu h100-sxm-80gb)

# A fit prints what it found, and writes a file.
mkdir "$work/out"
expect_exit 0 "${fit[@]}" "$work/idle.json" "$work/half.json" -o "$work/out/mine.yaml"
for text in "vllm-0.11  2 results, 4 figures" "step_overhead" "request_overhead" "idle" "half" \
  "TTFT mean" "measure next"; do
  expect_text "$work/stdout" "$text"
done
[ "$(wc -L <"$work/stdout")" -le 80 ] || fail "wider than 80 columns"
[ ! -s "$work/stderr" ] || fail "a progress line without a terminal"
[ "$(ls -A "$work/out")" = mine.yaml ] || fail "more than the engine's file: $(ls -A "$work/out")"
expect_text "$work/out/mine.yaml" "fitted_on: [idle, half]"
expect_text "$work/out/mine.yaml" "kernels: vllm-0.11"

# Any number of jobs gives the same bytes.
cp "$work/out/mine.yaml" "$work/first.yaml"
expect_exit 0 "${fit[@]}" "$work/idle.json" "$work/half.json" --jobs 1 -o "$work/out/mine.yaml"
cmp "$work/first.yaml" "$work/out/mine.yaml" || fail "the fit depends on the jobs"

# A scenario names the file by its path from its own folder, and runs with its kernels' profile.
cat >"$work/out/chat.yaml" <<'YAML'
headway: 1
name: fitted
workload:
  - class: chat
    arrivals: {poisson: {rate: 5 /s}}
    input_tokens: 200
    output_tokens: 32
fleet:
  - pool: main
    model: llama-3.1-8b
    gpu: h100-sxm-80gb
    engine: ./mine.yaml
run: {requests: 100}
YAML
expect_exit 0 "$HEADWAY" run "$work/out/chat.yaml" --json
expect_text "$work/stdout" '"engine": "mine"'
sed 's/ms *$/ms x/; s/^step_overhead: .*/step_overhead: 1 parsec/' "$work/first.yaml" >"$work/out/mine.yaml"
expect_exit 2 "$HEADWAY" run "$work/out/chat.yaml"
expect_one_message
expect_text "$work/stderr" "mine.yaml:4:"
cp "$work/first.yaml" "$work/out/mine.yaml"

# The fitted file is a base like any other; without -o nothing is written.
expect_exit 0 "$HEADWAY" engine fit --engine "$work/out/mine.yaml" --gpu h100 "$work/idle.json"
expect_text "$work/stdout" "mine  1 result, 2 figures"
[ "$(ls -A "$work/out")" = "$(printf 'chat.yaml\nmine.yaml')" ] || fail "$(ls -A "$work/out")"

# A base that is nobody's but the user's, and says no kernels: neither does what is fitted on it.
mkdir "$work/own"
grep -v '^kernels:' "$work/first.yaml" >"$work/own/mine.yaml"
expect_exit 0 "$HEADWAY" engine fit --engine "$work/own/mine.yaml" --gpu h100 "$work/idle.json" \
  -o "$work/own/again.yaml"
! grep '^kernels:' "$work/own/again.yaml" || fail "kernels that the catalogue does not have"
sed 's/mine.yaml/again.yaml/' "$work/out/chat.yaml" >"$work/own/chat.yaml"
expect_exit 0 "$HEADWAY" run "$work/own/chat.yaml" --json
expect_text "$work/stdout" '"engine": "again"'

# Kernels that the catalogue does not have are told with their place.
sed 's/^kernels: .*/kernels: vlm-0.11/' "$work/first.yaml" >"$work/own/again.yaml"
expect_exit 2 "$HEADWAY" run "$work/own/chat.yaml"
expect_one_message
line=$(grep -n '^kernels:' "$work/own/again.yaml" | cut -d: -f1)
expect_text "$work/stderr" "again.yaml:$line:10: kernels is \"vlm-0.11\"; expected one of "
expect_text "$work/stderr" 'did you mean "vllm-0.11"?'

# A table: some of its rows, all of one engine.
cat >"$work/table.csv" <<'CSV'
id,group,engine,engine_version,gpu,model,precision,loop,rate_rps,concurrency,n,isl_mean,osl_mean,achieved_rps,ttft_mean_ms,tpot_mean_ms,e2e_mean_ms
a-1,bench,vllm,0.11.0,H100-SXM-80GB,Llama-3.1-8B,bf16,open-constant,2,,40,200,16,1.99,30,8.5,160
a-2,bench,vllm,0.11.0,H100-SXM-80GB,Llama-3.1-8B,bf16,closed,,64,256,200,16,190,60,17,320
b-1,other,vllm,0.19.0,H100-SXM-80GB,Llama-3.1-8B,bf16,closed,,64,256,200,16,190,60,17,320
b-2,other,vllm,0.19.0,H100-SXM-80GB,Llama-3.1-70B,bf16,closed,,64,256,200,16,190,60,17,320
CSV
expect_exit 0 "$HEADWAY" engine fit "$work/table.csv" --rows a-1,a-2
expect_text "$work/stdout" "vllm-0.11  2 results, 7 figures"

wrong() {
  local message=${!#}
  expect_exit 2 "$HEADWAY" "${@:1:$#-1}"
  expect_one_message
  expect_text "$work/stderr" "$message"
}
wrong engine "expected headway engine fit"
wrong engine fti x "unknown command 'fti' of headway engine; expected fit"
wrong engine fit "RESULT is required"
wrong engine fit --enigne x "$work/idle.json" "unknown option --enigne of headway engine fit; did you mean --engine?"
wrong engine fit "$work/idle.json" --gpu h100 "idle.json: a result of vllm bench serve does not say all of the run; expected --engine"
wrong engine fit "$work/idle.json" --engine vllm-0.11 "expected --gpu"
wrong engine fit "$work/idle.json" --gpu h100 --engine vlm-0.11 'did you mean "vllm-0.11"?'
wrong engine fit "$work/idle.json" --gpu h1000 --engine vllm-0.11 'did you mean "h100"?'
wrong engine fit "$work/idle.json" --gpu h100 --engine vllm-0.11 -o engine "ends with .yaml"
wrong engine fit "$work/idle.json" --gpu h100 --engine vllm-0.11 --tensor 0 "--tensor 0: expected"
wrong engine fit "$work/idle.json" "$work/idle.json" --gpu h100 --engine vllm-0.11 "the id idle stands twice"
wrong engine fit "$work/table.csv" "the results are of vllm-0.11 and vllm-0.19; expected one engine"
wrong engine fit "$work/table.csv" --rows a-1,a-3 "no table has a row a-3; did you mean a-1?"
wrong engine fit "$work/table.csv" --rows a-1,a-1 "stands twice"
wrong engine fit "$work/table.csv" --rows b-2 "row b-2 cannot be run"
sed 's/"duration": 100.5,//' "$work/idle.json" >"$work/short.json"
wrong engine fit "$work/short.json" --gpu h100 --engine vllm-0.11 "short.json: duration: is missing"
expect_exit 3 "$HEADWAY" engine fit "$work/missing.csv"

# Where the file cannot be written that is told before the runs.
expect_exit 3 "${fit[@]}" "$work/idle.json" -o /dev/null/x.yaml
expect_one_message

# Ctrl-C ends the fit: nothing is written, and the file that stood there stays.
sed 's/"num_prompts": 100/"num_prompts": 60000/; s/"completed": 100/"completed": 60000/
  s/"total_input_tokens": 20000/"total_input_tokens": 12000000/
  s/"total_output_tokens": 3200/"total_output_tokens": 1920000/' "$work/half.json" >"$work/long.json"
"${fit[@]}" "$work/long.json" -o "$work/out/mine.yaml" >"$work/stdout" 2>"$work/stderr" &
pid=$!
sleep 0.5
kill -TERM $pid
code=0
wait $pid || code=$?
[ $code = 3 ] || fail "a fit that was stopped ends with $code: $(cat "$work/stderr")"
expect_text "$work/stderr" "stopped; nothing was written"
cmp "$work/first.yaml" "$work/out/mine.yaml" || fail "a fit that was stopped changed the file"
[ "$(ls -A "$work/out")" = "$(printf 'chat.yaml\nmine.yaml')" ] || fail "$(ls -A "$work/out")"
