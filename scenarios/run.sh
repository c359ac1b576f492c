#!/usr/bin/env bash
# usage: scenarios/run.sh [SCENARIO] [ARGUMENT OF headway run …]
#   scenarios/run.sh                                    scenarios/chatbot.yaml
#   scenarios/run.sh azure-conversation                 another of the scenarios in this folder
#   scenarios/run.sh my.yaml --set fleet.main.replicas=8 --out results
# Installs what is missing (Debian 12), builds, and runs the scenario.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

scenario=$root/scenarios/chatbot.yaml
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  scenario=$1
  shift
  if [ ! -e "$scenario" ] && [ -e "$root/scenarios/${scenario%.yaml}.yaml" ]; then
    scenario=$root/scenarios/${scenario%.yaml}.yaml
  fi
fi

install_packages "${build_packages[@]}"
build_targets headway
say "run: headway run $scenario${*:+ $*}"
exec "$build/headway" run "$scenario" "$@"
