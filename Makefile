# Tutti. `make` builds into build/; `make demo`, `make check`; `make install PREFIX=/usr/local`. GNU make and a C17 compiler.
# CPPFLAGS, CFLAGS and LDFLAGS are the user's and are added to the project's own.
B        ?= build
,        := ,
ifeq ($(origin CC),default)
CC       := gcc
endif
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
OPT      ?= -O2 -g1
VERSION  := 0.1.0
SOVERSION := 0.1
WERROR   ?= $(if $(CI),-Werror)
WARN     := -Wall -Wextra -Wpedantic $(WERROR)
CSTD     := -std=c17 -D_GNU_SOURCE -ffp-contract=off -fvisibility=hidden -fPIC -pthread
# The library's variables of a thread, of which a call reads a hundred, are at fixed places of a thread's static block:
# no call of __tls_get_addr. They are few, so that the block has space for them where a process loads the library late.
TLS_MODEL := -ftls-model=initial-exec
FLAGS     = $(CSTD) $(WARN) $(OPT) $(EXTRA) $(FIXED) -Iinclude -I$(B)/include -MMD -MP $(CPPFLAGS) $(CFLAGS)
LINK      = $(EXTRA) $(CFLAGS) $(LDFLAGS)
JOBS     ?= $(shell nproc 2>/dev/null || echo 2)
LIBS     := -ljansson -lz -lm -lpthread -ldl
ARCH     := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)

