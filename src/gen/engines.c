/* gen/engines.c - the table of engines, the choice of an engine for a group, and the plug-ins: engines that come before
 * the core's own, and the compiler of scalar programs.
 *
 * A plug-in is libtutti_NAME.so, searched for in the folders of TUTTI_PLUGINS (colons between them), else in those that
 * base/plugin.c lists. A plug-in that other users could have put there is refused. A plug-in is opened for the first
 * group that is large enough, or when the complete table is requested; a process that needs no plug-in pays nothing.
 * The result of the search is kept for `tutti doctor`. */
#include "conv/conv.h"
#include "region/region.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const gen_engine *const own[] = { &gen_tile, &gen_parts, &gen_rows, &gen_random, &gen_dot, &gen_scaled,
                                         &gen_conv, &gen_reduce, &gen_cum, &gen_window, &gen_sort, &gen_fft,
                                         &gen_linalg, &gen_move, &gen_region, &gen_ref, NULL };

enum { DNN, LLVM, PLUGINS, OWN = sizeof own / sizeof *own };
static const struct { const char *name, *off, *enter; } plugin[PLUGINS] = {
    { "dnn", "no-dnn", "tutti_engine" }, { "llvm", "no-llvm", "tutti_fuser" }
};
static const gen_engine *engines[1 + OWN];               /* the plug-in engine that was loaded, then own */
static gen_fuse_fn *fuse;
static char report[PLUGINS][1024];
static pthread_once_t once = PTHREAD_ONCE_INIT, fuse_once = PTHREAD_ONCE_INIT;

static bool engines_next(base_arena *, const gen_group *, const gen_engine *, run_kernel *);
static const gen_host host = { base_new, base_intern, base_log, base_fail, base_switch, engines_next, gen_notify };

/* A plug-in with threads of its own must end before the libraries that it opened tear themselves down, which they do in
 * exit handlers that run before all handlers registered earlier. exit calls the destructors of its own thread's
 * variables before all handlers, so the main thread registers such a destructor. */
static void (*_Atomic fuse_end)(void);
int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern char __dso_handle[];

static void ending(void *unused)
{
    (void)unused;
    void (*const end)(void) = fuse_end;
    if (end) end();
}

__attribute__((constructor)) static void beginning(void)
{
    if (__cxa_thread_atexit_impl && gettid() == getpid()) __cxa_thread_atexit_impl(ending, NULL, __dso_handle);
}

/* Calls the entry point of an open plug-in, which returns the plug-in's engine or compiler. */
static bool engines_enter(int i, void *lib, const char **why)
{
    void *const at = dlsym(lib, plugin[i].enter);
    *why = "what should be in it is not there";
    if (!at) return false;
    *why = "it is unusable here";
    if (i == LLVM) {
        gen_fuser *f;
        memcpy(&f, &at, sizeof f);
        void *const end = dlsym(lib, "tutti_end");
        void (*ends)(void);
        memcpy(&ends, &end, sizeof ends);
        fuse_end = ends;
        return (fuse = f(GEN_ABI, &host, why)) != NULL;
    }
    gen_plugin *f;
    memcpy(&f, &at, sizeof f);
    const gen_engine *e = f(GEN_ABI, &host, why);
    if (e && e->size != sizeof(gen_engine)) return *why = "it was built for another version", false;
    engines[0] = e;
    return e != NULL;
}

static bool open_at(int i, const char *dir, size_t n)
{
    char path[4096], real[4096];
    const char *why = "";
    if (snprintf(path, sizeof path, "%.*s/libtutti_%s.so", (int)n, dir, plugin[i].name) >= (int)sizeof path)
        return false;
    if (access(path, R_OK)) return false;
    const bool trusted = base_plugin_trusted(path, real, &why);
    void *lib = trusted ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
    const bool good = lib && engines_enter(i, lib, &why);
    if (trusted && !lib) why = dlerror();
    snprintf(report[i], sizeof report[i], "%s: %.500s%s%.400s", plugin[i].name, path, good ? "" : ": ",
             good ? "" : why);
    if (!good && lib) dlclose(lib);
    return good;
}

static bool open_in(int i, const char *list)
{
    for (const char *p = list; *p; p += *p == ':') {
        const size_t n = strcspn(p, ":");
        if (n && open_at(i, p, n)) return true;
        p += n;
    }
    return false;
}

static bool engines_load(int i)
{
    char list[16384];
    base_plugin_places(list, sizeof list);
    snprintf(report[i], sizeof report[i], "%s: no libtutti_%s.so in %.900s", plugin[i].name, plugin[i].name, list);
    if (!base_switch(plugin[i].off)) return open_in(i, list);
    snprintf(report[i], sizeof report[i], "%s: switched off by TUTTI=%s", plugin[i].name, plugin[i].off);
    return false;
}

static void load_engines(void) { memcpy(engines + engines_load(DNN), own, sizeof own); }
static void load_fuser(void) { engines_load(LLVM); }

const gen_fused *gen_fuse(const gen_tile_code *c)
{
    pthread_once(&fuse_once, load_fuser);
    const char *why;
    return fuse ? fuse(c, &why) : NULL;
}

