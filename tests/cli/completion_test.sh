#!/usr/bin/env bash
# Shell completion: the scripts load, and the command completes commands, options, keys and values.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

cmp <("$HEADWAY" completion bash) "$HEADWAY_SOURCE_DIR/sim/cli/completion/headway" ||
  fail "headway completion bash is not the installed script"
cmp <("$HEADWAY" completion zsh) "$HEADWAY_SOURCE_DIR/sim/cli/completion/_headway" ||
  fail "headway completion zsh is not the installed script"

# completes EXPECTED LINE …: what bash offers at the end of the line.
cat >"$work/ask.sh" <<'BASH'
source <("$HEADWAY" completion bash)
compopt() { :; }  # bash has it only while it completes
COMP_LINE=$1 COMP_POINT=${#1}
_headway
printf '%s\n' "${COMPREPLY[@]}"
BASH
mkdir -p "$work/bin" "$work/scenarios"
ln -s "$HEADWAY" "$work/bin/headway"
cp "$HEADWAY_SOURCE_DIR"/scenarios/{chatbot,canary,rate-limits}.yaml "$work/scenarios/"
touch "$work/notes.txt"
completes() {
  (cd "$work" && PATH=$work/bin:$PATH HEADWAY=$HEADWAY bash "$work/ask.sh" "$2") >"$work/stdout" 2>&1
  grep -qxF -- "$1" "$work/stdout" || fail "'$2' is not completed by '$1' but by:
$(head -20 "$work/stdout")"
}
completes run "headway r"
completes check "headway "
completes fit "headway engine "
completes --repeated "headway engine fit --rep"
completes vllm-0.11 "headway engine fit --engine "
completes --version "headway --v"
completes --set "headway run --s"
completes scenarios/ "headway run s"
completes scenarios/chatbot.yaml "headway run scenarios/"
completes gpus "headway list g"
completes zsh "headway completion "
completes simgrid "headway run --engine "
completes --protocol "headway run --p"
completes scenarios/chatbot.yaml "headway run - --as scenarios/"
completes fleet. "headway run --set f"
completes fleet.main. "headway run scenarios/chatbot.yaml --set fleet."
completes fleet.main.replicas= "headway run scenarios/chatbot.yaml --set fleet.main.re"
completes workload.chat. "headway check scenarios/chatbot.yaml --set workload."
completes h100-sxm-80gb "headway run scenarios/chatbot.yaml --set fleet.main.gpu=h1"
completes least_kv "headway run --set router="
completes canary "headway run scenarios/canary.yaml --set workload.chat.route="
completes stable "headway run scenarios/canary.yaml --set workload.chat.route=st"
completes hoarder "headway run scenarios/rate-limits.yaml --set workload.bulk.tenant="

if command -v zsh >/dev/null; then
  zsh -fc 'autoload -Uz compinit; compinit -D; source <("$HEADWAY" completion zsh)
    [[ ${_comps[headway]} == _headway ]]' || fail "the zsh script does not load"
fi
