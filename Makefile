# warpglass. `make help` lists the targets. Plain GNU make; never installs anything.
#
# Every compiler and sanitizer builds into its own folder: build/gcc, build/clang, build/gcc-address,undefined …
#
#     make CC=clang test          make SAN=address,undefined test T=unit/kv          make BUILD=/tmp/mine
#
# Sources are found, not listed: src/*/*.c, tests/<suite>/*.c, tests/<suite>/*.sh, tests/fuzz/*.c.

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

# ---- what the caller may set ----------------------------------------------------------------------------
ifeq ($(origin CC),default)
CC := gcc
endif
HOSTCC  ?= $(if $(findstring aarch64,$(CC)),gcc,$(CC))
AR      ?= ar
CFLAGS  ?= -g
SAN     ?=
COVER   ?=
T       ?=
LOOSE   ?=
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
JOBS    ?= 2
V       ?=

# ---- derived --------------------------------------------------------------------------------------------
MACHINE := $(shell $(CC) -dumpmachine)
B := $(BUILD)/$(notdir $(CC))$(if $(SAN),-$(SAN))$(if $(COVER),-cover)

# Libraries of the program, and those that only tests need (by their pkg-config names).
LIBRARIES      := jansson libzstd liblz4
STATIC_LIBRARIES := libzstd liblz4
TEST_LIBRARIES := cmocka mpfr
IS_CROSS       := $(findstring aarch64,$(CC))

PROGRAM_GOALS := $(filter-out help clean layers sizes,$(or $(MAKECMDGOALS),all))
ifneq ($(PROGRAM_GOALS),)
MISSING := $(foreach l,$(LIBRARIES),$(shell pkg-config --exists $(l) || echo $(l)))
ifneq ($(strip $(MISSING)),)
$(error pkg-config does not find $(MISSING): ./demo or ./test install what is missing on Debian)
endif
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
            -Wundef -Wimplicit-fallthrough -Werror
COMMON := -std=gnu17 $(WARNINGS) -fno-common -fPIC -fvisibility=hidden -ffp-contract=off -pthread -Isrc -D_GNU_SOURCE $(CFLAGS)

# The fuzzer's own main is linked into fuzz targets only.
ifneq ($(SAN),)
SAN_FLAGS := -fno-omit-frame-pointer -fno-sanitize-recover=all
COMPILE_SAN := $(SAN_FLAGS) -fsanitize=$(subst fuzzer,fuzzer-no-link,$(SAN))
LINK_SAN := $(COMPILE_SAN)
FUZZ_SAN := $(SAN_FLAGS) -fsanitize=$(SAN)
endif
ifneq ($(COVER),)
COMPILE_SAN += --coverage
LINK_SAN += --coverage
endif
OPTIMIZE         := $(if $(SAN)$(COVER),-O1,-O2)
OPTIMIZE_HANDLER := $(if $(SAN)$(COVER),-O1,-O3)

# The lane handlers exist once per x86-64 level, chosen at start; on other machines once. They change the rounding
# direction: clang turns 0 into -0 when rounding down unless it is told so.
ifneq ($(findstring x86_64,$(MACHINE)),)
HANDLER_LEVELS := base v3 v4
COMMON += -DHAVE_HANDLER_LEVELS=1
else
HANDLER_LEVELS := base
endif
LEVEL_FLAGS_base :=
LEVEL_FLAGS_v3 := -march=x86-64-v3
LEVEL_FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512
HANDLER_FLAGS := $(OPTIMIZE_HANDLER) \
    $(if $(findstring clang,$(CC)),-fno-unroll-loops -frounding-math,-fno-trapping-math)

# Cross compilation only makes objects: the libraries' headers do not depend on the machine.
ifneq ($(IS_CROSS),)
LIBRARY_CFLAGS := -isystem $(B)/include
LIBRARY_LIBS :=
else
LIBRARY_CFLAGS := $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null)
# What decompresses device code is linked statically where the system has the archive.
archive_of = $(filter /%,$(shell $(CC) -print-file-name=$(1).a))
LIBRARY_LIBS   := $(shell pkg-config --libs $(filter-out $(STATIC_LIBRARIES),$(LIBRARIES)) 2>/dev/null) \
    $(foreach l,$(STATIC_LIBRARIES),$(or $(call archive_of,$(l)),$(shell pkg-config --libs $(l) 2>/dev/null)))
endif
TEST_CFLAGS = $(shell pkg-config --cflags $(TEST_LIBRARIES)) -Itests
TEST_LIBS   = $(shell pkg-config --libs $(TEST_LIBRARIES))

