# SPDX-License-Identifier: Apache-2.0
# Steps that tools/run, tools/test and .ci/run share; they source this file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
jobs=${PLUMB_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 3; }

# need_packages run|test|check: what tools/packages.txt lists up to that word. Installs what is missing when
# the user is root, else says what to install.
need_packages() {
  local words=run missing=() package
  [[ $1 == run ]] || words+='|test'
  [[ $1 == run || $1 == test ]] || words+='|check'
  if ! command -v dpkg-query >/dev/null; then
    say "not Debian: taking for granted what tools/packages.txt lists"
    return
  fi
  while read -r package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done < <(sed -nE "s/^($words) +//p" tools/packages.txt)
  ((${#missing[@]})) || return 0
  if [[ $(id -u) != 0 ]]; then
    fail "these Debian packages are missing: ${missing[*]}
Install them with
  sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update || fail "apt-get update failed; the packages that are missing: ${missing[*]}"
  apt-get -qq install --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}"
}

# build PRESET: configures and builds, and leaves in build_note how long it took from what state.
build_note=
build() {
  local preset=$1 state=cold start=$SECONDS
  [[ ! -e build/$preset/build.ninja ]] || state=warm
  say "configure $preset"
  cmake --preset "$preset" | tail -n 4
  say "build $preset"
  cmake --build --preset "$preset" -j "$jobs"
  build_note+="$preset $((SECONDS - start)) s ($state)  "
}

# count_tests PRESET: how many tests a plain run has.
count_tests() { ctest --test-dir "build/$1" -N -LE '^slow$' | sed -nE 's/^Total Tests: //p'; }
