#!/usr/bin/env bash
# headway validate: predicted beside measured, on tables of this test's own.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

header=id,group,engine,engine_version,gpu,tp,model,precision,loop,rate_rps,concurrency,n,isl_mean,osl_mean,achieved_rps,ttft_mean_ms,tpot_mean_ms,note
mkdir -p "$work/measured" "$work/traces"
table=$work/measured/serving.csv
{
  echo "$header"
  echo 'a-1,bench,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,open-constant,2,,20,200,16,1.9,30,7,'
  echo 'a-2,bench,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,closed,,4,,200,16,,30,7,"a note, quoted"'
  echo 'a-3,bench,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,closed,,4,,200,16,,30,7,EAGLE speculative decoding'
  echo 'b-1,other,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-70B,bf16,closed,,4,,200,16,,30,7,does not fit'
} >"$table"

# The table by group; what is not run says why.
expect_exit 0 "$HEADWAY" validate --data "$work" --rows --out "$work/out"
for text in "bench  2 of 3 rows scored" "speculative decoding is not simulated (a-3)" \
  "other  0 of 1 row scored" "weights" "TTFT mean" "TPOT mean" "worst"; do
  expect_text "$work/stdout" "$text"
done
[ "$(wc -L <"$work/stdout")" -le 80 ] || fail "wider than 80 columns"
[ ! -s "$work/stderr" ] || fail "a progress line without a terminal"

# The scenario of a row, run alone, predicts what validation.csv holds.
head -1 "$work/out/validation.csv" | grep -qx "# headway.validation 1" || fail "no format"
"$HEADWAY" run "$work/out/scenarios/a-1.yaml" --json >"$work/alone.json"
alone=$(sed -n 's/^ *"mean_ttft_ms": \([0-9.]*\),*$/\1/p' "$work/alone.json")
table_ttft=$(awk -F, '$1 == "a-1" && $7 == "ttft_mean" { print $10 }' "$work/out/validation.csv")
awk "BEGIN { exit !($alone > 0 && ($alone - $table_ttft) ^ 2 < (1e-6 * $alone) ^ 2) }" ||
  fail "alone $alone ms, in the table $table_ttft ms"

# One job or many: the same bytes. A group alone: the same figures.
expect_exit 0 "$HEADWAY" validate bench --data "$table" --jobs 1 --out "$work/again"
cmp <(grep -v '^b-1' "$work/out/validation.csv") "$work/again/validation.csv" ||
  fail "the figures depend on the jobs"

# Limits.
limits=group,kind,measure,statistic,at_most_percent
printf '%s\n' "$limits" "bench,dense 16-bit,tpot_mean,mean,1000" >"$work/loose.csv"
printf '%s\n' "$limits" "bench,,tpot_mean,mean,0" >"$work/tight.csv"
expect_exit 0 "$HEADWAY" validate --data "$work" --require "$work/loose.csv"
expect_exit 1 "$HEADWAY" validate --data "$work" --require "$work/tight.csv"
expect_text "$work/stdout" "NOT MET"

# A limit on a group that GROUP leaves out is not looked at; on one that the table lacks, or no limit
# at all, nothing would be checked: that is wrong input.
expect_exit 0 "$HEADWAY" validate other --data "$work" --require "$work/tight.csv"
expect_text "$work/stdout" "nothing of these groups"
printf '%s\n' "$limits" "bnech,,tpot_mean,mean,0" >"$work/mistyped.csv"
expect_exit 2 "$HEADWAY" validate other --data "$work" --require "$work/mistyped.csv"
expect_one_message
expect_text "$work/stderr" "mistyped.csv:2:1: group is 'bnech'; expected bench, other; did you mean bench"
printf '%s\n' "$limits" >"$work/no_limits.csv"
expect_exit 2 "$HEADWAY" validate --data "$work" --require "$work/no_limits.csv"
expect_one_message
expect_text "$work/stderr" "no_limits.csv:1:1: no rows"
for path in "$work/nowhere.csv" "$work"; do
  expect_exit 2 "$HEADWAY" validate --data "$work" --require "$path"
  expect_one_message
  expect_text "$work/stderr" "; expected a table of limits (CSV)"
