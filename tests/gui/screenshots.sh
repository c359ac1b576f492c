#!/usr/bin/env bash
# usage: tests/gui/screenshots.sh [SCENARIO [FOLDER]]
# Pictures of the desktop with a scenario that was run: 1280x800 and 1920x1080, light and dark, as
# PNG files in FOLDER (default build/screenshots). For people to look at.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/release
scenario=${1:-$root/scenarios/chatbot.yaml}
folder=${2:-$root/build/screenshots}
mkdir -p "$folder"
config=$(mktemp -d)
trap 'rm -rf "$config"' EXIT
ninja --quiet -C "$build" headway gui_screenshots
HEADWAY=$build/headway XDG_CONFIG_HOME=$config QT_QPA_PLATFORMTHEME= QT_QPA_PLATFORM=offscreen \
  "$build/tests/gui/gui_screenshots" "$scenario" "$folder"
ls "$folder"/*.png
