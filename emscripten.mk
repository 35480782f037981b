# Compiles the C, and makes dist/ of it: the modules, the package, the page. `npm start`, `npm test` and other scripts of
# package.json call it first.
#   build    dist/                                           native   the tests of the C
#   sdk      find Emscripten, or make a private one          chromium the same for the tests' browser
#   docs     the reference, dist/docs                        lint     the C's format and the shell's syntax
#   coverage, checked, mutants   the C as `npm run coverage`, `check-heap` and `mutate` need it
#   clean    remove dist/; the tools that src/tools/tools.sh has made stay in ~/.cache/glassformer
# EMCC=, CC=, CHROMIUM= name a program to use.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL .SILENT .DELETE_ON_ERROR .SECONDARY:
.PHONY: build native sdk chromium docs lint coverage checked mutants clean FORCE
$(if $(filter oneshell,$(.FEATURES)),,$(error GNU make 4 is needed, this is $(MAKE_VERSION)))
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN) --no-print-directory

# ---- Sources. A new file is found by its place; C folders are flat.
C_SHARED := $(wildcard $(addprefix src/,$(addsuffix /*.c,kernel op model train)))
C_WASM := $(C_SHARED) $(wildcard src/wasm/*.c)
C_TESTS := $(wildcard $(addprefix tests/,$(addsuffix /*.c,kernel op model train wasm)))
JS := $(shell find src/js -type f)
SETTINGS := dist/generated/settings.js
TASKS := $(wildcard src/tasks/*.js)
WEB := $(shell find web -type f ! -name '*.mjs' 2>/dev/null)
# A style that a script imports comes with that script.
FEATURE_STYLES := $(foreach f,$(wildcard web/explore/features/*.css),\
  $(if $(shell grep -l "'./$(notdir $f)'" web/explore/features/*.js),,$f))
ELEMENTS := $(filter web/elements/% web/draw/%,$(WEB))
CLAIMS := $(wildcard src/claims/*.js src/claims/shared/*.js)
WEB_STATIC := $(filter-out %.js %.css %.ts %.md web/screenshots/%,$(WEB))
C_FILES := $(foreach e,c h def py,$(wildcard src/*/*.$e web/*/*.$e tests/*.$e tests/*/*.$e))

# ---- Flags. The relaxed variant is the same sources, which test __wasm_relaxed_simd__. Only these kernels gain by -O3.
# kernel/ and op/ work on whole tensors; their callers are as small as can be, and so is quant, which is as quick so.
FAST := $(patsubst %,src/kernel/%.c,activation few matmul norm softmax tile)
SMALL := src/model/%.c src/train/%.c src/kernel/quant.c src/op/patch.c src/wasm/api.c src/wasm/changed.c src/op/attention.c
COMMA := ,
WARN := -std=c11 -Wall -Wextra -Werror -ffp-contract=off
SIMD_simd := -msimd128
SIMD_relaxed := -msimd128 -mrelaxed-simd
WASM_C := $(WARN) -fno-math-errno -DNDEBUG
WASM_LD := -Os -mbulk-memory -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=@src/wasm/exports.txt -sSTACK_SIZE=256KB \
  -sINITIAL_MEMORY=1MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sABORTING_MALLOC=0 -sMALLOC=emmalloc -sFILESYSTEM=0
# The same objects, linked so that each access of memory and the depth of the stack are checked; not shipped.
CHECKED = -O1 -sSAFE_HEAP=1 -sSTACK_OVERFLOW_CHECK=2 -sASSERTIONS=1 -sEXPORTED_FUNCTIONS=@$$(@:.wasm=.txt)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
WRAP_HEAP := $(addprefix -Wl$(COMMA)--wrap=,malloc calloc aligned_alloc free)
NATIVE_C := -O1 -g $(WARN) $(SANITIZE)
PLAIN_C := -O1 $(WARN)
BIN := node_modules/.bin
ENTRIES := index core checkpoints tokenizers derivatives features onnx worker
TYPES := dist/types/src/js/entries/index.d.ts

build: node_modules/.ready $(foreach v,simd relaxed,dist/$v.wasm dist/$v.wasm.js) \
  dist/js/index.js dist/models/creek.safetensors dist/checkpoints/.ready \
  dist/web/index.html $(TYPES) dist/API.md
native: $(patsubst tests/%.c,dist/native/%,$(C_TESTS))
sdk: dist/tools/emcc
chromium: dist/tools/chromium
coverage: $(patsubst tests/%.c,dist/coverage/%,$(C_TESTS))
checked: dist/checked/simd.wasm dist/checked/relaxed.wasm
mutants: $(foreach k,plain native,$(patsubst %.c,dist/obj/$k/%.o,$(C_SHARED) $(filter-out tests/wasm/%,$(C_TESTS))))
	printf '%s\n' '$(PLAIN_C)' '$(NATIVE_C)' >dist/obj/flags

# The reference: TypeDoc, which it installs apart, on the types, the module's tensors and tests/programs.
docs: dist/docs/index.html
dist/docs/index.html: $(TYPES) dist/simd.wasm $(wildcard src/docs/*.* src/docs/guides/* tests/programs/*.*)
	node src/docs/build.mjs dist/docs
	touch $@
# clang-format leaves comments and strings as long as they are, and nothing formats Python: lines are measured, and
# what the page gives out must compile.
lint: node_modules/.ready
	$(BIN)/clang-format --dry-run -Werror $(filter %.c %.h,$(C_FILES))
	! LC_ALL=C.UTF-8 grep -nE '.{121}' $(filter-out tests/checkpoints/%,$(C_FILES)) src/tools/tools.sh .ci/run || { echo "lint: beyond 120 columns" >&2; exit 1; }
	! command -v python3 >/dev/null || PYTHONPYCACHEPREFIX=dist/obj python3 -m py_compile src/docs/continue.py
	for f in src/tools/tools.sh .ci/run; do bash -n "$$f"; done
	! command -v shellcheck >/dev/null || shellcheck --severity=warning src/tools/tools.sh .ci/run
	echo "lint: clean"
clean:
	rm -rf dist

# ---- C to WebAssembly, and to native programs that the sanitizers watch.
# Emscripten exports some functions of its own as well; only those of the reviewed list are kept.
define variant
dist/obj/$1/%.o: %.c emscripten.mk dist/tools/emcc
	mkdir -p $$(@D); echo "emcc $1 $$<"
	"$$$$(<dist/tools/emcc)" $(WASM_C) $$(if $$(filter $(FAST),$$<),-O3,$$(if $$(filter $(SMALL),$$<),-Oz,-Os)) $(SIMD_$1) \
	  -MMD -MP -c $$< -o $$@
dist/$1.wasm: $(C_WASM:%.c=dist/obj/$1/%.o) src/wasm/exports.txt
	emcc=$$$$(<dist/tools/emcc)
	"$$$$emcc" $(WASM_LD) $(SIMD_$1) $$(filter %.o,$$^) -o dist/obj/$1.wasm
	printf '_memory\n__initialize\n' | cat - src/wasm/exports.txt |
	  sed -nE 's/^_(.+)/{"name":"\1","export":"\1","root":true},/p' | sed '1s/^/[/; $$$$s/,$$$$/]/' >dist/obj/$1.json
	bin="$$$$("$$$$(dirname "$$$$emcc")/em-config" BINARYEN_ROOT)/bin"
	"$$$$bin/wasm-metadce" -all -f dist/obj/$1.json dist/obj/$1.wasm -o dist/obj/$1.kept.wasm >/dev/null
	"$$$$bin/wasm-opt" -all -O3 --converge --reorder-functions --reorder-locals dist/obj/$1.kept.wasm -o $$@
	echo "$$@: $$$$(wc -c <$$@) bytes"
dist/checked/$1.wasm: $(C_WASM:%.c=dist/obj/$1/%.o) src/wasm/exports.txt
	mkdir -p $$(@D)
	printf '_emscripten_stack_get_%s\n' base end current | cat src/wasm/exports.txt - >dist/checked/$1.txt
	"$$$$(<dist/tools/emcc)" $(WASM_LD) $(CHECKED) $(SIMD_$1) $$(filter %.o,$$^) -o $$@
endef
$(foreach v,simd relaxed,$(eval $(call variant,$v)))

dist/obj/native/%.o: %.c emscripten.mk dist/tools/cc
	mkdir -p $(@D); echo "cc $<"
	"$$(<dist/tools/cc)" $(NATIVE_C) -MMD -MP -c $< -o $@
dist/obj/plain/%.o: %.c emscripten.mk dist/tools/cc
	mkdir -p $(@D); "$$(<dist/tools/cc)" $(PLAIN_C) -MMD -MP -c $< -o $@
dist/native/%: dist/obj/native/tests/%.o $(C_SHARED:%.c=dist/obj/native/%.o)
	mkdir -p $(@D); "$$(<dist/tools/cc)" $(SANITIZE) $^ -lm -o $@
# Tests of the ABI bring their own allocator: tests/wasm/heap.h.
dist/native/wasm/%: dist/obj/native/tests/wasm/%.o $(C_WASM:%.c=dist/obj/native/%.o)
	mkdir -p $(@D); "$$(<dist/tools/cc)" $(SANITIZE) $(WRAP_HEAP) $^ -lm -o $@

# The same tests once more, where the compiler counts: without sanitizers and assertions, and no function is inlined,
# as each copy would have its own counts.
dist/obj/coverage/src/%.o: src/%.c emscripten.mk dist/tools/cc
	mkdir -p $(@D); echo "cc coverage $<"
	"$$(<dist/tools/cc)" -O0 $(WARN) -DNDEBUG -Dalways_inline=unused --coverage -MMD -MP -c $< -o $@
dist/obj/coverage/tests/%.o: tests/%.c emscripten.mk dist/tools/cc
	mkdir -p $(@D); "$$(<dist/tools/cc)" -O1 $(WARN) -MMD -MP -c $< -o $@
dist/coverage/%: dist/obj/coverage/tests/%.o $(C_WASM:%.c=dist/obj/coverage/%.o)
	mkdir -p $(@D); "$$(<dist/tools/cc)" --coverage $(if $(filter wasm/%,$*),$(WRAP_HEAP)) $^ -lm -o $@
-include $(shell find dist/obj -name '*.d' 2>/dev/null)

# ---- JavaScript. What the C headers declare of settings, as types and data; node alone makes it.
$(SETTINGS): src/tools/settings.mjs $(wildcard src/*/*.h)
	node $< $@
# The package finds the modules beside itself, so their import stays as it is written.
dist/%.wasm.js: dist/%.wasm src/tools/pack.mjs node_modules/.ready
	node src/tools/pack.mjs $< $@
ESBUILD = $(BIN)/esbuild --bundle --minify --format=esm --target=es2022 --log-level=warning
# The package's entries, its tasks, its claims, its element, and one file of all for CDNs.
dist/js/index.js: $(JS) $(TASKS) $(CLAIMS) $(ELEMENTS) src/tools/build.mjs dist/simd.wasm.js dist/relaxed.wasm.js node_modules/.ready
	mkdir -p dist/obj; node src/tools/build.mjs; touch $@

# The shipped models, for the package; austen and spanish, 40 times as large, come with the page only.
dist/models/creek.safetensors: $(filter-out %/austen.safetensors %/spanish.safetensors web/models/features/%,$(filter %.safetensors,$(WEB)))
	mkdir -p $(@D); cp $^ $(@D); touch $@

# The checkpoints that the programs of the README and the guides open; tests/checkpoints/make-tiny.mjs trains two.
dist/checkpoints/.ready: $(wildcard src/docs/checkpoints/*/* tests/checkpoints/bert-classes/*)
	rm -rf $(@D); mkdir -p $(@D); cp -r src/docs/checkpoints/* tests/checkpoints/bert-classes $(@D); touch $@

# Laid out as the sources, so that a path from one to another holds.
$(TYPES): $(JS) $(SETTINGS) $(TASKS) $(CLAIMS) $(ELEMENTS) node_modules/.ready src/tools/types.mjs $(wildcard src/tools/types/*.mjs)
	node src/tools/types.mjs dist/types $(ENTRIES:%=src/js/entries/%.js) src/tasks/index.js src/claims/index.js web/elements/index.js
	cp src/js/module.d.ts dist/types/src/js; echo 'declare const script: string; export default script;' >dist/types/src/js/worker-thread.d.ts; touch $@
dist/API.md: $(TYPES) package.json src/tools/reference.mjs
	node src/tools/reference.mjs $@

dist/faces/serif.woff2: src/tools/faces.mjs node_modules/.ready $(filter %.js %.css %.html %.json,$(WEB)) $(CLAIMS) $(JS)
	mkdir -p dist/obj; node $< $(@D) dist/obj/faces.txt $(filter-out $< node_modules/.ready,$^); touch $@
dist/web/index.html: LICENSE THIRD_PARTY.md $(WEB) $(CLAIMS) $(SETTINGS) src/tools/precache.mjs src/tools/bundle.mjs emscripten.mk dist/js/index.js dist/faces/serif.woff2
	rm -rf dist/web; mkdir -p dist/web; cp -r dist/faces dist/web
	printf "@import '../../%s';\n" web/app/style.css $(sort $(FEATURE_STYLES)) >dist/obj/style.css
	$(ESBUILD) --sourcemap --external:*.woff2 --outfile=dist/web/style.css dist/obj/style.css
	node src/tools/bundle.mjs dist/web glassformer=dist/js/index.js glassformer/worker=dist/js/worker.js \
	  glassformer/core=dist/js/core.js glassformer/tokenizers=dist/js/tokenizers.js \
	  glassformer/features=dist/js/features.js glassformer/tasks=dist/tasks/index.js \
	  main=web/app/main.js start=web/app/start.js worker=web/engine/worker.js trainer=web/train/run/worker.js \
	  claims=web/claims/worker.js tokenizer=web/app/own/tokenizer-worker.js
	for f in $(WEB_STATIC:web/%=%); do mkdir -p "dist/web/$$(dirname "$$f")"; cp "web/$$f" "dist/web/$$f"; done
	mapfile -t precache < <(node src/tools/precache.mjs dist/web)
	$(ESBUILD) "$${precache[@]}" --outfile=dist/web/service-worker.js web/app/service-worker.js
	cp LICENSE THIRD_PARTY.md dist/web # for who serves the folder; readers do not fetch them
	touch $@
node_modules/.ready: package-lock.json
	node -e 'const [major, minor] = process.versions.node.split("."); process.exit(+(major < 20 || (major == 20 && minor < 19)))' ||
	  { echo "Node.js 20.19 or later is needed, this is $$(node --version): https://nodejs.org" >&2; exit 1; }
	echo "npm: installing the packages of package-lock.json" >&2
	npm ci --ignore-scripts --include=dev --no-audit --no-fund --loglevel=error
	touch $@
# ---- Programs. dist/tools/X holds the path of the one in use; src/tools/tools.sh finds or makes it.
# A tool is looked for again when it is gone, or when the user names another; make's own CC is no such name.
chosen = $(shell p=$$(cat dist/tools/$1 2>/dev/null) && [ -x "$$p" ] && \
  { [ -z "$2" ] || [ "$$p" = "$$(command -v "$2")" ]; } || echo FORCE)
CC := $(if $(filter-out default,$(origin CC)),$(CC))
dist/tools/emcc: $(call chosen,emcc,$(EMCC))
	bash src/tools/tools.sh emcc
dist/tools/cc: $(call chosen,cc,$(CC))
	bash src/tools/tools.sh cc $(NATIVE_C)
# One that was named once is not used when none is named.
dist/tools/chromium: $(or $(call chosen,chromium,$(CHROMIUM)),$(if $(CHROMIUM)$(findstring /glassformer/,$(shell cat dist/tools/chromium)),,FORCE)) node_modules/.ready tests/browser/package-lock.json
	bash src/tools/tools.sh chromium