done
echo "$header" >"$work/measured/no_rows.csv"
for limit in "" "$work/loose.csv"; do
  expect_exit 2 "$HEADWAY" validate --data "$work/measured/no_rows.csv" ${limit:+--require "$limit"}
  expect_one_message
  expect_text "$work/stderr" "no_rows.csv:1:1: no rows"
done

# A run with nothing to compare is not scored: answers of one token have no TPOT; and in 106 days at
# 1e-6 /s, that is one in 11.6 days, come 10 requests at most (106 days are 9,158,400 s).
{
  echo "$header"
  echo 'd-1,bench,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,open-constant,2,,20,200,1,,,7,'
  echo 'd-2,bench,vllm,0.11.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,open-constant,0.000001,,10000000,200,16,,30,7,'
} >"$work/measured/nothing.csv"
expect_exit 1 "$HEADWAY" validate --data "$work/measured/nothing.csv" --require "$work/loose.csv"
for text in "bench  0 of 2 rows scored" "its answers have one token (d-1)" "only 10 of 10000000" \
  "no row"; do
  expect_text "$work/stdout" "$text"
done

# A log beside the table is compared request by request.
{
  echo "input_toks,output_toks,arrival_time_ns"
  printf '%s\n' "100,10,5000000" "100,10,905000000" "100,10,1805000000"
} >"$work/traces/sharegpt-3-llama-3.1-8b.csv"
for i in 0 1 2; do
  echo "{\"request_id\":\"b-$i\",\"input_toks\":100,\"output_toks\":10,\"queued_ts\":$i,\"scheduled_ts\":$i.01,\"first_token_ts\":$i.03,\"last_token_ts\":$i.10}"
done >"$work/measured/vllm-requests-x.jsonl"
printf '%s\n' "t,running,waiting,kv_cache_pct" "0.05,1,0,0.0" "0.5,0,0,0.0" \
  >"$work/measured/vllm-timeseries-x.csv"
{
  echo "$header"
  echo 'lss-x,lss,vllm,0.19.0,H100-SXM-80GB,1,Llama-3.1-8B,bf16,trace,,,3,,,,30,7,'
} >"$work/measured/logged.csv"
expect_exit 0 "$HEADWAY" validate --data "$work/measured/logged.csv"
for text in "lss-x  request by request: 3 requests, 2 samples" "TTFT p99" "mean running" \
  "not recorded"; do
  expect_text "$work/stdout" "$text"
done
rm "$work/measured/vllm-requests-x.jsonl"
expect_exit 0 "$HEADWAY" validate --data "$work/measured/logged.csv"
expect_text "$work/stdout" "no log beside the table"
[ -z "$(find "$TMPDIR" -maxdepth 1 -name 'headway-??????' -user "$(id -u)" -newer "$table" -mmin -1)" ] ||
  fail "scratch folders are left"

# Wrong input, and no input.
expect_exit 2 "$HEADWAY" validate bnech --data "$work"
expect_one_message
expect_text "$work/stderr" "did you mean bench?"
expect_exit 2 "$HEADWAY" validate --data "$work" --jobs 0
expect_text "$work/stderr" "--jobs 0: expected"
echo 'c-1,bench,vllm,,H100,,m,bf16,closed,,0,,1,1,,1,1,' >>"$table"
expect_exit 2 "$HEADWAY" validate --data "$work"
expect_one_message
expect_text "$work/stderr" "serving.csv:6:"
expect_exit 3 "$HEADWAY" validate --data "$work/nowhere"
expect_one_message
expect_text "$work/stderr" "no measured results at"