CORE_SRC := $(wildcard src/*/*.c src/*/*/*.c)
CORE_SRC := $(filter-out src/cli/% src/gen/dnn/% src/gen/llvm/% src/wire/mpi/% src/pjrt/%,$(CORE_SRC))
# Sources compiled once per instruction set, chosen at run time (see src/gen/isa/isa.h).
ISA_SRC  := $(filter %_isa.c,$(CORE_SRC))
CORE_SRC := $(filter-out %_isa.c,$(CORE_SRC))
ifeq ($(ARCH),x86_64)
ISAS     := base avx2 avx512
else
ISAS     := base
endif
ISA_FLAGS_base   :=
ISA_FLAGS_avx2   := -mavx2 -mfma -mf16c -mbmi2
ISA_FLAGS_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mprefer-vector-width=512

# Notes of what a build is made with: each is newer than what was made before it changed. A first one is old, since objects
# that are there without it were made with the same.
noted = $(shell mkdir -p $(B); f=$(B)/$(1); new='$(subst ','\'',$(2))'; [ "$$(cat $$f 2>/dev/null)" = "$$new" ] || \
	{ [ -e $$f ] || old=1; printf '%s\n' "$$new" >$$f; [ -z "$$old" ] || touch -t 200001010000 $$f; })
$(call noted,flags,$(strip $(filter-out ccache,$(CC)) $(CSTD) $(TLS_MODEL) $(OPT) $(EXTRA) $(CPPFLAGS) $(CFLAGS)))
$(call noted,links,$(strip $(LINK) $(LIBS)))
$(call noted,places,$(CURDIR) $(abspath $(B)) $(PREFIX) $(LIBDIR))

# Before a command: says [12/720], how far the build is; nothing with -s. The commands are counted by a make that runs none.
COUNTED  := all lib tests examples benches man install $(B)/%
ifeq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
ifeq ($(TO_BUILD)$(filter-out $(COUNTED),$(MAKECMDGOALS)),)
TO_BUILD := $(shell env -u MAKEFLAGS -u MFLAGS $(MAKE) -n $(MAKEOVERRIDES) TO_BUILD=0 $(MAKECMDGOALS) 2>/dev/null | grep -c '^tools/progress\.sh ')
endif
endif
say       = $(if $(TO_BUILD),$(eval SAID += x)tools/progress.sh $(words $(SAID))/$(TO_BUILD) $(1) )

# One primitive = one file in src/op/(folder)/: the list of primitives follows the files.
PRIMS_H   := $(B)/include/op/prims.h
$(shell mkdir -p $(dir $(PRIMS_H)); new=$(PRIMS_H).$$$$; sh tools/prims.sh > $$new; \
        cmp -s $$new $(PRIMS_H) && rm $$new || mv $$new $(PRIMS_H))

# The options of every call, from the headers.
OPTIONS_H := $(B)/include/api/options.h
$(shell mkdir -p $(dir $(OPTIONS_H)); new=$(OPTIONS_H).$$$$; sh tools/options.sh > $$new || rm -f $$new $(OPTIONS_H); \
        [ ! -f $$new ] || cmp -s $$new $(OPTIONS_H) && rm $$new || mv $$new $(OPTIONS_H))

CORE_OBJ := $(foreach i,$(ISAS),$(ISA_SRC:%.c=$(B)/%.$(i).o)) $(CORE_SRC:%.c=$(B)/%.o)      # what takes longest first
# Objects that have places of this build or of the installation in them; they are not lent.
PLACED   := data/shipped base/plugin cli/compile
# Objects that are not compiled again but taken from another build: those that match a pattern of LENT, as in
# LENT="op/% gen/%.avx2.o", come from the build folder LENDER. The sanitizers' and the fuzzers' builds use it below.
lend      = $(foreach o,$(1),$(if $(filter-out $(PLACED:%=$(B)/src/%.o),$(filter $(LENT:%=$(B)/src/%),$(o))),$(o:$(B)/%=$(LENDER)/%),$(o)))
CORE_OBJ := $(call lend,$(CORE_OBJ))
# A build that has once taken objects from there notes which: its libraries are newer than the note, or made again.
ifneq ($(LENT)$(wildcard $(B)/lent),)
$(shell mkdir -p $(B); echo '$(LENT)' | cmp -s - $(B)/lent || echo '$(LENT)' >$(B)/lent)
endif
LENT_NOW := $(shell ls $(B)/lent 2>/dev/null)
CLI_OBJ  := $(call lend,$(patsubst %.c,$(B)/%.o,$(wildcard src/cli/*.c)))
# tests/plan/rows.c makes build/tests/plan_rows; what is in tests, or in a sub-room of tests/api, goes by its own name.
TEST_SRC := $(filter-out $(wildcard tests/oracle/*.c tests/attack/*.c tests/headers/*.c tests/pjrt/*.c),$(wildcard tests/*.c tests/*/*.c tests/api/*/*.c))
test_of   = $(if $(filter tests/api/%,$(1)),$(basename $(notdir $(1))),$(subst /,_,$(patsubst tests/%.c,%,$(1))))
TESTS    := $(foreach f,$(TEST_SRC),$(B)/tests/$(call test_of,$(f)))
EXAMPLES := $(patsubst examples/%.c,$(B)/examples/%,$(wildcard examples/*.c examples/guides/*.c))
GUIDES_T := $(foreach t,$(filter-out %_full.sh,$(wildcard tests/guides_*.sh)),"$(t) $(B)")
BENCHES  := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c))

# Plug-ins: built when what they stand on is there; the core links none of it.
DNN_OBJ  := $(call lend,$(patsubst %.c,$(B)/%.o,$(wildcard src/gen/dnn/*.c)))
HAVE_DNN := $(shell printf '\043include <dnnl.h>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo yes)
# LLVM is opened at run time; no part of it is needed to build.
LLVM_OBJ := $(call lend,$(patsubst %.c,$(B)/%.o,$(wildcard src/gen/llvm/*.c)))
# Libraries of PJRT are opened at run time.
PJRT_OBJ := $(call lend,$(patsubst %.c,$(B)/%.o,$(wildcard src/pjrt/*.c)))
# One file, compiled by each MPI library's own compiler, since their ABIs differ.
MPICC_openmpi ?= mpicc.openmpi
MPICC_mpich   ?= mpicc.mpich
MPIS     := $(if $(filter $(ARCH),$(shell uname -m)),$(foreach m,openmpi mpich,$(if $(shell command -v $(MPICC_$(m)) 2>/dev/null),$(m))))
PLUGINS  := $(if $(HAVE_DNN),$(B)/libtutti_dnn.so) $(B)/libtutti_llvm.so $(B)/libtutti_pjrt.so $(MPIS:%=$(B)/libtutti_mpi_%.so)

# What takes longest begins first.
LONG     := check-fuzz check-draws check-engines check-hlo-fuzz check-goldens check-guides check-threads check-mnist check-kills check-jax check-pjrt check-gpu \
            check-cuda check-amx check-cross check-valgrind check-refused check-tokenizers check-clang check-gpt

.PHONY: help docs test all lib tests examples benches bench bench-gpu bench-peers goldens clean setup demo check check-long $(LONG) check-house format-check install uninstall man dist abi ops
.DEFAULT_GOAL := all
.SECONDARY:
all: lib $(if $(CLI_OBJ),$(B)/tutti) examples
lib: $(PLUGINS) $(B)/libtutti.a $(if $(CLI_OBJ),$(B)/libtutti.so)
tests: $(PLUGINS) $(TESTS)
examples: $(EXAMPLES)
benches: $(PLUGINS) $(BENCHES)

$(CORE_OBJ): private FIXED := $(TLS_MODEL)
$(B)/libtutti.a: $(CORE_OBJ) $(LENT_NOW)
	@rm -f $@
	@$(call say,$@)ar rcs $@ $(CORE_OBJ)
# The archive that is installed: one object, whose hidden names are local to it, so that it shows tt_ names alone.
$(B)/public/libtutti.a: $(CORE_OBJ) $(LENT_NOW)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -r -nostdlib $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -o $(@D)/tutti.o $(CORE_OBJ)
	@$$($(CC) -print-prog-name=objcopy) --localize-hidden $(@D)/tutti.o
	@rm -f $@; ar rcs $@ $(@D)/tutti.o; rm -f $(@D)/tutti.o
$(B)/libtutti.so: $(CORE_OBJ) tools/tutti.map $(LENT_NOW) $(B)/links
	@$(call say,$@)$(CC) $(LINK) -shared -Wl,-soname,libtutti.so.$(SOVERSION) -Wl,--version-script=tools/tutti.map -o $@ $(CORE_OBJ) $(LIBS)
	@ln -sf libtutti.so $(B)/libtutti.so.$(SOVERSION)
# For tests alone: every name is to be seen (-fvisibility=default), and one linking serves all of them.
$(B)/libtutti_seen.so: $(CORE_OBJ) $(LENT_NOW)
	@$(CC) $(LINK) -shared -o $@ $(CORE_OBJ) $(LIBS)
$(B)/libtutti_dnn.so: $(DNN_OBJ) $(B)/links
	@$(call say,$@)$(CC) $(LINK) -shared $(if $(findstring -fsanitize,$(EXTRA)),,-Wl$(,)-z$(,)defs) -o $@ $(DNN_OBJ) -ldnnl -lpthread
$(B)/libtutti_llvm.so: $(LLVM_OBJ) $(B)/links
	@$(call say,$@)$(CC) $(LINK) -shared -o $@ $(LLVM_OBJ) -ldl -lpthread
$(B)/libtutti_pjrt.so: $(PJRT_OBJ) $(B)/links
	@$(call say,$@)$(CC) $(LINK) -shared -o $@ $(PJRT_OBJ) -ldl -lpthread
$(B)/libtutti_mpi_%.so: src/wire/mpi/mpi.c src/wire/wire.h $(B)/flags $(B)/links
	@$(call say,$@)env OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC_$*) $(CSTD) $(WARN) $(OPT) -Iinclude $(CPPFLAGS) $(LINK) -shared -o $@ $< -lpthread
$(B)/tutti: $(CLI_OBJ) $(B)/libtutti.a $(B)/links
	@$(call say,$@)$(CC) $(LINK) -rdynamic -o $@ $(CLI_OBJ) $(B)/libtutti.a $(LIBS)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@$(call say,$<)$(CC) $(FLAGS) $(CFLAGS_$(subst /,_,$*)) $(if $(filter $(SEEN:%=src/%/%),$*),$(SEEN_BY)) -c -o $@ $<
$(PLACED:%=$(B)/src/%.o): $(B)/places
# Not under sanitizers: instrumented loops at -O3 take minutes to compile.
ISA_OPT = $(if $(findstring -fsanitize,$(EXTRA)),,-O3)
define isa_rule
$(B)/%_isa.$(1).o: %_isa.c $(if $(SEEN_BY),,$(B)/flags)
	@mkdir -p $$(@D)
	@$$(call say,$$<:$(1))$$(CC) $$(FLAGS) $$(ISA_OPT) -fno-math-errno -fno-trapping-math -DISA=$(1) -DISA_$(1) $$(ISA_FLAGS_$(1)) -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call isa_rule,$(i))))

# Tests are compiled fast, but for those that hold slow references themselves.
TEST_O   := -O0
$(B)/tests/gen_%: TEST_O := -O1
# The quickest linker here, for programs that are linked a hundred times and run a few.
ifeq ($(ARCH)$(origin TEST_LD),$(shell uname -m)undefined)
TEST_LD  := $(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld,$(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold))
endif
# Tests see the private headers; examples and benchmarks only what an installed Tutti has.
TESTED   ?= $(B)/libtutti.a
TESTED_L  = $(TEST_LD) $(TESTED) $(if $(filter %.so,$(TESTED)),-Wl$(,)-rpath$(,)'$$ORIGIN/..') $(LIBS)
$(foreach f,$(filter-out tests/oracle.c,$(TEST_SRC)),$(eval $(B)/tests/$(call test_of,$(f)): $(f)))
tests/%.c tests/%.inc: ;                                  # of sources that have moved: the programs are made again
$(filter-out $(B)/tests/oracle,$(TESTS)): $(TESTED)
	@mkdir -p $(@D)
	@$(call say,$@)$(CC) $(FLAGS) $(TEST_O) -Isrc -Itests -o $@ $(firstword $(filter tests/%.c,$^)) $(TESTED_L)
# The functions of the public headers, as calls.
CALLS_H := $(B)/include/tests/calls.h
$(CALLS_H): tests/calls.sh include/tutti.h $(wildcard include/tutti/*.h)
	@mkdir -p $(@D)
	@tests/calls.sh "$(CC)" > $@ || { rm -f $@; exit 1; }
$(B)/tests/calls: $(CALLS_H)
ORACLE := $(patsubst tests/oracle/%.c,$(B)/tests/oracle.obj/%.o,$(wildcard tests/oracle/*.c tests/oracle/*/*.c))
$(B)/tests/oracle.obj/%.o: tests/oracle/%.c
	@mkdir -p $(@D)
	@$(CC) $(FLAGS) -O1 -Isrc -c -o $@ $<
