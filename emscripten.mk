# Glassformer's build. `npm start`, `npm test` and the `npm run` commands only call this file.
#
#   sdk      find Emscripten, or make a private one          build    dist/: the modules, the package, the page
#   start    build, then serve the page on this machine      test     build, then every test
#   golden   check reference cases: FOLDER=tests/golden      lint     types, style, format
#   train    train a shipped model: ARGS='creek --seed 2'    score    measure one: ARGS=creek
#   tasks    steps that the live tasks take: ARGS='--seeds 5'
#   bench    time us beside the peers: ARGS='peers mha --browser'
#   clean    remove dist/; what was fetched stays in ~/.cache/glassformer, and is fetched anew if that is removed
#
# EMCC=, CC= and CHROMIUM= name a program to use; FILES= names the JS tests to run; PORT= is for start. The tour of the
# page also goes to a Firefox and a WebKitWebDriver on the PATH, or at FIREFOX= and WEBKIT=; with GLASSFORMER_ENGINES=all it must.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.SILENT:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := build
.PHONY: sdk build start test golden train score tasks bench lint clean native browser packages FORCE
ifeq ($(filter oneshell,$(.FEATURES)),)
$(error GNU make 4 is needed, this is $(MAKE_VERSION))
endif
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN) --no-print-directory

EMSCRIPTEN := 3.1.69
DEBIAN := trixie
export CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/glassformer

