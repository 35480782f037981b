#!/usr/bin/env bash
# Finds the programs that the build and the tests need, or makes private ones. emscripten.mk runs it from the top:
#
#   tools.sh emcc            Emscripten: EMCC=, else on the PATH, else from its own SDK, else from Debian's packages
#   tools.sh cc FLAGS...     a C compiler that takes these flags: CC=, else on the PATH, else from Debian's packages
#   tools.sh chromium        the tests' browser: CHROMIUM=, else the one that tests/browser pins (Linux on x86-64),
#                          else from Debian's packages, else by Playwright, else on the PATH
#
# dist/tools/NAME then holds its path. What is made lies in ~/.cache/glassformer (or that of XDG_CACHE_HOME), and is
# made anew if that is removed; the system is read, never changed.
set -euo pipefail

EMSCRIPTEN=3.1.69
DEBIAN=trixie
CACHE=${XDG_CACHE_HOME:-${HOME:-}/.cache}/glassformer
TOOLCHAIN=(emscripten libclang-rt-19-dev libc6-dev patchelf)
BROWSER=(chromium-headless-shell fonts-dejavu-core patchelf)

say() { echo "glassformer: $*" >&2; }
die() { say "$*"; exit 1; }

# use NAME GIVEN CANDIDATE...: note the first program that passes works_NAME. One that the user names must pass.
use() {
  local name=$1 given=$2 p; shift 2; mkdir -p dist/tools
  [ -z "$given" ] || set -- "$given"
  for p in "$@"; do
    if ! { p=$(command -v "$p") && "works_$name" "$p"; }; then
      [ -z "$given" ] || die "$given does not work as $name here"
    else
      [ "$p" = "$(cat "dist/tools/$name" 2>/dev/null)" ] || { echo "$p" >"dist/tools/$name"; say "$name is $p"; }
      return
    fi
  done
  return 1
}

# from_emsdk VERSION: the SDK's own installer, where its repository answers.
from_emsdk() {
  local url=https://github.com/emscripten-core/emsdk root=$CACHE/emsdk-$1
  command -v python3 git timeout >/dev/null && export GIT_TERMINAL_PROMPT=0 &&
    timeout 15 git ls-remote --exit-code $url "refs/tags/$1" >/dev/null 2>&1 ||
    { say "$url does not answer"; return 1; }
  say "making $root: Emscripten $1 from $url"
  rm -rf "$root"
  git -c advice.detachedHead=false clone -q --depth 1 --branch "$1" $url "$root" &&
    "$root/emsdk" install "$1" >&2 && "$root/emsdk" activate "$1" >&2 || { rm -rf "$root"; return 1; }
}