# ---- files ----------------------------------------------------------------------------------------------
SOURCES := $(filter-out src/cuda/%,$(sort $(wildcard src/*/*.c)))
MAIN    := $(wildcard src/cli/main.c)
LEVELED := $(filter src/simt/handlers.c,$(SOURCES))
# Compiled for speed: the lane handlers, and the counting that every memory instruction goes through.
HANDLERS := $(filter src/simt/handlers% src/simt/cold.c src/mem/banks.c src/mem/coalesce.c src/mem/repair.c,$(SOURCES))
PLAIN   := $(filter-out $(MAIN) $(LEVELED),$(SOURCES))

EMBEDDED := $(B)/embedded_devices.o $(B)/embedded_headers.o $(B)/embedded_web.o
OBJECTS := $(PLAIN:%.c=$(B)/%.o) $(foreach l,$(if $(LEVELED),$(HANDLER_LEVELS)),$(B)/src/simt/handlers_$(l).o) \
           $(EMBEDDED)
LIBRARY := $(B)/libwarpglass_core.a
PROGRAM := $(B)/warpglass

# What `warpglass run` puts into programs: the simulator and the runtime, and thin libraries under CUDA's names.
CUDART_MAJORS := 11.0 12 13
RUNTIME_OBJECTS := $(filter-out $(B)/src/cli/% $(B)/src/report/% $(B)/embedded_headers.o,$(OBJECTS))
RUNTIME := $(B)/lib/libwarpglass.so
RUNTIMES := $(RUNTIME) $(CUDART_MAJORS:%=$(B)/lib/libcudart.so.%) $(B)/lib/libcuda.so.1

# A test's name is its path below tests/ without .c: unit/kv, cli/occupancy.sh.
TEST_SUITES   := $(filter-out data support fuzz,$(patsubst tests/%/,%,$(sort $(wildcard tests/*/))))
TEST_SOURCES  := $(foreach s,$(TEST_SUITES),$(sort $(wildcard tests/$(s)/*.c)))
TEST_SCRIPTS  := $(foreach s,$(TEST_SUITES),$(sort $(wildcard tests/$(s)/*.sh)))
FUZZ_SOURCES  := $(filter-out tests/fuzz/replay.c,$(sort $(wildcard tests/fuzz/*.c)))
FUZZ_NAMES    := $(FUZZ_SOURCES:tests/fuzz/%.c=%)
SUPPORT       := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/support/*.c)))
ALL_TESTS     := $(TEST_SOURCES:tests/%.c=%) $(TEST_SCRIPTS:tests/%=%) $(FUZZ_NAMES:%=fuzz/%) \
                 tree/layers.sh tree/sizes.sh
TESTS         := $(if $(T),$(foreach t,$(T),$(filter $(t) $(t).sh $(t)/%,$(ALL_TESTS))),$(ALL_TESTS))
TEST_PROGRAMS := $(patsubst %,$(B)/tests/%,$(filter-out %.sh,$(TESTS)))

# ---- building -------------------------------------------------------------------------------------------
# One short line per file; V=1 shows the commands.
Q := $(if $(V),,@)
say = @$(if $(V),:,echo "  $1")

.PHONY: FORCE
all: $(if $(MAIN),$(PROGRAM),$(LIBRARY)) $(RUNTIMES) ## the program (the default)
ifeq ($(B),$(BUILD)/gcc)
	@ln -sfn gcc/warpglass $(BUILD)/warpglass
endif

# Objects depend on the command line that makes them and the library on the list of its objects; each file changes
# only when what it says does.
FLAGS_NOW := $(CC) $(COMMON) $(COMPILE_SAN) $(OPTIMIZE) $(HANDLER_FLAGS) $(LIBRARY_CFLAGS)
$(B)/flags: FORCE
	@mkdir -p $(B)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@
$(B)/objects: FORCE
	@mkdir -p $(B)
	@printf '%s\n' '$(OBJECTS)' | cmp -s - $@ || printf '%s\n' '$(OBJECTS)' > $@

# LOOSE=1 leaves out what does not compile, so that one broken file does not stop work on another.
define compile
@mkdir -p $(@D)
$(call say,$@)
$(Q)$(CC) $(COMMON) $(COMPILE_SAN) $(OPTIMIZE) $(LIBRARY_CFLAGS) $(1) -MMD -MP -c $< -o $@ $(if $(LOOSE),|| rm -f $@)
endef

$(B)/src/%.o: src/%.c $(B)/flags | $(if $(IS_CROSS),$(B)/include)
	$(call compile,$(if $(filter $<,$(HANDLERS)),$(HANDLER_FLAGS)))

$(B)/src/simt/handlers_%.o: src/simt/handlers.c $(B)/flags | $(if $(IS_CROSS),$(B)/include)
	$(call compile,$(HANDLER_FLAGS) $(LEVEL_FLAGS_$*) -DHANDLER_LEVEL=$*)

$(B)/tests/%.o: tests/%.c $(B)/flags
	$(call compile,$(TEST_CFLAGS))

$(B)/embedded_%.o: $(B)/embedded_%.c $(B)/flags
	$(call compile)

$(B)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(HOSTCC) -std=gnu17 -Wall -Wextra -O1 $< -o $@

DEVICE_FILES := $(sort $(wildcard devices/*.dev devices/base/*.dev))
HEADER_FILES := $(sort $(wildcard src/cuda/*.h src/cuda/*/*))
# The folders stand among the prerequisites so that a removed file is noticed.
$(B)/embedded_devices.c: $(B)/embed $(DEVICE_FILES) $(wildcard devices devices/base)
	$(Q)$(B)/embed embedded_devices devices $(DEVICE_FILES) > $@
$(B)/embedded_headers.c: $(B)/embed $(HEADER_FILES) $(wildcard src/cuda src/cuda/*/)
	$(Q)$(B)/embed embedded_headers src/cuda $(HEADER_FILES) > $@

# The page of --html, with the chart library where `make charts` has fetched it.
WEB_FILES := $(sort $(wildcard src/report/web/*) $(wildcard $(BUILD)/charts/uplot.*))
$(B)/embedded_web.c: $(B)/embed $(WEB_FILES) $(wildcard src/report/web $(BUILD)/charts)
	@rm -rf $(B)/web && mkdir -p $(B)/web && cp $(WEB_FILES) $(B)/web
	$(Q)$(B)/embed embedded_web $(B)/web $(addprefix $(B)/web/,$(sort $(notdir $(WEB_FILES)))) > $@

.PHONY: charts
charts: ## fetch the chart library of --html from the npm registry (then make again)
	$(Q)tools/charts.sh $(BUILD)/charts

$(B)/include: $(B)/flags
	@rm -rf $@ && mkdir -p $@
	@for h in jansson.h jansson_config.h zstd.h zstd_errors.h lz4.h; do \
	    find /usr/include -maxdepth 2 -name $$h -exec ln -sf {} $@/$$h \; ; done

$(LIBRARY): $(OBJECTS) $(B)/objects
	@rm -f $@
	$(Q)$(AR) rcs $@ $(if $(LOOSE),$$(ls $(OBJECTS) 2>/dev/null),$(OBJECTS))

$(PROGRAM): $(MAIN:%.c=$(B)/%.o) $(LIBRARY)
	$(call say,$@)
	$(Q)$(CC) $(COMMON) $(LINK_SAN) $^ $(LIBRARY_LIBS) -lm -o $@

# Exports the bodies of API functions (wg_…), nothing else; needs nothing but the C library. Initialised before all other
# libraries, and bound at once: it changes code of the program before that runs (rt/redirect.c).
$(RUNTIME): $(RUNTIME_OBJECTS)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) -shared $(COMMON) $(LINK_SAN) -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,initfirst -Wl,-z,now $(if $(SAN),,-Wl,-z,defs) $^ $(LIBRARY_LIBS) -lm -o $@

$(B)/lib/libcudart.so.%: src/rt/stubs/cudart.c $(wildcard src/rt/api*.def) $(RUNTIME)
	$(call say,$@)
	$(Q)printf 'libcudart.so.$* { global: cuda*; __cuda*; local: *; };\n' > $@.map
	$(Q)$(CC) -shared -std=gnu17 -Isrc -DMAJOR=$(basename $*) -Wl,-soname,$(@F) -Wl,--version-script=$@.map \
	    -Wl,-rpath,'$$ORIGIN' $< $(RUNTIME) -o $@
	@rm -f $@.map

# The driver's library has no symbol versions.
$(B)/lib/libcuda.so.1: src/rt/stubs/cuda.c src/rt/api_driver.def $(RUNTIME)
	$(call say,$@)
	$(Q)$(CC) -shared -std=gnu17 -Isrc -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' $< $(RUNTIME) -o $@

$(FUZZ_NAMES:%=$(B)/tests/fuzz/%): $(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(if $(findstring fuzzer,$(SAN)),,$(B)/tests/fuzz/replay.o) $(LIBRARY)
	$(call say,$@)
	$(Q)$(CC) $(COMMON) $(or $(if $(findstring fuzzer,$(SAN)),$(FUZZ_SAN)),$(LINK_SAN)) $^ $(LIBRARY_LIBS) -lm -o $@

$(TEST_SOURCES:%.c=$(B)/%): $(B)/tests/%: $(B)/tests/%.o $(SUPPORT) $(LIBRARY)
	$(call say,$@)
	$(Q)$(CC) $(COMMON) $(LINK_SAN) $^ $(TEST_LIBS) $(LIBRARY_LIBS) -lm -o $@

.PHONY: all objects test-programs
objects: $(OBJECTS) $(MAIN:%.c=$(B)/%.o)
test-programs: $(if $(MAIN),$(PROGRAM)) $(if $(SAN)$(COVER),,$(RUNTIMES)) $(TEST_PROGRAMS)

# ---- testing --------------------------------------------------------------------------------------------
# A failed build counts as one failed test; what was built runs all the same.
RUN_TESTS = CC=$(CC) JOBS=$(JOBS) tools/runtests.sh $(B)

.PHONY: test test-all bless fuzz fuzz-run fuzz-merge layers sizes cover cover-print
test: ## every test with gcc; T=unit or T=unit/kv selects, CC= and SAN= choose the build
	@$(MAKE) -k -j$(JOBS) --no-print-directory test-programs; \
	    BUILD_STATUS=$$? $(RUN_TESTS) $(TESTS)

test-all: ## tests with clang, then ASan+UBSan, then FUZZ_SECONDS per fuzz target, then aarch64 objects
	@FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS) BUILD=$(BUILD) MAKE='$(MAKE)' tools/testall.sh

bless: ## rewrite the golden files of the selected tests from what the program says now
	@$(MAKE) -j$(JOBS) --no-print-directory test-programs
	@BLESS=1 $(RUN_TESTS) $(filter %.sh,$(TESTS))

fuzz: ## FUZZ_SECONDS of clang's fuzzer on each target; T=fuzz/kv selects
	@$(MAKE) --no-print-directory CC=clang SAN=fuzzer,address,undefined fuzz-run

fuzz-run:
	@$(MAKE) -k -j$(JOBS) --no-print-directory $(patsubst %,$(B)/tests/%,$(filter fuzz/%,$(TESTS))); \
	    BUILD_STATUS=$$? FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS) tools/fuzz.sh $(B) $(filter fuzz/%,$(TESTS))

fuzz-merge: ## add to the stored corpus what the last `make fuzz` found and reaches new code
	@for name in $(patsubst fuzz/%,%,$(filter fuzz/%,$(TESTS))); do d=$(BUILD)/clang-fuzzer,address,undefined; \
	    $$d/tests/fuzz/$$name -set_cover_merge=1 -use_counters=0 tests/fuzz/corpus/$$name $$d/corpus/$$name || exit 1; done

layers: ## include rules between folders, who may print, each header alone
	@CC=$(CC) tools/layers.sh

sizes: ## lengths of functions and files
	@tools/sizes.sh

cover: ## lines of src/ reached by the tests; T= selects (T=fuzz: by the fuzz corpus)
	@find $(BUILD)/gcc-cover -name '*.gcda' -delete 2>/dev/null; \
	    $(MAKE) --no-print-directory CC=gcc COVER=1 test; \
	    $(MAKE) --no-print-directory CC=gcc COVER=1 cover-print

cover-print:
	@tools/cover.sh $(B)

# ---- the rest -------------------------------------------------------------------------------------------
.PHONY: demo bench fidelity install clean help
demo: all ## the five transposes side by side
	@tools/demo.sh

fidelity: all ## simulated counts against the stored hardware results
	@tools/fidelity.sh

bench: all ## speed of the engine, warp instructions per second
	@tools/bench.sh $(PROGRAM) | tee $(BUILD)/bench.md

install: all ## to PREFIX (/usr/local), below DESTDIR if given
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/warpglass'
	install -d '$(DESTDIR)$(PREFIX)/lib/warpglass'
	install -m 755 $(RUNTIMES) '$(DESTDIR)$(PREFIX)/lib/warpglass'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/bash-completion/completions'
	$(PROGRAM) help --man > '$(DESTDIR)$(PREFIX)/share/man/man1/warpglass.1'
	$(PROGRAM) help --completion > '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/warpglass'

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'
	@echo
	@echo 'Variables: CC=gcc|clang  SAN=address,undefined  T=suite[/name]  JOBS=2  BUILD=build  PREFIX=/usr/local'
	@echo '           DESTDIR=  FUZZ_SECONDS=60  LOOSE=1 (leave out what does not compile)  V=1 (show commands)'

-include $(OBJECTS:.o=.d) $(MAIN:%.c=$(B)/%.d) $(patsubst %.c,$(B)/%.d,$(TEST_SOURCES) $(FUZZ_SOURCES)) $(SUPPORT:.o=.d)
