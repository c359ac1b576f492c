#!/usr/bin/env bash
# headway-calibrate as a user types it: help, imports, a run that is ended in every way and resumed,
# and this CPU calibrated, profiled and used in a scenario.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
calibrate=${HEADWAY_BUILD_DIR:?the build folder}/headway-calibrate

expect_exit 0 "$calibrate" --version
grep -qE '^headway-calibrate [0-9]+\.[0-9]+\.[0-9]+$' "$work/stdout" || fail "no version"
for command in "" check run import profile completion; do
  # shellcheck disable=SC2086
  expect_exit 0 "$calibrate" $command --help
  expect_text "$work/stdout" "Examples:"
  [ "$(wc -L <"$work/stdout")" -le 80 ] || fail "the help of '$command' is wider than a terminal"
done

[ "$("$calibrate" complete run --pre)" = --precision ] || fail "no completion of --pre"
expect_text <("$calibrate" complete run --model llama-3.1) llama-3.1-8b
expect_exit 0 bash -n <("$calibrate" completion bash)

# wrong CODE ARGUMENTS … MESSAGE: one message that holds the text, nothing else.
wrong() {
  local code=$1 message=${!#}
  expect_exit "$code" "$calibrate" "${@:2:$#-2}"
  expect_text "$work/stderr" "$message"
  [ "$(grep -c '^headway-calibrate: ' "$work/stderr")" = 1 ] || fail "$(cat "$work/stderr")"
  [ ! -s "$work/stdout" ] || fail "output beside an error: $(head -c 500 "$work/stdout")"
}
cd "$work"
wrong 2 "no command given"
wrong 2 imprt "did you mean import?"
wrong 2 run --modle x "did you mean --model?"
wrong 2 run --model llama-3.1-8b "expected -o FILE"
wrong 2 run --model llama-3.1-9b -o s "did you mean"
wrong 2 run --model llama-3.1-8b --budget "5 parsec" -o s "--budget"
for number in nan -nan inf -inf NaN 1e999 0x1p-1; do
  wrong 2 run --model llama-3.1-8b "--timeout=$number" -o s \
    "--timeout: expected a number from 0.001 to 3600 (found $number)"
  wrong 2 profile h100.samples --gpu h100-sxm --engine vllm-0.19.0 --format bf16 "--skew=$number" \
    -o s "--skew: expected a number from 0 to 1 (found $number)"
  wrong 2 profile h100.samples --gpu h100-sxm --engine vllm-0.19.0 --format bf16 \
    "--unsplit=$number" -o s "--unsplit"
  wrong 2 run --model llama-3.1-8b "--max-num-seqs=$number" -o s "--max-num-seqs"
  wrong 2 run --model llama-3.1-8b "--tensor=$number" -o s "--tensor"
  wrong 2 run --model llama-3.1-8b "--budget=$number s" -o s "--budget"
done
wrong 2 run --model llama-3.1-8b --device gpu -o s "expected cpu or cuda:N"
wrong 2 run --model llama-3.1-8b --tensor 3 -o s "does not divide"
[ ! -e s ] || fail "a file is left of a run that never began"
wrong 3 run --model llama-3.1-8b -o no/such/folder/s "cannot write"
if ! compgen -G "/dev/nvidia[0-9]*" >/dev/null; then
  wrong 3 check --device cuda:0 "no CUDA device: "
  wrong 3 run --model llama-3.1-8b --device cuda:0 -o s "no CUDA device: "
fi

# Every operator of this CPU is right, and its rates are told.
expect_exit 0 "$calibrate" check --device cpu
for operator in gemm attention_prefill attention_decode attention_mixed norm sampler moe copy; do
  grep -qE "^$operator .* [0-9.e+-]+$" "$work/stdout" || fail "no $operator: $(cat "$work/stdout")"
done
grep -qE '^copy +[0-9.]+ [kMGT]?B/s$' "$work/stdout" || fail "no rate of copies"
grep -qE '^products in bf16 +[0-9.]+ [kMGT]FLOP/s$' "$work/stdout" || fail "no rate of products"

# Tables, packed and plain; damaged ones are told with their place and leave no file.
cat >gemm.csv <<'END'
framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency
VLLM,0.19.0,NVIDIA H100,gemm,vllm_default,bfloat16,16,4096,4096,0.0125
END
gzip -k gemm.csv
expect_exit 0 "$calibrate" import gemm.csv.gz --gpu h100 -o h100.samples
expect_text "$work/stdout" "1 samples of h100-sxm-80gb, vllm 0.19.0"
expect_text h100.samples '"m":16,"n":4096,"k":4096,"seconds":1.25e-05'
head -c 60 gemm.csv.gz >torn.csv.gz
wrong 2 import torn.csv.gz --gpu h100 -o torn.samples "end in mid-stream"
sed 's/0.0125/fast/' gemm.csv >word.csv
wrong 2 import word.csv --gpu h100 -o torn.samples "word.csv:2:65: latency is no time (fast)"
[ ! -e torn.samples ] || fail "a file is left of an import that failed"

# A profile is of one GPU, that of the samples, of an engine with its version, of a real day.
sed 's/"gpu":"[^"]*"/"gpu":"rtx-pro-6000-96gb"/' h100.samples >rtx.samples
profile=(profile h100.samples --format bf16 -o gemm.json)
wrong 2 "${profile[@]}" rtx.samples --gpu h100-sxm --engine vllm-0.19.0 \
  "h100.samples is of h100-sxm-80gb, rtx.samples of rtx-pro-6000-96gb; expected samples of one GPU"
wrong 2 "${profile[@]}" --gpu h200-sxm --engine vllm-0.19.0 \
  "--gpu h200-sxm: the samples are of h100-sxm-80gb"
wrong 2 "${profile[@]}" --gpu h100-sxn --engine vllm-0.19.0 "did you mean \"h100-sxm\"?"
wrong 2 "${profile[@]}" --gpu h100-sxm --engine vllm "expected NAME-VERSION such as vllm-0.19.0"
wrong 2 "${profile[@]}" --gpu h100-sxm --engine vllm-0.19.0 --date 2026-02-30 \
  "--date 2026-02-30: no day of the calendar; expected one such as 2026-11-30"
[ ! -e gemm.json ] || fail "a profile is left of what was refused"
expect_exit 0 "$calibrate" "${profile[@]}" --gpu h100-sxm --engine "vllm 0.19.0" --date 2028-02-29
expect_text gemm.json '"gpu": "h100-sxm"'
expect_text gemm.json '"engine": "vllm-0.19.0"'

# A model small enough for one core.
cat >tiny.json <<'END'
{"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8,
 "num_key_value_heads": 4, "head_dim": 32, "intermediate_size": 704, "vocab_size": 4096,
 "max_position_embeddings": 1024, "tie_word_embeddings": false}
END
run=("$calibrate" run --model tiny.json --max-num-seqs 16 --max-num-batched-tokens 256 -o)

# lines FILE: its whole samples.
lines() { grep -c '"seconds":.*}$' "$1" || true; }
wait_for_lines() {
  for _ in $(seq 400); do
    [ "$(lines "$1" 2>/dev/null || echo 0)" -ge "$2" ] 2>/dev/null && return
    sleep 0.05
  done
  fail "no $2 samples in $1"
}

# Ctrl-C leaves a file that is whole; kill -9 one that --resume goes on with.
"${run[@]}" cpu.samples --budget "60 s" >stdout 2>stderr &
pid=$!
wait_for_lines cpu.samples 5
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 3 ] || fail "exit code $code after Ctrl-C: $(cat stderr)"
expect_text stderr "--resume goes on"
expect_exit 0 "$calibrate" profile cpu.samples --gpu cpu --engine headway-cpu-0.1.0 --format bf16 \
  -o p.json

