#!/usr/bin/env bash
# Every command that a README shows is run, and prints what is shown: blocks marked ```console, lines
# that start with "$ " and what follows them. Numbers may differ by 1 %; a line of "…" stands for any
# lines. A command behind which nothing is shown has only to succeed; "# exit N" beside a command says
# how it ends.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

# same_text SHOWN PRINTED: compares line by line and word by word.
same_text() {
  awk -v shown="$1" '
    function number(word) { gsub(/,/, "", word); return word ~ /^[-+]?[0-9.]+$/ ? word : "" }
    function same(a, b,   n, i, x, y, p, q) {
      n = split(a, x, " ")
      if (split(b, y, " ") != n) return 0
      for (i = 1; i <= n; ++i) {
        if (x[i] == y[i]) continue
        p = number(x[i]); q = number(y[i])
        if (p == "" || q == "" || (p - q) ^ 2 > (0.01 * p) ^ 2) return 0
      }
      return 1
    }
    { printed[NR] = $0 }
    END {
      at = 1
      while ((getline line < shown) > 0) {
        if (line == "…") { skipping = 1; continue }
        while (skipping && at <= NR && !same(line, printed[at])) ++at
        skipping = 0
        if (at > NR) { print "shown, but not printed: " line; exit 1 }
        if (!same(line, printed[at])) {
          print "shown:   " line "\nprinted: " printed[at]; exit 1
        }
        ++at
      }
      if (!skipping && at <= NR) { print "printed, but not shown: " printed[at]; exit 1 }
    }' "$2"
}

run_shown() {  # COMMAND: what is shown of its output is in $work/shown
  local command=${1%%  # exit *} expected=0 code=0
  [ "$command" = "$1" ] || expected=${1##*  # exit }
  local folder=$work/tree
  [[ $command != "bash scenarios/"* ]] || folder=$HEADWAY_SOURCE_DIR
  (cd "$folder" && bash -c "$command") >"$work/printed" 2>&1 </dev/null || code=$?
  [ "$code" = "$expected" ] || fail "$document: '$command' ended with $code in place of $expected:
$(head -c 2000 "$work/printed")"
  if [[ $command == *azure-conversation.yaml* && ! -e $HEADWAY_DATA/traces ]]; then
    echo "not compared, for want of HEADWAY_DATA: $command"
  elif [ -s "$work/shown" ]; then
    same_text "$work/shown" "$work/printed" || fail "$document: '$command' does not print what is shown"
  fi
  count=$((count + 1))
}

# The tree as a newcomer has it, without what the commands would write into it.
mkdir "$work/tree"
for entry in README.md scenarios sim models tests; do
  ln -s "$HEADWAY_SOURCE_DIR/$entry" "$work/tree/$entry"
done
PATH=$(dirname "$HEADWAY"):$PATH
export HEADWAY_DATA=${HEADWAY_DATA:-$HEADWAY_SOURCE_DIR/../shared/data}

count=0
for document in README.md scenarios/README.md sim/README.md models/README.md; do
  [ -e "$HEADWAY_SOURCE_DIR/$document" ] || continue
  command=
  inside=
  while IFS= read -r line; do
    case $inside$line in
      '```console') inside=: ;;
      ':```')
        [ -z "$command" ] || run_shown "$command"
        command=
        inside=
        ;;
      ':$ '*)
        [ -z "$command" ] || run_shown "$command"
        command=${line#'$ '}
        : >"$work/shown"
        ;;
      :*) printf '%s\n' "$line" >>"$work/shown" ;;
    esac
  done <"$HEADWAY_SOURCE_DIR/$document"
done
[ "$count" -gt 0 ] || fail "no document shows a command"
echo "$count commands ran as shown"
