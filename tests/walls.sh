#!/usr/bin/env bash
# usage: tests/walls.sh [FOLDER]
# Holds the walls of the house: who may include whom, where each foreign library may be used, and
# what stands at the top level. Prints each breach as file:line and exits with 1 when there is one.
# Without FOLDER it first shows, on a small house with one breach at a time, that every wall holds.
set -euo pipefail

# The rooms' files that the files of a room may include, as extended regular expressions.
may_include() {
  local records='sim/model/(events|totals)\.hpp'
  case $1 in
    models/*)       echo 'models/' ;;
    sim/scenario/*) echo 'models/|sim/scenario/' ;;
    sim/workload/*) echo 'models/|sim/(scenario|workload)/' ;;
    sim/serving/*)  echo 'models/|sim/(scenario|serving)/|sim/workload/(content|draw)\.hpp' ;;
    sim/model/*)    echo 'models/|sim/(scenario|workload|serving|model)/' ;;
    sim/engine/*)   echo 'models/|sim/(scenario|workload|serving|model|engine)/' ;;
    sim/metrics/*)  echo "models/|sim/(scenario|metrics)/|$records" ;;
    sim/report/*)   echo "models/|sim/(scenario|metrics|report)/|$records" ;;
    sim/study/*)    echo 'models/|sim/(scenario|workload|serving|model|engine|metrics|report|study)/' ;;
    sim/validation/*) echo 'models/|sim/(scenario|workload|report|metrics|study|validation)/' ;;
    sim/cli/*)      echo 'models/|sim/' ;;
    calibration/*)  echo 'models/|calibration/' ;;
    gui/*)          echo 'models/|sim/(scenario|report)/|gui/' ;;
    tests/*)        echo '.' ;;
    *)              echo 'no room of the house' ;;
  esac
}

# Foreign headers, each with the rooms that may include it.
foreign='<(simgrid|xbt)/                                                       sim/engine/
<(Q[A-Z]|Qt)|["<]qcustomplot                                                  gui/|tests/(gui|benchmark)/
["<](cuda|cublas|cudnn|nccl|cusparse|curand)                                  calibration/|tests/gpu/
<sqlite3                                                                      sim/study/|sim/report/
<CLI/                                                                         sim/cli/|calibration/|gui/
<(gtest|gmock|benchmark)/                                                     tests/
<Eigen/                                                                       models/|calibration/|tests/
<zlib                                                                         calibration/|tests/
<random>                                                                      tests/
<(chrono|ctime|thread)>                                                       sim/(scenario|workload|engine|metrics|report|study|cli)/|calibration/|gui/|tests/'

top_level='CMakeLists.txt CMakePresets.json LICENSE CHANGELOG.md README.md .ci .clang-format .clang-tidy
.gitignore models sim calibration gui scenarios tests'

# Prints the includes of the sources below $1 as "file:line:#include …".
includes_of() {
  (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.cpp' --include='*.hpp' \
    --include='*.cu' --include='*.cuh' models sim calibration gui tests 2>/dev/null || true)
}

# Prints the names that stand at the top level of $1: those kept by Git, or all.
top_names() {
  if [ -e "$1/.git" ] && command -v git >/dev/null; then
    git -c safe.directory='*' -C "$1" ls-files | cut -d/ -f1 | sort -u
  else
    ls -A "$1" | grep -vE '^(\.git|build.*|out)$' || true
  fi
}

# Prints every breach of the house at $1.
breaches() {
  local file number include name room pattern rooms
  declare -A allowed
  while IFS=: read -r file number include; do
    include=${include#*include}
    include=${include#"${include%%[![:space:]]*}"}
    if [[ $include == '"'* ]]; then
      name=${include#\"}
      name=${name%%\"*}
      room=${file%/*}/
      [ -n "${allowed[$room]:-}" ] || allowed[$room]=$(may_include "$room")
      if [[ ! $name =~ ^(${allowed[$room]}) && $name != qcustomplot.h ]]; then
        echo "$file:$number: $room may not include \"$name\""
      fi
    fi
    while read -r pattern rooms; do
      if [[ $include =~ ^($pattern) && ! $file =~ ^($rooms) ]]; then
        echo "$file:$number: ${include%% *} may be included only in $rooms"
      fi
    done <<<"$foreign"
  done < <(includes_of "$1")

  while IFS= read -r name; do
    [[ " ${top_level//$'\n'/ } " == *" $name "* ]] || echo "$name: has no room at the top level"
  done < <(top_names "$1")
}

# Shows that a house that keeps every wall passes, and that each single breach is found.
self_test() {
  local house
  house=$(mktemp -d)
  trap 'rm -rf "$house"' RETURN
  put() { mkdir -p "$house/${1%/*}" && echo "$2" >"$house/$1"; }

  put models/fit.cpp '#include <Eigen/Dense>'
  put sim/engine/simgrid.cpp '#include <simgrid/s4u.hpp>'
  put sim/metrics/latency.hpp '#include "sim/model/events.hpp"'
  put sim/serving/router.hpp '#include "sim/workload/draw.hpp"'
  put sim/serving/prefix_cache.hpp '#include "sim/workload/content.hpp"'
  put sim/cli/main.cpp '#include "sim/study/run.hpp"'
  put gui/window.cpp '#include <QWidget>'
  if [ -n "$(breaches "$house")" ]; then
    echo "self-test: a house without a breach was refused:" && breaches "$house" && return 1
  fi

  local file include
  while read -r file include; do
    put "$file" "#include $include"
    if [ -z "$(breaches "$house")" ]; then
      echo "self-test: $file may include $include unnoticed" && return 1
    fi
    rm "$house/$file"
  done <<'END'
models/breach.hpp "sim/scenario/scenario.hpp"
models/breach.hpp "calibration/samples.hpp"
models/breach.hpp <simgrid/s4u.hpp>
models/breach.hpp <chrono>
models/breach.hpp "breach.hpp"
sim/scenario/breach.hpp "sim/workload/source.hpp"
sim/workload/breach.hpp "sim/serving/router.hpp"
sim/serving/breach.hpp "sim/workload/source.hpp"
sim/serving/breach.hpp "sim/model/events.hpp"
sim/serving/breach.hpp <random>
sim/model/breach.hpp "sim/engine/engine.hpp"
sim/model/breach.hpp <simgrid/s4u.hpp>
sim/engine/breach.hpp "sim/metrics/latency.hpp"
sim/metrics/breach.hpp "sim/model/replica.hpp"
sim/metrics/breach.hpp "sim/engine/engine.hpp"
sim/report/breach.hpp "sim/engine/engine.hpp"
sim/report/breach.hpp "sim/study/run.hpp"
sim/study/breach.hpp "sim/cli/run_command.hpp"
sim/study/breach.hpp <QString>
sim/study/breach.hpp "sim/validation/score.hpp"
sim/validation/breach.hpp "sim/cli/run_command.hpp"
sim/validation/breach.hpp "sim/engine/engine.hpp"
sim/cli/breach.hpp "gui/window.hpp"
sim/cli/breach.hpp "calibration/samples.hpp"
sim/cli/breach.hpp <cuda_runtime.h>
calibration/breach.hpp "sim/scenario/scenario.hpp"
calibration/breach.hpp <simgrid/s4u.hpp>
gui/breach.hpp "sim/engine/engine.hpp"
gui/breach.hpp <nccl.h>
sim/utils/breach.hpp "models/units.hpp"
END
  mkdir "$house/docs"
  if [ -z "$(breaches "$house")" ]; then
    echo "self-test: a new name at the top level stays unnoticed" && return 1
  fi
}

if [ $# -eq 0 ]; then
  self_test
  set -- "$(dirname "${BASH_SOURCE[0]}")/.."
fi
found=$(breaches "$1")
if [ -n "$found" ]; then
  echo "$found"
  exit 1
fi
echo "every wall holds"