# ---- Sources. A new file is found by its place; C rooms are flat.
C_SHARED := $(wildcard $(addprefix src/,$(addsuffix /*.c,kernel op model train)))
C_WASM := $(C_SHARED) $(wildcard src/wasm/*.c)
C_TESTS := $(wildcard $(addprefix tests/,$(addsuffix /*.c,kernel op model train)))
JS := $(wildcard src/js/*.js src/js/*.d.ts)
TASKS := $(wildcard src/tasks/*.js)
WEB := $(shell find web -type f ! -name '*.mjs' 2>/dev/null)
FEATURE_STYLES := $(filter web/explore/%/style.css,$(WEB))
ELEMENTS := $(filter web/elements/% web/draw/%,$(WEB))
WEB_STATIC := $(filter-out %.js %.css %.ts %.md web/screenshots/%,$(WEB))
JS_TESTS := $(or $(FILES),$(shell find tests -name node_modules -prune -o -name '*.test.js' -print | LC_ALL=C sort))

# ---- Flags. The relaxed variant is the same sources, which test __wasm_relaxed_simd__. Only kernels and operations have loops
# that gain by -O3; -Os for the rest saves 2.6 kB gzip.
WARN := -std=c11 -Wall -Wextra -Werror -ffp-contract=off
SIMD_simd := -msimd128
SIMD_relaxed := -msimd128 -mrelaxed-simd
WASM_C := $(WARN) -fno-math-errno -DNDEBUG
WASM_LD := -O3 -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=@src/wasm/exports.txt -sSTACK_SIZE=256KB \
  -sINITIAL_MEMORY=1MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sABORTING_MALLOC=0 -sMALLOC=emmalloc -sFILESYSTEM=0
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
NATIVE_C := -O1 -g $(WARN) $(SANITIZE)
BIN := node_modules/.bin

sdk: dist/tools/emcc
browser: dist/tools/chromium
packages: node_modules/.ready
native: $(patsubst tests/%.c,dist/native/%,$(C_TESTS))
build: $(foreach v,simd relaxed,dist/$v.wasm dist/$v.wasm.js) dist/glassformer.js dist/tasks.js dist/elements.js dist/types/index.d.ts dist/web/index.html

start: build
	exec node web/app/serve.mjs

test: build native browser
	CHROMIUM=$$(<dist/tools/chromium) exec node --test --test-reporter=spec $(JS_TESTS)

golden: build
	exec node tests/golden.mjs "$${FOLDER:-tests/golden}"

train score tasks: build
	exec node web/models/$@.mjs $${ARGS:-}

# What only the bench needs, peers and other Node versions of half a gigabyte, stays out of the project's own install.
bench: build browser tests/bench/node_modules/.ready
	CHROMIUM=$$(<dist/tools/chromium) exec node tests/bench/run.mjs $${ARGS:-}

tests/bench/node_modules/.ready: tests/bench/package-lock.json
	echo "npm: installing the packages of $<" >&2
	npm ci --prefix tests/bench --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

lint: packages
	$(BIN)/tsc
	$(BIN)/eslint --max-warnings 0 .
	$(BIN)/prettier --log-level warn --check '**/*.{js,mjs,css,html}'
	find src tests -name node_modules -prune -o -name '*.[ch]' -print0 | xargs -0r $(BIN)/clang-format --dry-run -Werror
	echo "lint: clean"

clean:
	rm -rf dist

# ---- C to WebAssembly, and to native programs that the sanitizers watch.
# Emscripten exports some functions of its own as well; only those of the reviewed list are kept.
define variant
dist/obj/$1/%.o: %.c emscripten.mk dist/tools/emcc
	mkdir -p $$(@D)
	echo "emcc $1 $$<"
	"$$$$(<dist/tools/emcc)" $(WASM_C) $$(if $$(filter src/kernel/% src/op/%,$$<),-O3,-Os) $(SIMD_$1) -MMD -MP -c $$< -o $$@
dist/$1.wasm: $(C_WASM:%.c=dist/obj/$1/%.o) src/wasm/exports.txt
	emcc=$$$$(<dist/tools/emcc)
	"$$$$emcc" $(WASM_LD) $(SIMD_$1) $$(filter %.o,$$^) -o dist/obj/$1.wasm
	printf '_memory\n__initialize\n' | cat - src/wasm/exports.txt | sed -nE 's/^_(.+)/{"name":"\1","export":"\1","root":true},/p' |
	  sed '1s/^/[/; $$$$s/,$$$$/]/' >dist/obj/$1.json
	"$$$$("$$$$(dirname "$$$$emcc")/em-config" BINARYEN_ROOT)/bin/wasm-metadce" -all -f dist/obj/$1.json dist/obj/$1.wasm -o $$@ >/dev/null
	echo "$$@: $$$$(wc -c <$$@) bytes"
endef
$(foreach v,simd relaxed,$(eval $(call variant,$v)))

dist/obj/native/%.o: %.c emscripten.mk dist/tools/cc
	mkdir -p $(@D)
	echo "cc $<"
	"$$(<dist/tools/cc)" $(NATIVE_C) -MMD -MP -c $< -o $@
dist/native/%: dist/obj/native/tests/%.o $(C_SHARED:%.c=dist/obj/native/%.o)
	mkdir -p $(@D)
	"$$(<dist/tools/cc)" $(SANITIZE) $^ -lm -o $@
-include $(shell find dist/obj -name '*.d' 2>/dev/null)

# ---- JavaScript. The package finds the modules beside itself, so their import stays as it is written.
dist/%.wasm.js: dist/%.wasm src/js/pack.mjs
	node src/js/pack.mjs $< $@

ESBUILD = $(BIN)/esbuild --bundle --minify --format=esm --target=es2022 --log-level=warning
dist/glassformer.js: $(JS) node_modules/.ready emscripten.mk
	$(ESBUILD) src/js/index.js --sourcemap=external '--external:./*.wasm.js' --outfile=$@
	echo "$@: $$(wc -c <$@) bytes"

dist/tasks.js: $(TASKS) node_modules/.ready emscripten.mk
	$(ESBUILD) src/tasks/index.js --sourcemap=external --outfile=$@

# The element carries its style sheet along, as text.
dist/obj/elements.css: $(filter %.css,$(ELEMENTS)) node_modules/.ready emscripten.mk
	$(BIN)/esbuild --bundle --minify --log-level=warning web/elements/style.css --outfile=$@

dist/elements.js: $(ELEMENTS) dist/obj/elements.css
	$(ESBUILD) web/elements/index.js --sourcemap=external --charset=utf8 --loader:.css=text --alias:elements.css=./dist/obj/elements.css --outfile=$@
	echo "$@: $$(wc -c <$@) bytes"

TYPES = $(BIN)/tsc --ignoreConfig --allowJs --declaration --emitDeclarationOnly --target es2022 --module esnext \
  --moduleResolution bundler --lib es2023,dom,dom.iterable
dist/types/index.d.ts: $(JS) $(TASKS) $(ELEMENTS) node_modules/.ready tsconfig.json
	rm -rf dist/types
	$(TYPES) --rootDir src/js --outDir dist/types src/js/index.js $(filter %.d.ts,$(JS))
	$(TYPES) --rootDir src/tasks --outDir dist/types/tasks src/tasks/index.js
	$(TYPES) --rootDir web --outDir dist/types web/elements/index.js web/elements/css.d.ts
	touch $@

dist/web/index.html: $(WEB) web/app/precache.mjs emscripten.mk dist/glassformer.js dist/simd.wasm.js dist/relaxed.wasm.js
	rm -rf dist/web
	printf "@import '../../%s';\n" web/app/style.css $(sort $(FEATURE_STYLES)) >dist/obj/style.css
	$(ESBUILD) --sourcemap --splitting --legal-comments=external --alias:glassformer=./dist/glassformer.js --outdir=dist/web main=web/app/main.js worker=web/engine/worker.js style=dist/obj/style.css
	for f in $(WEB_STATIC:web/%=%); do mkdir -p "dist/web/$$(dirname "$$f")"; cp "web/$$f" "dist/web/$$f"; done
	mapfile -t precache < <(node web/app/precache.mjs dist/web)
	$(ESBUILD) "$${precache[@]}" --outfile=dist/web/service-worker.js web/app/service-worker.js
	touch $@

node_modules/.ready: package-lock.json
	node -e 'process.exit(+(parseInt(process.versions.node) < 20))' ||
	  { echo "Node.js 20 or later is needed, this is $$(node --version): https://nodejs.org" >&2; exit 1; }
	echo "npm: installing the packages of package-lock.json" >&2
	npm ci --ignore-scripts --include=dev --no-audit --no-fund --loglevel=error
	touch $@

# ---- Programs. dist/tools/X holds the path of the one in use: named by the user, found on PATH, or made in $(CACHE).
define TOOLS
say() { echo "glassformer: $*" >&2; }
die() { say "$*"; exit 1; }

# use NAME GIVEN CANDIDATE...: note the first program that works. One that the user names must work.
use() {
  local name=$1 given=$2 p; shift 2; mkdir -p dist/tools
  for p in "${given:-$@}"; do
    p=$(command -v "$p") && works "$p" || { [ -z "$given" ] || die "$given does not work as $name here"; continue; }
    [ "$p" = "$(cat dist/tools/$name 2>/dev/null)" ] || { echo "$p" >dist/tools/$name; say "$name is $p"; }
    return
  done
  return 1
}

# from_emsdk VERSION: the SDK's own installer, where its repository answers.
from_emsdk() {
  local url=https://github.com/emscripten-core/emsdk root=$CACHE/emsdk-$1
  command -v python3 git timeout >/dev/null && export GIT_TERMINAL_PROMPT=0 &&
    timeout 15 git ls-remote --exit-code $url "refs/tags/$1" >/dev/null 2>&1 || { say "$url does not answer"; return 1; }
  say "making $root: Emscripten $1 from $url"
  rm -rf "$root"
  git -c advice.detachedHead=false clone -q --depth 1 --branch "$1" $url "$root" &&
    "$root/emsdk" install "$1" >&2 && "$root/emsdk" activate "$1" >&2 || { rm -rf "$root"; return 1; }
}

# from_debian NAME PACKAGE...: unpack packages of Debian stable, with all they need, in $CACHE, and make them run
# from there. apt gets a state of its own and an empty list of installed packages: the system is read, never changed.
from_debian() {
  local name=$1 keys=/usr/share/keyrings/debian-archive-keyring.gpg; root=$CACHE/$DEBIAN-$1 apt=$CACHE/$DEBIAN-$1/apt; shift
  grep -qsx ID=debian /etc/os-release || return 0
  mkdir -p "$CACHE"; exec 9>"$root.lock"; flock 9
  [ ! -e "$root/ready" ] || return 0
  trap '[ -e "$root/ready" ] || { say "could not make $root: $hint"; rm -rf "$root"; }' EXIT
  trap 'exit 130' INT TERM HUP
  say "making $root from Debian's packages: $*"
  rm -rf "$root"; mkdir -p "$apt"/{lists,archives}/partial "$apt/conf"; : >"$apt/status"; ln -s usr/lib usr/lib64 "$root"
  { grep -LsZ Invoke /etc/apt/apt.conf.d/* || true; } | xargs -0r cp -t "$apt/conf" # the machine's proxy holds, its hooks do not run
  printf '%s "%s";\n' Dir::State "$apt" Dir::State::lists "$apt/lists" Dir::State::status "$apt/status" Dir::Cache "$apt" \
    Dir::Etc::parts "$apt/conf" APT::Sandbox::User root APT::Install-Recommends false Acquire::Languages none >"$apt/apt.conf"
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
  debian install --print-uris "$@" | awk '{ n++; s += $3 } END { printf "fetching %d packages, %d MB\n", n, s / 1e6 }' >&2
  debian -y install --download-only "$@"
  say "unpacking them"
  printf '%s\0' "$apt"/archives/*.deb | xargs -0 -n1 -P"$(nproc)" bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" |
    tar -xC "$0" --no-same-owner --no-same-permissions --exclude="./usr/share/doc/*" --exclude="./usr/share/emscripten/test" \
      --exclude="*/wasm32-emscripten/*/*" --exclude="*/wasm32-emscripten/lib*-mt*.a"' "$root"

  # Programs start by the private loader, and find the private libraries before any of the system.
  say "making them run from there"
  local libs loader; libs=$(echo "$root"/usr/lib/*-linux-gnu) loader=$(echo "$libs"/ld-linux*.so.?)
  patch() { "$loader" --library-path "$libs" "$root/usr/bin/patchelf" "$@" 2>/dev/null; }
  find "$root/usr" -type f \( -path '*/bin/*' -o -path '*/usr/lib/chromium/*' -o -name '*.so*' \) ! -name patchelf ! -name 'python3*' ! -name 'libc.so*' |
    while read -r f; do
      head -c4 "$f" | grep -aq ELF || continue
      local start=() path; path=$(patch --print-rpath "$f" || true)
      if patch --print-interpreter "$f" >/dev/null; then start=(--set-interpreter "$loader"); elif [ -z "$path" ]; then continue; fi
      patch "${start[@]}" --force-rpath --set-rpath "$(sed "s,\(^\|:\)/,\1$root/,g" <<<"$path")${path:+:}$libs" "$f"
    done
  "wrap_$name" "$root" "$libs" "$loader"
  rm -rf "$apt"; touch "$root/ready"
  say "made $root: $(du -sh "$root" | cut -f1) in $SECONDS s"
}
script() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
wrap_toolchain() {
  local llvm; llvm=$(echo "$1"/usr/lib/llvm-*)
  printf "%s = '%s'\n" LLVM_ROOT "$llvm/bin" BINARYEN_ROOT "$1/usr" NODE_JS node CACHE "$1/usr/share/emscripten/cache" >"$1/em_config"
  # patchelf breaks Python, which is not position-independent; -E, which emcc sets, rules PYTHONHOME out
  rm "$1/usr/bin/python3"
  script "$1/usr/bin/python3" "exec '$3' --library-path '$2' --argv0 '$1/usr/bin/python3' '$1'/usr/bin/python3.?? \"\$@\""
  for p in emcc em-config; do
    script "$1/$p" "EM_CONFIG='$1/em_config' PYTHON='$1/usr/bin/python3' exec '$1/usr/share/emscripten/$p' \"\$@\""
  done
  script "$1/cc" "exec '$llvm/bin/clang' --sysroot='$1' -fuse-ld=lld -Wno-unused-command-line-argument \
    -Wl,--dynamic-linker='$3' -Wl,-rpath,'$2' \"\$@\""
}
wrap_browser() {
  echo "<fontconfig><dir>$1/usr/share/fonts</dir><cachedir>$1/fonts</cachedir>
    <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>" >"$1/fonts.conf"
  script "$1/chromium" "FONTCONFIG_FILE='$1/fonts.conf' exec '$1/usr/lib/chromium/chromium-headless-shell' \"\$@\""
}
endef
export DEBIAN

# A tool is looked for again when it is gone, or when the user names another.
chosen = $(shell p=$$(cat dist/tools/$1 2>/dev/null) && [ -x "$$p" ] && { [ -z "$2" ] || [ "$$p" = "$$(command -v "$2")" ]; } || echo FORCE)
ifeq ($(origin CC),default)
CC :=
endif
TOOLCHAIN := emscripten libclang-rt-19-dev libc6-dev patchelf

dist/tools/emcc: $(call chosen,emcc,$(EMCC))
	$(value TOOLS)
	works() {
	  printf '$(EMSCRIPTEN)\n%s\n' "$$("$$1" --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" | sort -VC &&
	    echo 'int f(void) { return 0; }' >dist/tools/try.c &&
	    "$$1" -O3 -msimd128 -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_f dist/tools/try.c -o dist/tools/try.wasm >&2
	}
	mine=("$$CACHE/emsdk-$(EMSCRIPTEN)/upstream/emscripten/emcc" "$$CACHE/$(DEBIAN)-toolchain/emcc")
	hint="install Emscripten $(EMSCRIPTEN) or later (https://emscripten.org), or set EMCC="
	if ! use emcc "$(EMCC)" emcc "$${mine[@]}"; then
	  say "Emscripten $(EMSCRIPTEN) or later is not installed, so a private one is made"
	  from_emsdk $(EMSCRIPTEN) || from_debian toolchain $(TOOLCHAIN)
	  use emcc '' "$${mine[@]}" || die "no Emscripten: $$hint"
	fi

dist/tools/cc: $(call chosen,cc,$(CC))
	$(value TOOLS)
	works() {
	  echo 'int main(void) { return 0; }' >dist/tools/trial.c
	  "$$1" $(NATIVE_C) dist/tools/trial.c -lm -o dist/tools/trial 2>/dev/null && dist/tools/trial
	}
	hint="install clang or gcc with its sanitizers, or set CC="
	if ! use cc "$(CC)" cc clang gcc "$$CACHE/$(DEBIAN)-toolchain/cc"; then
	  from_debian toolchain $(TOOLCHAIN)
	  use cc '' "$$CACHE/$(DEBIAN)-toolchain/cc" || die "no C compiler with ASan and UBSan: $$hint"
	fi

dist/tools/chromium: $(call chosen,chromium,$(CHROMIUM)) node_modules/.ready
	$(value TOOLS)
	works() { "$$1" --headless --no-sandbox --disable-gpu --user-data-dir=dist/tools/profile --dump-dom about:blank 2>/dev/null | grep -q '<html>'; }
	export PLAYWRIGHT_BROWSERS_PATH=$$CACHE/playwright
	mine() { echo "$$CACHE/$(DEBIAN)-browser/chromium"; find "$$PLAYWRIGHT_BROWSERS_PATH" -type f -perm -u+x -name '*headless*shell' 2>/dev/null || true; }
	hint="install chromium, or set CHROMIUM="
	mapfile -t found < <(mine)
	if ! use chromium "$(CHROMIUM)" chromium chromium-browser google-chrome google-chrome-stable "$${found[@]}"; then
	  from_debian browser chromium-headless-shell fonts-dejavu-core patchelf
	  [ -e "$$CACHE/$(DEBIAN)-browser" ] || $(BIN)/playwright-core install --only-shell chromium >&2 || true
	  mapfile -t found < <(mine)
	  use chromium '' "$${found[@]}" || die "no browser for the tests: $$hint"
	fi
