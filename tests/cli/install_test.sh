#!/usr/bin/env bash
# The installed command runs a shipped scenario from an empty folder, on the catalogue of its own
# prefix.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$HEADWAY_BUILD_DIR" --prefix "$prefix" >/dev/null

fail() { echo "$1"; exit 1; }

for path in bin/headway share/headway/catalog/gpus share/headway/scenarios/chatbot.yaml \
  share/bash-completion/completions/headway share/zsh/site-functions/_headway \
  share/doc/headway/LICENSE; do
  [ -e "$prefix/$path" ] || fail "not installed: $path"
done

mkdir "$scratch/empty"
cd "$scratch/empty"
unset HEADWAY_CATALOG HEADWAY_DATA
"$prefix/bin/headway" run "$prefix/share/headway/scenarios/chatbot.yaml" >"$scratch/answer"
grep -q 'TTFT' "$scratch/answer" || fail "no TTFT in the answer: $(cat "$scratch/answer")"
[ -z "$(ls -A)" ] || fail "the run left files behind: $(ls -A)"

mv "$prefix/share/headway/catalog/gpus/h100-sxm-80gb.yaml" "$prefix/share/headway/catalog/gpus/installed-gpu.yaml"
"$prefix/bin/headway" list gpus | grep -q installed-gpu || fail "the catalogue of the prefix is not the one read"