wrong 2 run --model tiny.json -o cpu.samples "exists already"
"${run[@]}" cpu.samples --resume --budget "60 s" >stdout 2>stderr &
pid=$!
wait_for_lines cpu.samples 15
{ kill -9 "$pid" && wait "$pid"; } 2>/dev/null || true
before=$(lines cpu.samples)
printf '{"op":"gemm","m":1' >>cpu.samples  # a line that the kill tore
begin=$SECONDS
expect_exit 0 "${run[@]}" cpu.samples --resume --budget "25 s"
[ $((SECONDS - begin)) -le 60 ] || fail "calibrating took $((SECONDS - begin)) s"
expect_text "$work/stdout" "$before of them measured before"
[ "$(sed 's/,"seconds.*//' cpu.samples | sort | uniq -d | wc -l)" = 0 ] ||
  fail "points are measured twice"

# The profile, in a scenario on a catalogue of this machine's own.
expect_exit 0 "$calibrate" profile cpu.samples --gpu cpu --engine headway-cpu-0.1.0 --format bf16 \
  -o cpu.json
expect_text "$work/stdout" "held-out error"
cp -r "$HEADWAY_SOURCE_DIR/models/catalog" catalog
cat >catalog/gpus/cpu.yaml <<'END'
format: headway-gpu 1
aliases: []
memory: 4 GiB
hbm: 20 GB/s
half: 1 GFLOP/s
pcie: 10 GB/s
gpus_per_node: 1
power: 100 W
source: this machine; the arithmetic is far below its own, so that the roofline shows where it counts
END
cat >scenario.yaml <<'END'
headway: 1
name: a small model on this CPU
workload:
  - class: chat
    arrivals: {constant: {rate: 0.5 /s}}
    input_tokens: {fixed: 200}
    output_tokens: {fixed: 20}
fleet:
  - pool: cpu
    model: tiny.json
    gpu: cpu
    engine: vllm-0.19
    profile: cpu.json
    replicas: 1
    batching: {continuous: {max_num_seqs: 16, max_num_batched_tokens: 256}}
run: {duration: 100 s}
END
export HEADWAY_CATALOG=$work/catalog
expect_exit 0 "$HEADWAY" run scenario.yaml --json
mv "$work/stdout" measured.json
grep -v 'profile:' scenario.yaml >roofline.yaml
expect_exit 0 "$HEADWAY" run roofline.yaml --json
mv "$work/stdout" roofline.json
figure() { sed -n 's/^ *"'"$2"'": \([0-9.e+-]*\),\{0,1\}$/\1/p' "$1" | head -1; }
measured=$(figure measured.json mean_ttft_ms)
roofline=$(figure roofline.json mean_ttft_ms)
# 0.34 GFLOP a prompt of 200 tokens and 0.8 million weights a layer take 0.3 s at 1 GFLOP/s; every
# core made in this century is ten times as fast, or nearly.
awk -v m="$measured" -v r="$roofline" 'BEGIN { exit !(m > 1 && r > 1 && r > 3 * m) }' ||
  fail "TTFT $measured ms by the profile, $roofline ms by a roofline far below this machine"