$(B)/tests/oracle: tests/oracle.c $(ORACLE) $(TESTED)
	@$(CC) $(FLAGS) -Isrc -DORACLE_LISTS='"$(CURDIR)/tests/oracle"' -o $@ $< $(ORACLE) $(TESTED_L)
$(B)/mkops: tools/mkops.c $(B)/libtutti.a
	@$(CC) $(FLAGS) $(LDFLAGS) -Isrc -o $@ $< $(B)/libtutti.a $(LIBS)
$(B)/examples/%: examples/%.c $(B)/libtutti.a
	@mkdir -p $(@D)
	@$(call say,$@)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $< $(B)/libtutti.a $(LIBS)
$(B)/bench/contract $(B)/bench/engine $(B)/bench/partition $(B)/bench/ranks $(B)/bench/there: FLAGS += -Isrc -Itests   # of what users never see
$(B)/bench/ranks: | $(MPIS:%=$(B)/bench/ranks_mpi_%.so)
$(B)/bench/ranks_mpi_%.so: bench/mpi/collectives.c
	@mkdir -p $(@D)
	@OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC_$*) $(CSTD) $(WARN) $(OPT) -shared -fPIC -o $@ $<
$(B)/bench/%: bench/%.c $(B)/libtutti.a
	@mkdir -p $(@D)
	@$(call say,$@)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $< $(B)/libtutti.a $(LIBS)

# ---- what people type ----