const gen_engine *const *gen_engines(void)
{
    pthread_once(&once, load_engines);
    return engines;
}

const char *gen_plugin_report(base_arena *a)
{
    base_text t = { .arena = a };
    gen_engines();
    pthread_once(&fuse_once, load_fuser);
    const char *why = NULL;
    if (fuse && !fuse(NULL, &why)) {
        const size_t n = strlen(report[LLVM]);
        if (!strstr(report[LLVM], why)) snprintf(report[LLVM] + n, sizeof *report - n, ": %s", why);
    }
    for (int i = 0; i < PLUGINS; i++) base_appendf(&t, "%s%s", i ? "\n               " : "", report[i]);
    base_appendf(&t, "\n               %s", gen_lapack_report());
    return t.s;
}

/* True if opening a library pays for g: g is one contraction, not in reproducible mode, and none of
 * - a small contraction;
 * - a product with packed weights, which plug-ins do not know;
 * - a contraction that the core's own code computes on the matrix unit;
 * - a product of bf16 that the core's own code computes by the processor's instructions, where there is no matrix unit;
 * - a product of few rows or columns, for which the core's loops are as fast as memory. */
static bool worth_plugins(const gen_group *g)
{
    enum { LEAST = 1 << 17 };                            /* multiply-adds */
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || e->op->kernel != OP_CONTRACT || g->reproducible || !gen_scaled.refuses(g)) return false;
    if (base_switch("no-dnn")) return false;             /* also for a library that is open already */
    if (gemm_is_few(g) || gemm_on_unit(g) || conv_on_unit(g)) return false;
    if (gemm_isa_for(g)->depth > 1 && !gemm_matrix_unit_here()) return false;
    return (double)ir_count(IR_IN(e, 0)) * (double)ir_count(IR_IN(e, 1)) * (double)ir_count(IR_OUT(e, 0)) >=
           (double)LEAST * (double)LEAST;                /* for a matrix product (m k)(k n)(m n): its square */
}

/* True if engine e takes types of less than 16 bits: scalar programs widen them (rows and parts consist of scalar
 * programs and of kernels of engines that take or refuse these types), moves copy elements unread, a sort computes keys
 * from them; the reference does all else. */
static bool takes_narrow(const gen_engine *e)
{
    static const gen_engine *const those[] = { &gen_tile, &gen_move, &gen_parts, &gen_rows, &gen_sort, &gen_region,
                                               &gen_ref };
    for (size_t i = 0; i < sizeof those / sizeof *those; i++) if (e == those[i]) return true;
    return false;
}

static bool has_narrow(const gen_group *g)
{
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        for (uint32_t i = 0; i < e->nin; i++) if (ir_is_narrow(IR_IN(e, i)->dtype)) return true;
        for (uint32_t j = 0; j < e->nout; j++) if (ir_is_narrow(IR_OUT(e, j)->dtype)) return true;
    }
    return false;
}

static bool offer(base_arena *a, const gen_group *g, const gen_engine *const *e, run_kernel *k)
{
    const ir_eqn *last = g->eqn[g->neqn - 1];
    const bool talk = base_switch("refusals") != NULL, narrow = has_narrow(g);
    const uint64_t before = base_failures();
    for (; *e; e++) {
        const char *why = narrow && !takes_narrow(*e) ? "types of less than 16 bits" : (*e)->refuses(g);
        if (!why && (*e)->make(a, g, k)) return true;
        if (base_failures() != before) return false;
        if (talk) base_log("%s: %s refuses %s: %s", last->site ? last->site : "?", (*e)->name, last->op->name,
                           why ? why : "it could not make the kernel");
    }
    return base_fail(TT_EENGINE, last->site, "no engine has a kernel for %s", last->op->name);
}

static bool engines_next(base_arena *a, const gen_group *g, const gen_engine *after, run_kernel *k)
{
    const gen_engine *const *e = gen_engines();
    while (*e && *e != after) e++;
    return offer(a, g, *e ? e + 1 : own, k);
}

bool gen_own_kernel(base_arena *a, const gen_group *g, run_kernel *k) { return offer(a, g, own, k); }

bool gen_kernel(base_arena *a, const gen_group *g, run_kernel *k)
{
    if (base_switch("ref") && !gen_ref.refuses(g)) return gen_ref.make(a, g, k);
    return offer(a, g, worth_plugins(g) ? gen_engines() : own, k);
}

/* ---- reports ---- */

const char *gen_isa_report(base_arena *a)
{
    static const char *const name[] = { "base", "avx2 with fma", "avx512" };
    const gen_isa now = gen_isa_now(), best = gen_isa_best();
    const char *more = "";
#if defined __x86_64__
    if (best == GEN_AVX512 && __builtin_cpu_supports("avx512bf16")) more = " and bf16 instructions";
    if (gemm_matrix_unit_here()) more = ", bf16 instructions and a matrix unit";
#endif
    if (now != best) return base_format(a, "%s, by TUTTI=isa; the processor has %s%s", name[now], name[best], more);
    return base_format(a, "%s%s", name[now], more);
}
