# Sourced by ./catena, ./python3 and ./test: Debian packages by name, and builds that stay quiet while they go well.
# Expects $root, the project's folder. Talks on stderr only, so that the tool's own output stays clean.

build_packages=(g++ cmake ninja-build libeigen3-dev libfmt-dev libtinyxml2-dev nlohmann-json3-dev
                libcli11-dev libboost-dev libsundials-dev libhdf5-dev libasmjit-dev libcairo2-dev fonts-dejavu-core)
# The viewer's page takes npm to build; where there is one, of whatever origin, it is used.
command -v npm >/dev/null || build_packages+=(nodejs npm)
python_packages=(python3-dev python3-numpy pybind11-dev)
test_packages=(libgtest-dev clang-format clang-19 libclang-rt-19-dev clang-tidy-19 chromium valgrind mypy)

# Debian's Python, for which Debian's numpy is made; another one may come first on the path.
python_options=(-DCATENA_PYTHON=ON -DPython_EXECUTABLE=/usr/bin/python3)

log=$root/build/log

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

start_log() {
  mkdir -p "$root/build" || fail "Cannot write to $root, where the build goes; copy the project to a folder of yours."
  : >"$log"
}

missing_packages() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

# Installs the Debian packages named, those that are not there; says first which.
install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    return 0  # another system: CMake names what it cannot find
  fi
  local missing as_root=() answer
  read -r -d '' -a missing <<<"$(missing_packages "$@")" || true
  [ ${#missing[@]} -gt 0 ] || return 0

  say "These Debian packages are needed and not yet there: ${missing[*]}"
  local by_hand="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      fail "Installing them takes root. As root, run:  $by_hand"
    elif [ -n "${CI:-}" ] && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    elif [ -t 0 ] && [ -t 2 ]; then
      read -r -p "Install them now with sudo? [y/N] " answer
      [[ $answer == [yY]* ]] || fail "Nothing installed. By hand:  sudo sh -c '$by_hand'"
      as_root=(sudo)
    else
      fail "Installing them takes root. Run:  sudo sh -c '$by_hand'"
    fi
  fi

  say "Installing them with apt-get ..."
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
  # Package lists may be absent or out of date: the first try tells, cheaply.
  "${install[@]}" </dev/null >>"$log" 2>&1 && return 0
  "${apt[@]}" update </dev/null >>"$log" 2>&1 && "${install[@]}" </dev/null >>"$log" 2>&1 && return 0
  tail -n 15 "$log" >&2
  fail "apt-get failed; the whole of its output is in $log. By hand:  $by_hand"
}

# Passes ninja's output into the log and shows its counter on one line to a person.
show_progress() {
  local label=$1 line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [ -t 2 ] && [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then
      printf '\r\033[K%s %s' "$label" "${BASH_REMATCH[1]}" >&2
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# build PRESET LABEL CMAKE_OPTIONS... -- TARGETS...
build() {
  local preset=$1 label=$2 folder=$root/build/$1 options=()
  shift 2
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  # A copied or moved tree: CMake refuses a cache that belongs to another folder.
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  # Nobody watches a counter there: say what to expect. From nothing, g++ 12 took this many processor minutes.
  if [ ! -t 2 ]; then
    local minutes=17
    [ "$preset" = dev ] && minutes=15
    [[ " ${options[*]} " == *" -DCATENA_TESTS=ON "* && $preset = release ]] && minutes=27
    if [ -f "$folder/build.ninja" ]; then say "$label ..."; else
      say "$label ... (about $(((minutes + $(nproc) - 1) / $(nproc))) minutes on $(nproc) processors)"
    fi
  fi
  if (cd "$root" && cmake --preset "$preset" "${options[@]}") >>"$log" 2>&1 &&
    cmake --build "$folder" --parallel "$(nproc)" --target "$@" 2>&1 </dev/null | show_progress "$label"; then
    return 0
  fi
  grep -E -m 20 -A 3 'error:|CMake Error|undefined reference|Killed' "$log" >&2 || tail -n 20 "$log" >&2
  say "$label: failed. The whole output is in $log"
  return 1
}

# build_once STAMP LABEL CMAKE_OPTIONS... -- TARGETS...: for ./catena and ./python3, when what they start is not there or
# older than its sources. $packages: what that takes.
build_once() {
  local stamp=$root/build/release/$1 label=$2 options=()
  shift 2
  start_log
  exec 9>"$root/build/lock"
  flock 9  # two first starts at once: the second waits and finds the work done
  install_packages "${packages[@]}"
  # A folder that ./test has set up keeps its options, and with them its object files.
  [ -f "$root/build/release/build.ninja" ] || options=(-DCATENA_TESTS=OFF)
  local started
  started=$(mktemp "$root/build/started.XXXXXX")  # a source saved during the build is newer than this
  if ! build release "$label" "${options[@]}" "$@"; then
    rm -f "$started"
    exit 1
  fi
  mv "$started" "$stamp"
  exec 9>&-
}

build_tool() {
  packages=("${build_packages[@]}")
  build_once built "Building Catena" -- catena_cli
}

build_package() {
  packages=("${build_packages[@]}" "${python_packages[@]}")
  build_once built_python "Building Catena for Python" "${python_options[@]}" -- _catena
}