# What LIBDIR is below PREFIX, where it is: a folder that was moved as a whole still finds its parts.
LIB      := $(if $(findstring ^$(PREFIX)/,^$(LIBDIR)),$(subst ^$(PREFIX)/,,^$(LIBDIR)))
CFLAGS_src_data_shipped := -DTUTTI_SHARE='"$(PREFIX)/share/tutti"' -DTUTTI_TREE='"$(CURDIR)/examples"'
CFLAGS_src_base_plugin := -DTUTTI_BUILD='"$(abspath $(B))"' -DTUTTI_PLUGINS='"$(LIBDIR)/tutti"' -DTUTTI_LIB='"$(LIB)"'
CFLAGS_src_cli_compile := -DTUTTI_PREFIX='"$(PREFIX)"' -DTUTTI_LIBDIR='"$(LIBDIR)"' -DTUTTI_LIB='"$(LIB)"' -DTUTTI_ROOT='"$(CURDIR)"' -DTUTTI_BUILD='"$(abspath $(B))"'

help:
	@sed -n 's/^#: //p' Makefile
#: make                            library, plug-ins, tool, examples: into build/ (B=DIR: elsewhere)
#: make demo                       installs what is missing, builds, trains eight CNNs on MNIST
#: make check                      every test and a part under sanitizers; eight to thirteen minutes on two cores, by the processor
#: make check-long                 what takes one to two hours, parts by the day (WHOLE=1: all); each part too:
#:                                 check-clang -goldens -engines -valgrind -mnist -guides -draws -fuzz -hlo-fuzz -kills
#:                                 -threads -refused -cross -jax -pjrt -gpu -tokenizers -gpt -amx -cuda
#: make test T=plan/rows ARGS=...  builds and runs tests/plan/rows.c; ARGS: --list, or parts of the names of cases
#: make test T=api/errors UPDATE=1 writes the texts that a test expects, tests/api/errors/errors.inc, as they are now
#: make check-house                includes, names, generated files, format, headers, clang: half a minute
#: make ops                        src/op/ops.h and include/tutti/ops.h, from the primitives
#: make goldens SUITE=math         the project's goldens, made again by the real JAX and others
#: make bench ROUNDS=3 ONLY=word   steps and calls beside the peers that make bench-peers installed
#: make bench-gpu ROUNDS=3          GPT-2's step on a GPU, beside JAX and PyTorch there
#: make compile_commands.json      for editors
#: make install PREFIX=/usr/local  DESTDIR and LIBDIR (PREFIX/lib) too; make uninstall with the same takes it all away
#:                                 CC, CFLAGS, CPPFLAGS, LDFLAGS are added; MPICC_openmpi=mpicc, where it has that name
#: make docs                       the documentation site, build/site/index.html; a package index is needed the first time
#: make man                        the manual pages, from the headers and the tool's help: into build/man/
#: make dist                       tutti-$(VERSION).tar.gz, which builds without git and without a network
#: make abi                        keeps the interface of a release: docs/dev/abi.md
#: make clean
# T=api/refusals is found in its sub-room, as tests/api/errors/refusals.c is by T=api/errors/refusals.
T_SRC = $(firstword $(wildcard tests/$(T).c tests/$(patsubst api/%,api/*/%,$(T)).c))
test:
	@[ -n "$(T_SRC)" ] || { echo "make test T=plan/rows: there is no tests/$(T).c" >&2; exit 2; }
	@$(MAKE) -s --no-print-directory -j$(JOBS) $(PLUGINS) $(B)/tests/$(call test_of,$(T_SRC))
	@$(if $(UPDATE),tests/update.sh $(T_SRC) $(B)/tests/$(call test_of,$(T_SRC)),$(B)/tests/$(call test_of,$(T_SRC)) $(ARGS))
compile_commands.json: $(MAKEFILE_LIST)
	@{ echo '['; for f in $(CORE_SRC) $(ISA_SRC) $(wildcard src/cli/*.c src/gen/dnn/*.c src/gen/llvm/*.c src/pjrt/*.c) $(TEST_SRC); do \
	    printf '%s{"directory": "%s", "file": "%s", "command": "%s -Isrc -Itests -c %s"}' "$$sep" "$(CURDIR)" "$$f" \
	        "$(CC) $(CSTD) $(WARN) $(OPT) -Iinclude -I$(B)/include -DISA=base -DISA_base" "$$f"; sep=','; echo; done; echo ']'; } >$@

setup:
	@CC="$(CC)" tools/setup.sh $(firstword $(filter check-long check,$(MAKECMDGOALS)) demo)
demo: setup
	@echo "tutti: building with $(CC)"
	@$(MAKE) -s --no-print-directory -j$(JOBS) all
	@$(B)/examples/ensemble

# Steps and calls beside the peers that are installed: a table, and rows in $(B)/bench.json. ROUNDS=n; ONLY=word of a work.
bench: setup
	@$(MAKE) -s --no-print-directory -j$(JOBS) all benches
	@bench/run.sh $(B)
# GPT-2's step on a GPU beside the peers on the same one; without one it skips by name.
bench-gpu: all $(B)/bench/gpt $(B)/bench/train
	@bench/gpu.sh $(B)
bench-peers:
	@for peer in "jax jax optax" "torch torch numpy" "llama llama-cpp-python gguf ml_dtypes numpy"; do set -- $$peer; name=$$1; shift; dir=$(B)/peers/$$name; \
		[ -x $$dir/bin/python ] || { python3 -m venv $$dir && $$dir/bin/pip install -q "$$@" || rm -rf $$dir; }; done

# The project's own goldens, made again by the real JAX and the others; tests/goldens/README.md. SUITE=name of one.
goldens:
	@python3 -c 'import venv, ensurepip' 2>/dev/null || { echo "make goldens needs python3 with venv (Debian: python3-venv)" >&2; exit 2; }
	@[ -x $(B)/goldens/bin/python ] || { python3 -m venv $(B)/goldens && $(B)/goldens/bin/pip install -q -r tests/goldens/make/requirements.txt; }
	@PYTHONDONTWRITEBYTECODE=1 $(B)/goldens/bin/python tests/goldens/make/make.py tests/goldens $(SUITE)

# One gcc build with every test; one sanitizer build with a part of them; the thread sanitizer on what several threads do. All
# is built first, then all tests run side by side, so that there is one end at which a processor waits for the other.
ASAN      := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -fvisibility=default
ASAN_MAKE  = $(MAKE) -s --no-print-directory -j$(JOBS) B=$(B)/asan OPT="-O1 -g1" EXTRA="$(ASAN)" TESTED=$(B)/asan/libtutti_seen.so
ASAN_PART := oracle fuzz_spmd spmd_mesh_ops spmd_golden gen_regions                  # these do less than they could
# plan_ref_after has a kernel of its own under the name of one of the library's.
ASAN_T    := $(filter-out plan_ref_after run_pool gen_kernels gen_dnn long_sums examples guides guides_ensemble $(ASAN_PART),$(notdir $(TESTS)))
ASAN_TURNS := $(filter $(ASAN_T),$(foreach f,$(shell grep -lE 'check_turn|check_share|check_one_in|prop_over_cases' $(TEST_SRC)),$(call test_of,$(f))))  # by TEST_ONE_IN
# Of these what costs most is whole, and in `make check-goldens` alone, as are tests that most machines skip, and those of rooms
# that goldens and drawn programs go through.
ASAN_LATER := ckpt_ranks wire_ranks run_far run_rank_sums run_overlap job_faults gen_parts gen_rows gen_tile gen_gemv gen_machine \
	random_large program_steps op_elem prop_transforms prop_primitives narrow_types hlo_raise calls caches guides_keras oracle_self \
	gen_conv gen_amx conformance $(filter plan_% pass_% spmd_% transform_%,$(ASAN_T))
ASAN_WHOLE := $(sort $(ASAN_TURNS) $(ASAN_LATER))
# There is no libtutti_llvm.so among these, so tests of it would skip.
ASAN_NOW  := $(filter-out $(ASAN_LATER) gen_llvm%,$(ASAN_T))
TSAN_NOW  := run_pool data_batches threads threads_rooms caches process
TSAN_T    := $(TSAN_NOW) steps_quiet
# Of sources that are the same C for each instruction set, sanitizers watch the one that this machine runs.
HAS        = $(shell grep -m 1 -ow $(1) /proc/cpuinfo 2>/dev/null)
BEST      := $(if $(call HAS,avx512vl),avx512,$(if $(call HAS,avx2),avx2,base))
ASAN_LENT  = LENDER=$(B) LENT="$(foreach i,$(filter-out $(BEST),$(ISAS)),gen/%.$(i).o run/%.$(i).o) $(if $(call HAS,amx_tile),,$(AMX))"
AMX       := $(foreach i,$(ISAS),$(patsubst src/%.c,%.$(i).o,$(filter %_amx_isa.c,$(ISA_SRC))))
# The thread sanitizer watches all rooms in `make check-threads`, since several threads may trace, compile and save at once; in
# `make check` not those that only compute from their arguments. Not the loops that are wider than the base, which its tests run.
WIDE      := $(foreach i,$(filter-out base,$(ISAS)),gen/%.$(i).o run/%.$(i).o)
ALONE     := hlo/% op/% nn/% num/% optim/% pass/% plan/% random/% spmd/% transform/% viz/% metrics/%
TSAN_MAKE  = $(MAKE) -s --no-print-directory -j$(JOBS) B=$(B)/tsan OPT="-O1 -g1" EXTRA="-fsanitize=thread" LENDER=$(B)
# Started first, so that both processors have work to the end.
longest    = $(patsubst %,$(1)/tests/%,oracle gen_llvm_rows gen_dnn spmd_mesh_ops guides gen_kernels gen_regions spmd_golden)
# Jobs of several processes, which mostly wait: one of them at a time beside all others.
JOBS_T    := job_faults callback_ranks ckpt_ranks wire_ranks run_far run_common run_shares run_rank_sums data_ranks metrics_ranks process
# What takes too long for every day is done in three days, a third each, or in six; WHOLE=1: all of it now. TURN=0 to 5: as on
# that day of six.
TURN      := $(or $(TURN),$(shell expr $$(date +%s) / 86400 % 6))
DAY_OF_24 := $(shell expr $$(date +%s) / 86400 % 24)
A_SIXTH    = $(if $(WHOLE),,--one-in 6 --turn $(TURN))
a_third    = $(if $(WHOLE),$(1),$(shell printf '%s\n' $(1) | awk 'NR % 3 == $(TURN) % 3'))
tsan_under = $(patsubst %,"env TUTTI=$(1) $(B)/tsan/tests/%",$(2))
ASAN_RUN   = "$(B)/asan/tests/oracle --one-in 60" "$(B)/asan/tests/fuzz_spmd --draws 250" "$(B)/asan/tests/spmd_golden --one-in 5" \
	"env TEST_ONE_IN=12 $(B)/asan/tests/ckpt_flips" $(patsubst %,$(B)/asan/tests/%,$(filter-out ckpt_flips $(JOBS_T),$(ASAN_NOW)))
SCRIPTS   := tool ckpt_orbax bisect tutorial reference gpt gpt_torch download install build completion abi plugins pjrt cpp dlpack metrics python site jax_names
CUT       := oracle spmd_mesh_ops gen_regions                                            # these do more in check-long
BESIDE     = "tests/job.sh $(B)" $(JOBS_T:%=$(B)/tests/%) $(patsubst %,$(B)/asan/tests/%,$(filter $(JOBS_T),$(ASAN_NOW))) "tests/ranks.sh $(B)" \
	"$(B)/tests/fuzz_spmd --ranks 2 --draws 300" "$(B)/tests/fuzz_spmd --ranks 4 --draws 150"
check: setup
	@tools/venv.sh $(B) & $(MAKE) -s --no-print-directory -j$(JOBS) all tests $(B)/mkops && \
	$(ASAN_MAKE) $(ASAN_LENT) $(MPIS:%=$(B)/asan/libtutti_mpi_%.so) $(patsubst %,$(B)/asan/tests/%,$(ASAN_NOW) oracle fuzz_spmd spmd_golden) && \
	$(TSAN_MAKE) LENT="$(WIDE) $(ALONE)" $(MPIS:%=$(B)/tsan/libtutti_mpi_%.so) $(TSAN_NOW:%=$(B)/tsan/tests/%); built=$$?; wait; exit $$built
	@rm -rf $(B)/logs; mkdir -p $(B)/logs
	@TEST_ONE_IN=4 UBSAN_OPTIONS=print_stacktrace=1 tests/run.sh $(B)/logs "tests/hlo_jax.sh $(B) $(DAY_OF_24) 24" \
		"$(B)/tests/oracle --without ensemble/epoch" "$(B)/tests/spmd_mesh_ops --one-in 3" "$(B)/tests/gen_regions 12" \
		$(filter-out $(CUT:%=$(B)/tests/%),$(call longest,$(B))) "tests/examples.sh $(B)" $(GUIDES_T) $(ASAN_RUN) \
		$(call tsan_under,isa:base,$(TSAN_NOW)) $(SCRIPTS:%="tests/%.sh $(B)") "tests/engines.sh $(B) usual" \
		"tests/attack/refuse.sh $(B) 43" tools/house.sh "$(B)/tests/oracle --mode user tests/goldens" \
		$(filter-out $(call longest,$(B)) $(JOBS_T:%=$(B)/tests/%),$(TESTS)) --beside $(BESIDE)
	@tests/sum.sh $(B)/logs

# What takes long, each part by itself too: every test of clang's build, goldens under sanitizers, the engine matrix,
# valgrind, the whole of MNIST, another architecture, 10^5 random programs. All is built first, then run side by side. What
# a part needs and is not here skips it by name. Parts that have a_third, A_SIXTH or TURN do some of their
# work each day.
check-long: setup
	@tools/venv.sh $(B) & rm -rf $(B)/long; mkdir -p $(B)/long; \
	for part in $(LONG); do $(MAKE) --no-print-directory LATER=--later $$part || exit 1; done; wait
	@$(if $(WHOLE),,echo "day $(TURN) of six; WHOLE=1: all parts in full")
	@TEST_SECONDS=7200 tests/run.sh --noted $(B)/long
	@tests/sum.sh $(B)/long
RUN_LONG := mkdir -p $(B)/long; TEST_SECONDS=7200 tests/run.sh $(LATER) $(B)/long
check-clang:
	@$(MAKE) -s --no-print-directory -j$(JOBS) B=$(B)/clang CC=clang all $(patsubst $(B)/%,$(B)/clang/%,$(PLUGINS) $(B)/tests/oracle $(call a_third,$(TESTS)))
	@$(RUN_LONG) $(patsubst $(B)/%,$(B)/clang/%,$(call a_third,$(TESTS)))
check-goldens:
	@$(ASAN_MAKE) $(MPIS:%=$(B)/asan/libtutti_mpi_%.so) $(patsubst %,$(B)/asan/tests/%,oracle spmd_mesh_ops gen_regions $(ASAN_WHOLE))
	@$(RUN_LONG) "$(B)/asan/tests/oracle --mode user $(A_SIXTH)" "$(B)/asan/tests/oracle --mode reproducible $(A_SIXTH)" \
		"$(B)/asan/tests/spmd_mesh_ops --one-in 3" "$(B)/asan/tests/gen_regions 3" \
		$(patsubst %,$(B)/asan/tests/%,$(filter-out $(JOBS_T),$(ASAN_WHOLE))) \
		--beside $(patsubst %,$(B)/asan/tests/%,$(filter $(JOBS_T),$(ASAN_WHOLE)))
check-engines: all tests
	@$(RUN_LONG) "tests/engines.sh $(B) $(if $(WHOLE),all,--turn $(TURN))" \
		"$(B)/tests/gen_llvm_exp $(if $(WHOLE),--all,--turn $(TURN))" "$(B)/tests/gen_llvm_rows 1" "$(B)/tests/gen_llvm_rows 2"
# What the real JAX does for long: it runs all texts, of which `make check` has one in 24, and has trained for two epochs;
# beside it the Python package's own functions.
check-jax: all $(B)/tests/hlo_export $(B)/tests/oracle
	@$(if $(LATER),,tools/venv.sh $(B))
	@$(RUN_LONG) "tests/hlo_jax.sh $(B)" "$(B)/tests/oracle --only ensemble/epoch" "tests/python.sh $(B) long"
# 10^5 texts by two dozen tokenizers, beside the libraries that trained them.
check-tokenizers: all $(B)/tests/oracle
	@$(RUN_LONG) "tests/tokenizers.sh $(B)"
# All goldens and twins on the devices of a library of PJRT.
check-pjrt: all $(patsubst %,$(B)/tests/%,engine engine_programs engine_algebra driver_engine_cases fuzz_spmd fuzz_functions_there oracle)
	@$(if $(LATER),,tools/venv.sh $(B))
	@$(RUN_LONG) "tests/pjrt.sh $(B) long"
# Goldens, guides, a language model, a kill and the end of memory on GPUs; without one it skips by name.
check-gpu: all $(B)/tests/engine $(B)/tests/engine_programs $(B)/tests/oracle
	@$(RUN_LONG) "tests/gpu.sh $(B)"
# All functions of the guides, the examples and a language model, compiled for eight H100s by CUDA's library, without a GPU.
check-cuda: all
	@$(RUN_LONG) "tests/cuda.sh $(B)"
check-valgrind: all tests
	@$(RUN_LONG) "tests/valgrind.sh $(B)"
# Of the trainings on all of MNIST a day has one; the shortest of the guides' has the demo beside it.
check-mnist: all $(B)/tests/mnist_source
	@$(if $(and $(LATER),$(if $(WHOLE),,$(filter 0 1 3 4,$(TURN)))),:,$(RUN_LONG) "tests/full.sh $(B)")
check-guides: all
	@$(RUN_LONG) $(foreach t,$(filter-out %_full.sh,$(wildcard tests/guides_*.sh)),"$(t) $(B)$(if $(filter %_ranks.sh,$(t)), long)") \
		"tests/guides_full.sh $(B) $(if $(WHOLE),,$(TURN))"
# Under another seed each day; SEED=n repeats a day's.
DAY       = $(or $(SEED),$(shell date +%Y%m%d))
check-draws: $(PLUGINS) $(patsubst %,$(B)/tests/%,fuzz_spmd fuzz_api fuzz_functions spmd_mesh_ops gen_regions)
	@echo "draws of seed $(DAY)"
	@$(RUN_LONG) "env PROP_SEED=$(DAY) $(B)/tests/spmd_mesh_ops --rounds $(if $(WHOLE),30,10)" \
		"$(B)/tests/fuzz_spmd --seed $(DAY) --draws 100000" "$(B)/tests/fuzz_api --seed $(DAY) --draws 20000" \
		"$(B)/tests/fuzz_functions --seed $(DAY) --draws 40000" \
		"env PROP_SEED=$(DAY) $(B)/tests/gen_regions 48" \
		--beside "$(B)/tests/fuzz_spmd --ranks 2 --seed $(DAY) --draws 600" "$(B)/tests/fuzz_spmd --ranks 4 --seed $(DAY) --draws 600"
# The reader of StableHLO under clang's libFuzzer, from its corpus. What it finds lies in build/fuzz. Branches of the rooms
# that read guide it; those of all others are three times as many, and it looks at each of them after each input.
FUZZ_SECONDS ?= 300
FUZZ_SEEN := api base ckpt data ir mesh metrics model nn num optim random text trace
FUZZ_SAN  := -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_MAKE  = $(MAKE) -s --no-print-directory -j$(JOBS) CC=clang OPT="-O1 -g" EXTRA="$(FUZZ_SAN)" SEEN_BY=-fsanitize=fuzzer-no-link
# Kernels' loops are gcc's: under clang's sanitizers each of the large ones takes minutes to compile.
FUZZ_LOOPS = $(foreach i,$(ISAS),$(ISA_SRC:%.c=%.$(i).o))
FUZZ_LIB   = $(MAKE) -s --no-print-directory -j$(JOBS) $(FUZZ_LOOPS:%=$(B)/%) && mkdir -p $(sort $(dir $(FUZZ_LOOPS:%=$(B)/fuzz/%))) && \
	for o in $(FUZZ_LOOPS); do cp -p $(B)/$$o $(B)/fuzz/$$o || exit 1; done && \
	$(FUZZ_MAKE) B=$(B)/fuzz SEEN="$(FUZZ_SEEN)" $(B)/fuzz/libtutti.a
FUZZ_LENT  = LENDER=$(B)/fuzz LENT="$(patsubst src/%,%/%,$(filter-out src/hlo src/op src/cli,$(wildcard src/*)))"
FUZZ_LINK  = clang -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -DTUTTI_LIBFUZZER -Iinclude -Isrc -Itests \
	-I$(B)/fuzz/include
check-hlo-fuzz:
	@if command -v clang >/dev/null 2>&1; then \
	    $(FUZZ_LIB) && $(FUZZ_MAKE) B=$(B)/fuzz/hlo SEEN="hlo op" $(FUZZ_LENT) $(B)/fuzz/hlo/libtutti.a && \
	    $(FUZZ_LINK) -o $(B)/fuzz/hlo_fuzz tests/hlo/fuzz.c $(B)/fuzz/hlo/libtutti.a $(LIBS) && \
	    $(RUN_LONG) "tests/hlo_fuzz.sh $(B)/fuzz $(FUZZ_SECONDS)"; \
	else echo "skip: no clang, so no libFuzzer"; fi
# Likewise the readers of files and of texts that calls take: FUZZ_EACH seconds a format, FUZZ_FORMATS="npz ocdbt" these alone.
FUZZ_EACH ?= 20
check-fuzz:
	@if command -v clang >/dev/null 2>&1; then \
	    $(FUZZ_LIB) && $(FUZZ_LINK) -o $(B)/fuzz/fuzz_files tests/fuzz/files.c $(B)/fuzz/libtutti.a $(LIBS) && \
	    $(RUN_LONG) "tests/fuzz_files.sh $(B)/fuzz $(FUZZ_EACH) $(FUZZ_FORMATS)"; \
	else echo "skip: no clang, so no libFuzzer"; fi
check-kills: all $(PLUGINS) $(B)/tests/job_faults $(B)/tests/ckpt_crash $(B)/tests/ckpt_ranks $(B)/tests/ckpt_faults $(B)/tests/ckpt_concurrent $(B)/tests/ckpt_cuts $(B)/tests/ckpt_flips
	@$(RUN_LONG) "$(B)/tests/ckpt_crash --seed $(or $(SEED),2) --kills 200" "$(B)/tests/ckpt_faults --stride 1" \
		"$(B)/tests/ckpt_concurrent --loads 400" "$(B)/tests/ckpt_cuts --stride 1" "$(B)/tests/ckpt_flips --stride 1" \
		--beside "$(B)/tests/job_faults --seed $(or $(SEED),2) --faults 1000" "$(B)/tests/ckpt_ranks --seed $(or $(SEED),2) --kills 400 --runs 10" \
		"tests/hosts.sh $(B)"
# The thread sanitizer on more: checkpoints' own threads, programs on four workers, and threads with both plug-ins.
SAVING_T  := ckpt_save ckpt_manager ckpt_formats ckpt_concurrent ckpt_exit run_far
WORKING_T := api_loops api_parallel base_ground driver_ensemble exchanges gen_llvm_cache guides_ensemble hlo_devices nn_modules \
             nn_parallel pass_merge_slices plan_donate plan_merge_instances reproducible run_exchange spmd_examples transform_manual
ENGINES_T := threads threads_rooms caches
check-threads: lib
	@$(TSAN_MAKE) LENT="$(WIDE)" $(patsubst $(B)/%,$(B)/tsan/%,$(PLUGINS)) $(patsubst %,$(B)/tsan/tests/%,$(TSAN_T) $(SAVING_T) $(WORKING_T))
	@$(RUN_LONG) $(call tsan_under,isa:base,$(TSAN_T) $(SAVING_T)) $(call tsan_under,isa:base$(,)workers:4,$(WORKING_T)) \
		$(call tsan_under,workers:3,$(ENGINES_T))
# Each request for memory of whole processes fails; functions of 10^5 equations.
check-refused: all $(B)/tests/long_program
	@$(RUN_LONG) "tests/attack/refuse.sh $(B) 1" "$(B)/tests/long_program 50000"
# The language model in its own size: a hundred losses under every layout, and the validation loss after 2,000 steps.
check-gpt: all
	@$(RUN_LONG) "tests/gpt.sh $(B) long"
# The matrix unit's sources with its instructions in C, on machines with AVX-512 that have no unit; the rest is the usual build.
AMX_T     := gen_amx gen_conv gen_gemv gen_kernels gen_machine prop_primitives
AMX_SEEN  := $(CORE_OBJ:$(B)/src/%=%)
check-amx: all
	@if [ $(BEST) = avx512 ] && [ -z "$(call HAS,amx_tile)" ]; then \
	    $(MAKE) -s --no-print-directory -j$(JOBS) B=$(B)/amx EXTRA="-include tests/gen/amx_software.h" LENDER=$(B) \
	        LENT="$(filter-out %_amx_isa.avx512.o,$(AMX_SEEN))" $(patsubst %,$(B)/amx/tests/%,$(AMX_T) oracle) && \
	    $(RUN_LONG) $(AMX_T:%=$(B)/amx/tests/%) "$(B)/amx/tests/oracle --mode user $(A_SIXTH)"; \
	else echo "skip: this machine has a matrix unit, or not AVX-512"; fi
check-cross:
	@$(RUN_LONG) "tests/cross.sh $(B)" "tests/musl.sh $(B)"
# src/op/ops.h and include/tutti/ops.h, from the rows.
ops: $(B)/mkops
	@$(B)/mkops
check-house: $(B)/mkops
	@tools/house.sh
format-check:
	@tools/format.sh --check

docs: $(B)/tutti
	@CC='$(CC)' tools/site.sh $(B) $(VERSION)
man: $(B)/man/made
$(B)/man/made: tools/man.sh tools/man.awk tools/headers.awk $(B)/tutti include/tutti.h include/tutti.hpp $(wildcard include/tutti/*.h)
	@tools/man.sh $(B) $(VERSION) && touch $@
PLACES    = B='$(B)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' DESTDIR='$(DESTDIR)' VERSION=$(VERSION) SOVERSION=$(SOVERSION) PLUGINS='$(PLUGINS)'
install: lib $(B)/tutti man $(B)/public/libtutti.a
	@$(PLACES) tools/install.sh install
# Without a build too: what there is to take away follows from the headers and the names.
uninstall:
	@[ -f $(B)/man/links ] || tools/man.sh $(B) $(VERSION) 2>/dev/null
	@$(PLACES) tools/install.sh uninstall
dist:
	@tools/dist.sh $(VERSION) $(B)
abi: $(B)/libtutti.so
	@tools/abi.sh keep $(B) $(SOVERSION)

clean:
	rm -rf $(B)

$(B)/%.d: ;                                               # made with what they are about, never alone
-include $(shell find $(B) -type f -name '*.d' 2>/dev/null)
