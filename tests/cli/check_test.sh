#!/usr/bin/env bash
# headway check: what it explains, and its verdict on load against the bound.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
chatbot=$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml

expect_exit 0 "$HEADWAY" check "$chatbot"
for text in "weights" "KV cache" "blocks of 16 tokens" "Start-up" "Sequences" "requests /s" "roofline" "valid"; do
  expect_text "$work/stdout" "$text"
done
[ "$(wc -L <"$work/stdout")" -le 80 ] || fail "wider than 80 columns"

# How a replica lies over nodes.
expect_exit 0 "$HEADWAY" check "$chatbot" --set fleet.main.model=llama-3.1-70b \
  --set fleet.main.parallel.tensor=8 --set fleet.main.parallel.pipeline=2
expect_text "$work/stdout" "2 nodes of 8 GPUs; 2 pipeline stages of 8 GPUs, 1 to a node"
expect_exit 2 "$HEADWAY" check "$chatbot" --set fleet.main.gpu=l40s \
  --set fleet.main.parallel.pipeline=16
expect_one_message
expect_text "$work/stderr" "no network between such nodes is known"

# An M/M/1 server of 1 ms serves at most 1,000 requests a second.
station "run: {duration: 10 s}" >"$work/station.yaml"
expect_exit 0 "$HEADWAY" check "$work/station.yaml"
expect_text "$work/stdout" "500 requests /s offered, at most 1,000"
expect_exit 1 "$HEADWAY" check "$work/station.yaml" \
  --set "workload.work.arrivals.poisson.rate=1001 /s"
expect_text "$work/stdout" "overloaded"

# The same for programs.
expect_exit 0 "$HEADWAY" check "$work/station.yaml" --json
expect_text "$work/stdout" '"format": "headway.check"'
expect_text "$work/stdout" '"offered_requests_per_second": 500.0'
expect_text "$work/stdout" '"bound_requests_per_second": 1000.0'
expect_exit 1 "$HEADWAY" check - --json --set "workload.work.arrivals.poisson.rate=1001 /s" \
  <"$work/station.yaml"

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

# A quantised config.json sets the formats; precision overrides it; an unknown method is told by name.
mkdir -p "$work/quantised"
cat >"$work/quantised/config.json" <<'JSON'
{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
 "max_position_embeddings": 131072,
 "quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}
JSON
model=fleet.main.model=$work/quantised/config.json
sed '/precision:/d' "$chatbot" >"$work/plain.yaml"
expect_exit 0 "$HEADWAY" check "$work/plain.yaml" --set "$model"
expect_text "$work/stdout" "fp8 weights, fp8 activations, fp8 KV cache; the config.json says"
expect_exit 0 "$HEADWAY" check "$work/plain.yaml" --set "$model" --set fleet.main.precision.weights=bf16
expect_text "$work/stdout" "bf16 weights, bf16 activations, fp8 KV cache"
sed -i 's/modelopt/bitsandbytes/' "$work/quantised/config.json"
expect_exit 2 "$HEADWAY" check "$work/plain.yaml" --set "$model"
expect_one_message
expect_text "$work/stderr" 'quant_method "bitsandbytes"; expected one of fp8'
expect_exit 0 "$HEADWAY" check "$work/plain.yaml" --set "$model" --set fleet.main.precision.weights=fp8

# A pruned model is a smaller one, and says what is left of it.
pruned() { "$HEADWAY" check "$chatbot" --set "fleet.main.pruning=$1"; }
expect_exit 0 pruned '{layers: 25 %, heads: 50 %, ffn: 25 %}'
expect_text "$work/stdout" "replicas of pruned llama-3.1-8b on 1 x"
expect_text "$work/stdout" "leaves 24 of 32 layers, 16 of 32 heads, 4 of 8 KV heads"
expect_exit 2 pruned '{layers: 0.01}'
expect_one_message
expect_text "$work/stderr" "pruning of llama-3.1-8b: 1 % of the 32 layers would leave all; expected 3.12"
expect_exit 2 pruned '{layers: 0.95}'
expect_one_message

# 2:4 sparse weights, told by the scenario or by a config.json; a card without units for them is told.
sparse=fleet.main.precision.sparsity=2:4
expect_exit 0 "$HEADWAY" check "$chatbot" --set $sparse
expect_text "$work/stdout" "2:4 sparse bf16 weights, bf16 activations"
sed 's/precision: {/precision: {sparsity: 2:4, /' "$chatbot" >"$work/sparse.yaml"
expect_exit 0 "$HEADWAY" check "$work/sparse.yaml"
expect_text "$work/stdout" "weights         9.95 GB"
expect_exit 2 "$HEADWAY" check "$work/sparse.yaml" --set fleet.main.precision.weights=int4
expect_one_message
expect_text "$work/stderr" "2:4 sparse int4 weights beside bf16 activations are not supported"
sed -i 's/"quant_method": "bitsandbytes".*/"quant_method": "compressed-tensors", "sparsity_config": {"sparsity_structure": "2:4"}}}/' \
  "$work/quantised/config.json"
expect_exit 0 "$HEADWAY" check "$work/plain.yaml" --set "$model"
expect_text "$work/stdout" "2:4 sparse bf16 weights, bf16 activations"
expect_exit 0 "$HEADWAY" check "$work/plain.yaml" --set "$model" --set fleet.main.precision.sparsity=none
expect_text "$work/stdout" "bf16 weights, bf16 activations"
cp -r "$HEADWAY_SOURCE_DIR/models/catalog" "$work/catalog"
chmod -R u+w "$work/catalog"
sed -i '/sparse_2_4/d' "$work/catalog/gpus/"*.yaml
HEADWAY_CATALOG=$work/catalog expect_exit 2 "$HEADWAY" check "$chatbot" --set $sparse
expect_text "$work/stderr" "has no matrix units that skip the zeros of 2:4 sparse weights; expected sparsity: none"