# from_debian NAME PACKAGE...: unpack packages of Debian stable, with all they need, in $CACHE, and make them run
# from there. apt gets a state of its own and an empty list of installed packages: the system is read, never changed.
from_debian() {
  local name=$1 keys=/usr/share/keyrings/debian-archive-keyring.gpg apt=$CACHE/$DEBIAN-$1/apt
  root=$CACHE/$DEBIAN-$1; shift
  grep -qsx ID=debian /etc/os-release || return 0
  mkdir -p "$CACHE"; exec 9>"$root.lock"; flock 9
  [ ! -e "$root/ready" ] || return 0
  trap '[ -e "$root/ready" ] || { say "could not make $root: $hint"; rm -rf "$root"; }' EXIT
  trap 'exit 130' INT TERM HUP
  say "making $root from Debian's packages: $*"
  rm -rf "$root"; mkdir -p "$apt"/{lists,archives}/partial "$apt/conf"; : >"$apt/status"
  ln -s usr/lib usr/lib64 "$root"
  # The machine's proxy settings hold; its hooks do not run, and further indexes (apt-file's) are not fetched.
  { grep -LsZE 'Invoke|IndexTargets' /etc/apt/apt.conf.d/* || true; } | xargs -0r cp -t "$apt/conf"
  printf '%s "%s";\n' Dir::State "$apt" Dir::State::lists "$apt/lists" Dir::State::status "$apt/status" \
    Dir::Cache "$apt" Dir::Etc::parts "$apt/conf" APT::Sandbox::User root APT::Install-Recommends false \
    Acquire::Languages none >"$apt/apt.conf"
  export APT_CONFIG=$apt/apt.conf
  debian() { apt-get -qq -o Dir::Etc::sourcelist="$apt/list" -o Dir::Etc::sourceparts=/dev/null "$@"; }

  # The machine's Debian mirrors are the sources whose index says so, whatever form its own list has.
  apt-get -qq update -o Acquire::IndexTargets::deb::Packages::DefaultEnabled=false || true
  apt-get update --print-uris | sed -n "s,^'\(.*\)/dists/\([^']*\)/InRelease' \([^ ]*\) .*,\1 \2 \3,p" |
    while read -r uri suite index; do
      grep -qsx 'Origin: Debian' "$apt/lists/$index" || continue
      case $suite in *security* | */updates) suite=$DEBIAN-security ;; *-*) continue ;; *) suite=$DEBIAN ;; esac
      echo "deb [signed-by=$keys] $uri $suite main"
    done | sort -u >"$apt/list"
  [ -s "$apt/list" ] || die "no Debian mirror among apt's sources answers"
  debian update
  debian install --print-uris "$@" |
    awk '{ n++; s += $3 } END { printf "fetching %d packages, %d MB\n", n, s / 1e6 }' >&2
  debian -y install --download-only "$@"
  say "unpacking them"
  printf '%s\0' "$apt"/archives/*.deb | xargs -0 -n1 -P"$(nproc)" bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" |
    tar -xC "$0" --no-same-owner --no-same-permissions --exclude="./usr/share/doc/*" \
      --exclude="./usr/share/emscripten/test" --exclude="*/wasm32-emscripten/*/*" \
      --exclude="*/wasm32-emscripten/lib*-mt*.a"' "$root"

  # Programs start by the private loader, and find the private libraries before any of the system.
  say "making them run from there"
  local libs loader; libs=$(echo "$root"/usr/lib/*-linux-gnu) loader=$(echo "$libs"/ld-linux*.so.?)
  patch() { "$loader" --library-path "$libs" "$root/usr/bin/patchelf" "$@" 2>/dev/null; }
  find "$root/usr" -type f \( -path '*/bin/*' -o -path '*/usr/lib/chromium/*' -o -name '*.so*' \) \
    ! -name patchelf ! -name 'python3*' ! -name 'libc.so*' |
    while read -r f; do
      head -c4 "$f" | grep -aq ELF || continue
      local start=() path; path=$(patch --print-rpath "$f" || true)
      if patch --print-interpreter "$f" >/dev/null; then start=(--set-interpreter "$loader")
      elif [ -z "$path" ]; then continue; fi
      patch "${start[@]}" --force-rpath --set-rpath "$(sed "s,\(^\|:\)/,\1$root/,g" <<<"$path")${path:+:}$libs" "$f"
    done
  "wrap_$name" "$root" "$libs" "$loader"
  rm -rf "$apt"; touch "$root/ready"
  say "made $root: $(du -sh "$root" | cut -f1) in $SECONDS s"
}
# from_npm ROOT: the browser and the fonts of tests/browser/package-lock.json, which has their checksums.
from_npm() {
  local root=$1 part
  [ "$(uname -sm)" = 'Linux x86_64' ] || return 0
  mkdir -p "$CACHE"; exec 9>"$root.lock"; flock 9
  [ ! -e "$root/ready" ] || return 0
  say "making $root from the packages of tests/browser/package-lock.json"
  rm -rf "$root"; mkdir -p "$root/fonts"
  cp tests/browser/package*.json .npmrc "$root"
  npm ci --prefix "$root" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || { rm -rf "$root"; return 0; }
  unpack() { node -e 'process.stdin.pipe(zlib.createBrotliDecompress()).pipe(process.stdout)' <"$packed/$1"; }
  local packed=$root/node_modules/@sparticuz/chromium/bin
  unpack chromium.br >"$root/chrome"
  for part in al2023 swiftshader fonts; do unpack $part.tar.br | tar -xC "$root" --no-same-owner; done
  cp "$root"/node_modules/dejavu-fonts-ttf/ttf/*.ttf "$root/fonts"
  echo "<fontconfig><dir>$root/fonts</dir><cachedir>$root/cache</cachedir></fontconfig>" >"$root/fonts.conf"
  chmod +x "$root/chrome"; rm -rf "$root/node_modules"
  script "$root/chromium" "FONTCONFIG_FILE='$root/fonts.conf' LD_LIBRARY_PATH='$root/lib' exec '$root/chrome' \"\$@\""
  touch "$root/ready"
  say "made $root: $(du -sh "$root" | cut -f1) in $SECONDS s"
}
script() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
wrap_toolchain() {
  local llvm; llvm=$(echo "$1"/usr/lib/llvm-*)
  printf "%s = '%s'\n" LLVM_ROOT "$llvm/bin" BINARYEN_ROOT "$1/usr" NODE_JS node \
    CACHE "$1/usr/share/emscripten/cache" >"$1/em_config"
  # patchelf breaks Python, which is not position-independent; -E, which emcc sets, rules PYTHONHOME out
  rm "$1/usr/bin/python3"
  script "$1/usr/bin/python3" \
    "exec '$3' --library-path '$2' --argv0 '$1/usr/bin/python3' '$1'/usr/bin/python3.?? \"\$@\""
  for p in emcc em-config; do
    script "$1/$p" "EM_CONFIG='$1/em_config' PYTHON='$1/usr/bin/python3' exec '$1/usr/share/emscripten/$p' \"\$@\""
  done
  script "$1/cc" "exec '$llvm/bin/clang' --sysroot='$1' -fuse-ld=lld -Wno-unused-command-line-argument \
    -Wl,--dynamic-linker='$3' -Wl,-rpath,'$2' \"\$@\""
}
wrap_browser() {
  echo "<fontconfig><dir>$1/usr/share/fonts</dir><cachedir>$1/fonts</cachedir><alias><family>monospace</family>
    <prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>" >"$1/fonts.conf"
  script "$1/chromium" "FONTCONFIG_FILE='$1/fonts.conf' exec '$1/usr/lib/chromium/chromium-headless-shell' \"\$@\""
}

# ---- The programs: works_NAME tries one, find_NAME finds or makes it.
works_emcc() {
  printf '%s\n' "$EMSCRIPTEN" "$("$1" --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" | sort -VC &&
    echo 'int f(void) { return 0; }' >dist/tools/try.c &&
    "$1" -O3 -msimd128 -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_f dist/tools/try.c -o dist/tools/try.wasm >&2
}
find_emcc() {
  local mine=("$CACHE/emsdk-$EMSCRIPTEN/upstream/emscripten/emcc" "$CACHE/$DEBIAN-toolchain/emcc")
  hint="install Emscripten $EMSCRIPTEN or later (https://emscripten.org), or set EMCC="
  if ! use emcc "${EMCC:-}" emcc "${mine[@]}"; then
    say "Emscripten $EMSCRIPTEN or later is not installed, so a private one is made"
    from_emsdk "$EMSCRIPTEN" || from_debian toolchain "${TOOLCHAIN[@]}"
    use emcc '' "${mine[@]}" || die "no Emscripten: $hint"
  fi
}

works_cc() {
  rm -f dist/tools/trial; echo 'int main(void) { return 0; }' >dist/tools/trial.c
  "$1" "${FLAGS[@]}" dist/tools/trial.c -lm -o dist/tools/trial 2>/dev/null && dist/tools/trial
}
find_cc() {
  FLAGS=("$@")
  hint="install clang or gcc with its sanitizers, or set CC="
  if ! use cc "${CC:-}" cc clang gcc "$CACHE/$DEBIAN-toolchain/cc"; then
    from_debian toolchain "${TOOLCHAIN[@]}"
    use cc '' "$CACHE/$DEBIAN-toolchain/cc" || die "no C compiler with ASan and UBSan: $hint"
  fi
}

works_chromium() { node tests/browser/works.mjs "$1" >/dev/null 2>&1; }
find_chromium() {
  local pinned others found
  pinned=$CACHE/browser-$(cksum <tests/browser/package-lock.json | cut -d' ' -f1)
  others=(chromium chromium-browser google-chrome google-chrome-stable)
  hint="install chromium, or set CHROMIUM="
  export PLAYWRIGHT_BROWSERS_PATH=$CACHE/playwright
  mine() {
    printf '%s\n' "$pinned/chromium" "$CACHE/$DEBIAN-browser/chromium"
    find "$PLAYWRIGHT_BROWSERS_PATH" -type f -perm -u+x -name '*headless*shell' 2>/dev/null || true
  }
  if [ -n "${CHROMIUM:-}" ]; then use chromium "$CHROMIUM"; return; fi
  from_npm "$pinned"
  if ! use chromium '' "$pinned/chromium"; then
    from_debian browser "${BROWSER[@]}"
    [ -e "$CACHE/$DEBIAN-browser" ] || node_modules/.bin/playwright-core install --only-shell chromium >&2 || true
    mapfile -t found < <(mine)
    use chromium '' "${found[@]}" "${others[@]}" || die "no browser for the tests: $hint"
  fi
}

case ${1:-} in
  emcc | cc | chromium) "find_$1" "${@:2}" ;;
  *) die "usage: src/tools/tools.sh emcc | cc FLAGS... | chromium" ;;
esac
