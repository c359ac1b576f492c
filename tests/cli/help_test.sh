#!/usr/bin/env bash
# Help, versions, lists and wrong arguments.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

expect_exit 0 "$HEADWAY" --version
grep -qE '^headway [0-9]+\.[0-9]+\.[0-9]+$' "$work/stdout" || fail "version: $(cat "$work/stdout")"

for command in "" run check validate engine "engine fit" list reference completion; do
  # shellcheck disable=SC2086
  expect_exit 0 "$HEADWAY" $command --help
  expect_text "$work/stdout" "Examples:"
  [ "$(wc -L <"$work/stdout")" -le 80 ] || fail "the help of '$command' is wider than a terminal"
done

# Every command that the help shows as an example of itself is one that runs.
cd "$HEADWAY_SOURCE_DIR"
for command in "" run check validate engine "engine fit" list reference completion; do
  # shellcheck disable=SC2086
  "$HEADWAY" $command --help | sed -n 's/^  \(headway .*\)/\1/p; s/^  \(source .*\)/\1/p'
done | sort -u >"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 12 ] || fail "few examples: $(cat "$work/examples")"
mkdir -p "$work/bin" "$work/home/.zfunc"
ln -s "$HEADWAY" "$work/bin/headway"
export HEADWAY_DATA=${HEADWAY_DATA:-$HEADWAY_SOURCE_DIR/../shared/data}
while read -r example; do
  if [[ $example == "headway validate "* || $example == *HEADWAY_DATA* ]] && [[ ! -e $HEADWAY_DATA/measured ]]; then
    echo "not run, for want of HEADWAY_DATA: $example"
    continue
  fi
  (cd "$work" && ln -sfn "$HEADWAY_SOURCE_DIR/scenarios" scenarios &&
    PATH=$work/bin:$PATH HOME=$work/home bash -c "$example" >"$work/example.out" 2>&1) ||
    [ $? = 1 ] || fail "the example fails: $example: $(head -c 1000 "$work/example.out")"
done <"$work/examples"

expect_exit 0 "$HEADWAY" list
while read -r topic _; do
  expect_exit 0 "$HEADWAY" list "$topic"
  [ "$(wc -l <"$work/stdout")" -ge 2 ] || fail "headway list $topic lists nothing"
done < <("$HEADWAY" list | sed -n 's/^  \([a-z]\)/\1/p')
"$HEADWAY" list gpus >"$work/gpus"
for gpu in h100-sxm-80gb h200-sxm-141gb a100-sxm-80gb l40s-48gb rtx-4090-24gb; do
  expect_text "$work/gpus" "$gpu"
done
"$HEADWAY" list keys >"$work/keys"
expect_text "$work/keys" fleet.POOL.replicas
"$HEADWAY" reference >"$work/reference"
expect_text "$work/reference" '`fleet.POOL.replicas`'

# wrong ARGUMENTS … MESSAGE
wrong() {
  local message=${!#}
  expect_exit 2 "$HEADWAY" "${@:1:$#-1}"
  expect_one_message
  expect_text "$work/stderr" "$message"
}
wrong "no command given"
wrong rnu x.yaml "unknown command 'rnu'; did you mean run?"
wrong run --sed 3 x.yaml "unknown option --sed of headway run; did you mean --seed?"
wrong run "SCENARIO is required"
wrong run x.yaml y.yaml "unexpected argument 'y.yaml'"
wrong --versoin "unknown option --versoin; did you mean --version?"
wrong list gpu "did you mean gpus?"
wrong completion fish "expected bash or zsh"
wrong run missing.yaml "missing.yaml"
wrong run "$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml" --set fleet.main.replica=2 "did you mean"
wrong run "$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml" --time-limit 10 "--time-limit 10: "
wrong run "$HEADWAY_SOURCE_DIR/scenarios/chatbot.yaml" --memory-limit 0 "expected more than 0"

# A reader that goes away is no error; a standard output that is full is.
"$HEADWAY" reference | head -1 >/dev/null || fail "a pipe that is closed early"
if [ -e /dev/full ]; then
  code=0
  "$HEADWAY" reference >/dev/full 2>"$work/stderr" || code=$?
  [ $code = 3 ] || fail "a full standard output gives exit code $code"
  expect_text "$work/stderr" "cannot write to the standard output"
fi
