# Sourced by scenarios/run.sh and tests/run.sh: installs what the build needs on Debian, configures
# and builds build/release. Each stage is one line; when nothing changed it takes under two seconds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
export HEADWAY_DATA=${HEADWAY_DATA:-$root/../shared/data}  # traces and measured results, where there
build_packages=(cmake ninja-build g++ ccache libsimgrid-dev libyaml-cpp-dev libcli11-dev
  nlohmann-json3-dev libfmt-dev libeigen3-dev zlib1g-dev)
desktop_packages=(qt6-base-dev qt6-svg-dev libqcustomplot-dev)

say() { printf '== %s\n' "$*" >&2; }

# Runs a command in silence; when it fails, shows what it printed and stops.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    say "failed: $*"
    exit 1
  fi
  rm -f "$log"
}

# Installs those of the Debian packages named that are missing. Elsewhere they are taken as given:
# CMake names what it does not find.
install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  local installed missing=() package as_root=()
  installed=" $({ dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true; } |
    sed -n 's/ installed$//p' | tr '\n' ' ')"
  for package in "$@"; do
    [[ $installed == *" $package "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "missing packages; as root: apt-get install ${missing[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "install: ${missing[*]}"
  quietly "${as_root[@]}" apt-get -q update
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "${missing[@]}"
  rm -f "$build/build.ninja"
}

# Configures where that has not been done since the presets or the packages changed (a changed
# CMakeLists.txt is Ninja's own affair), and builds the targets named.
build_targets() {
  if [ ! -f "$build/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$build/build.ninja" ]; then
    say "configure: build/release"
    cd "$root"
    quietly cmake --fresh --preset release
    cd "$OLDPWD"
    sed 's/^/   /' "$build/parts.txt" >&2
  fi
  say "build: $*"
  local quiet=--quiet
  [ -t 2 ] && quiet=
  if ! ninja $quiet -C "$build" "$@" >&2; then
    say "the build failed: its first error stands above"
    exit 1
  fi
}
