#!/usr/bin/env bash
# usage: models/catalog/profiles/make.sh [HEADWAY_CALIBRATE]
# Makes every profile of this folder from the public kernel tables in $HEADWAY_DATA (default
# ../shared/data beside the checkout), and prints their held-out errors.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
calibrate=${1:-$root/build/release/headway-calibrate}
data=${HEADWAY_DATA:-$root/../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
date=2026-11-30

# make GPU CATALOGUE-NAME ENGINE VERSION FORMAT... : from the tables of one engine version, and
# NCCL's newest.
make() {
  local gpu=$1 name=$2 engine=$3 version=$4
  shift 4
  local tables=$data/kernels/aiconfigurator/${gpu//-/_} inputs=()
  for kind in attention gemm mla moe comm; do
    [[ -d $tables/$kind/$engine/$version ]] && inputs+=("$tables/$kind/$engine/$version")
  done
  inputs+=("$(find "$tables/comm/nccl" -mindepth 1 -maxdepth 1 -type d | sort -V | tail -1)")
  "$calibrate" import "${inputs[@]}" --gpu "$name" --engine "$engine $version" -o "$work/samples"
  local folder=$here/$gpu/$engine-$version
  mkdir -p "$folder"
  # TensorRT-LLM's tables time the quantisation with the product; it runs fused with the norm.
  local options=()
  [[ $engine == trtllm ]] && options=(--fused-quantisation)
  for format in "$@"; do
    # gpt-oss' experts were timed with a kernel that vLLM has beside Marlin. Measured servers on
    # Hopper have the prompt times of Marlin's rate, so that is taken to serve them.
    local kernel=()
    [[ $format == mxfp4 ]] && kernel=(--expert-kernel marlin)
    "$calibrate" profile "$work/samples" --gpu "$gpu" --engine "$engine-$version" \
      --format "$format" --date $date --skew 0.030 \
      "${options[@]}" "${kernel[@]}" -o "$folder/$format.json"
  done
}

# measured GPU CATALOGUE-NAME TABLES SKEW UNSPLIT MODEL...: from LLMServingSim's layer timings; MODEL
# is folder:catalogue-name:tensor.
measured() {
  local gpu=$1 name=$2 tables=$data/kernels/llmservingsim/$3 skew=$4 unsplit=$5
  shift 5
  local inputs=()
  for each in "$@"; do
    IFS=: read -r folder model tensor <<< "$each"
    local samples=$work/$gpu-$model-$tensor
    "$calibrate" import "$tables/$folder/bf16/tp$tensor" --gpu "$name" --engine "vllm 0.19.0" \
      --model "$model" --tensor "$tensor" -o "$samples"
    inputs+=("$samples")
  done
  mkdir -p "$here/$gpu/vllm-0.19.0"
  "$calibrate" profile "${inputs[@]}" --gpu "$gpu" --engine vllm-0.19.0 --format bf16 \
    --date $date --skew "$skew" --unsplit "$unsplit" -o "$here/$gpu/vllm-0.19.0/bf16.json"
}

# The skew: the median over the pure decodes that LLMServingSim measured with
# unequal contexts (tp1/skew_fit.csv of Llama-3.1-8B on the RTX PRO 6000, but for its least level);
# decodes of mixed batches have a law of their own (models/skew.hpp). vLLM runs FlashAttention-2 on
# these cards, which does not split keys from 0.8 x 2 x multiprocessors (188, 128) heads on.
llama=meta-llama/Llama-3.1-8B:llama-3.1-8b qwen=Qwen/Qwen3-32B:qwen3-32b
moe=Qwen/Qwen3-30B-A3B-Instruct-2507:qwen3-30b-a3b
measured rtx-pro-6000 rtx-pro-6000-96gb RTXPRO6000 0.030 301 \
  $llama:1 $llama:2 $qwen:1 $qwen:2 $moe:1 $moe:2
measured rtx-4090 rtx-4090-24gb RTX4090 0.030 205 $llama:1

make a100-sxm a100-sxm-80gb vllm 0.14.0 bf16
make a100-sxm a100-sxm-80gb trtllm 1.0.0 bf16 int8 int4
make a100-sxm a100-sxm-80gb sglang 0.5.10 bf16
make h100-sxm h100-sxm-80gb vllm 0.19.0 bf16 fp8 fp8_block
make h100-sxm h100-sxm-80gb vllm 0.24.0 bf16 fp8 fp8_block int4 mxfp4
make h100-sxm h100-sxm-80gb trtllm 1.3.0rc20 bf16 fp8 fp8_block
make h100-sxm h100-sxm-80gb sglang 0.5.14 bf16 fp8
make h200-sxm h200-sxm-141gb vllm 0.24.0 bf16 fp8 fp8_block int4 mxfp4
make h200-sxm h200-sxm-141gb trtllm 1.3.0rc20 bf16 fp8
make b200-sxm b200-sxm-180gb vllm 0.24.0 bf16 fp8 fp8_block fp4
make l40s l40s-48gb vllm 0.24.0 bf16 fp8
