/* gen/dnn/engine.c - the oneDNN engine: which groups the engine takes, and which of a group's boxes oneDNN computes.
 *
 * A plan knows the full sizes; a task gets a box, whose sizes are known only when the plan is bound. A kernel therefore
 * carries the kernel of the engines after this one too, and decides per box when its tiles are counted: boxes that
 * oneDNN takes are kept in a list with their primitives; the carried kernel computes all other boxes. The decision
 * depends on the box alone. */
#include "../conv/batched_conv.h"
#include "dnn.h"

#include <string.h>

static const gen_host *host;

typedef struct entry {                                   /* one kind of boxes, and how they are computed */
    struct entry *next;
    int64_t lo[3][IR_RANK], n[3][IR_RANK], step[3][IR_RANK];
    bool ours; const char *why;
    dnn_problem p; dnn_primitive *part[DNN_BLOCKS];
    int64_t scratch, nbatched;  /* nbatched: the number of batched convolutions, each of problem p */
} entry;
typedef struct {
    dnn_self self; bool conv; base_site site;
    run_kernel other;
    base_arena *arena;
    entry *list;
} kernel;

static double count_of(const ir_type *t)
{
    double n = 1;
    for (int d = 0; d < t->rank; d++) n *= (double)t->dim[d];
    return n;
}

bool dnn_holds(const ir_box *b)
{
    for (int d = 0; d < b->rank; d++) if (b->n[d] < 1) return false;
    return true;
}

static uint16_t dnn_bf16(float f)                        /* nearest, ties to even; a NaN stays a NaN */
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 64);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static bool dnn_engine_same(const entry *e, const ir_box *arg)
{
    for (int t = 0; t < 3; t++) {
        const size_t bytes = (size_t)arg[t].rank * sizeof(int64_t);
        if (memcmp(e->n[t], arg[t].n, bytes) || memcmp(e->lo[t], arg[t].lo, bytes) || memcmp(e->step[t], arg[t].step,
            bytes)) return false;
    }
    return true;
}

/* Convolution s of the batch. at: where it begins in each tensor, in bytes. */
static void only(const kernel *k, const ir_box *arg, int64_t s, ir_box *one, int64_t *at)
{
    batched_conv_one(k->self.attr, arg, s, one, at);
    for (int t = 0; t < 3; t++) at[t] *= (int64_t)dnn_bytes(arg[t].dtype);
}

static bool primitives(const kernel *k, const ir_box *arg, entry *e, bool split)
{
    ir_box one[3];
    int64_t at[3];
    e->nbatched = k->conv ? batched_conv_count(k->self.attr, arg) : 1;
    if (!e->nbatched) return e->why = "empty", e->ours = false;
    if (k->conv) only(k, arg, 0, one, at);
    e->ours = k->conv ? dnn_conv(&k->self, one, split, &e->p, &e->why) : dnn_dot(&k->self, arg, &e->p, &e->why);
    for (int i = 0; e->ours && i < e->p.nspec; i++) {
        e->part[i] = dnn_find(&e->p.spec[i], &e->why);
        e->ours = e->part[i] != NULL;
        if (e->ours && dnn_scratch(e->part[i]) > e->scratch) e->scratch = dnn_scratch(e->part[i]);
    }
    return e->ours;
}

static void decide(const kernel *k, const ir_box *arg, entry *e)
{
    if (primitives(k, arg, e, true) || (e->p.sum && primitives(k, arg, e, false))) return;
    if (host->option("refusals"))
        host->log("%s: dnn leaves a box of %s to another engine: %s", k->site ? k->site : "?",
                  k->conv ? "convolution" : "dot_general", e->why);
}

static const entry *dnn_engine_find(const kernel *k, const ir_box *arg)
{
    const entry *e = k->list;
    while (e && !dnn_engine_same(e, arg)) e = e->next;
    return e;
}

/* Entries are created when the plan is bound, in the calls that count tiles and scratch, by one thread and in the
 * plan's arena. */
static const entry *find_or_make(const kernel *k, const ir_box *arg)
{
    const entry *old = dnn_engine_find(k, arg);
    if (old) return old;
    entry *e = host->alloc(k->arena, sizeof *e);
    for (int t = 0; t < 3; t++) {
        memcpy(e->lo[t], arg[t].lo, sizeof e->lo[t]);
        memcpy(e->n[t], arg[t].n, sizeof e->n[t]);
        memcpy(e->step[t], arg[t].step, sizeof e->step[t]);
    }
    decide(k, arg, e);
    e->next = k->list;
    ((kernel *)k)->list = e;
    return e;
}

static int64_t tiles(const void *self, const ir_box *arg)
{
    const kernel *k = self;
    const entry *e = find_or_make(k, arg);
    if (e->ours) return e->nbatched * e->p.parts;
    return k->other.tiles ? k->other.tiles(k->other.self, arg) : 1;
}

static int64_t scratch(const void *self, const ir_box *arg)
{
    const kernel *k = self;
    const entry *e = find_or_make(k, arg);
    const int64_t other = k->other.scratch ? k->other.scratch(k->other.self, arg) : 0;
    return e->ours && e->scratch > other ? e->scratch : other;  /* enough for the other kernel, which is the fallback */
}

static int64_t shared(const void *self, const ir_box *arg)
{
    const kernel *k = self;
    const entry *e = find_or_make(k, arg);
    if (e->ours) return e->p.sum ? e->nbatched * e->p.parts * e->p.step[2] : 0;
    return k->other.finish && k->other.shared ? k->other.shared(k->other.self, arg) : 0;
}

/* Notifies that part i of z is complete. A problem of one part may list no dims. */
static void dnn_engine_notify(const dnn_problem *p, const run_job *j, const ir_box *z, int64_t i)
{
    int64_t all = 1, cut = 1;
    for (int d = 0; d < p->before + p->dims; d++) *(d < p->before ? &all : &cut) *= z->n[d];
    const int64_t lo = i * p->each, each = p->parts == 1 || cut - lo < p->each ? cut - lo : p->each;
    const gen_range r[2] = { { p->before, 0, all }, { p->dims, lo, each } };
    host->notify(j, z, 2, r);
}

static bool dnn_engine_parts(const kernel *k, const entry *e, const run_job *j)
{
    const dnn_problem *p = &e->p;
    const dnn_primitive *before = NULL;
    int64_t last = -1, at[3] = { 0 };
    ir_box one[3] = { j->arg[0], j->arg[1], j->arg[2] };
    for (int64_t i = j->first; i < j->first + j->count; i++) {
        const int64_t s = i / p->parts, q = i - s * p->parts;
        if (e->nbatched > 1 && s != last) only(k, j->arg, s, one, at), before = NULL;
        last = s;
        one[2].at = (char *)j->arg[2].at + at[2];
        const char *a = (const char *)j->arg[p->swap].at + at[p->swap] + p->base[0] + q * p->step[0];
        const char *b = (const char *)j->arg[1 - p->swap].at + at[1 - p->swap] + p->base[1] + q * p->step[1];
        char *to = (char *)j->arg[2].at + at[2] + p->base[2] + q * p->step[2];
        char *c = p->sum ? (char *)j->shared + i * p->step[2] : to;
        dnn_primitive *x = e->part[q == p->parts - 1 ? p->nspec - 1 : 0];
        if (!dnn_run(x, j->worker, a, b, c, j->scratch, x == before && p->step[1] == 0)) return false;
        if (!p->sum) dnn_engine_notify(p, j, &one[2], q);
        before = x;
    }
    return true;
}

static void code(const void *self, const run_job *j)
{
    const kernel *k = self;
    const entry *e = dnn_engine_find(k, j->arg);
    if (!e || !e->ours) k->other.code(k->other.self, j);
    else if (!dnn_engine_parts(k, e, j)) host->fail(TT_EMEM, k->site,
        "oneDNN could not run a primitive; it has no memory left");
}

/* Sums n elements of the parts, in the parts' order, and rounds once. */
static void sum_row(const entry *e, const float *from, int64_t n, char *to, bool bf16, int64_t step)
{
    enum { BLOCK = 1024 };
    float sum[BLOCK];
    const int64_t next = e->p.step[2] / (int64_t)sizeof(float);
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        memcpy(sum, from + i, (size_t)m * sizeof *sum);
        for (int64_t q = 1; q < e->p.parts; q++) for (int64_t k = 0; k < m; k++) sum[k] += from[q * next + i + k];
        for (int64_t k = 0; k < m; k++) {
            if (bf16) ((uint16_t *)to)[(i + k) * step] = dnn_bf16(sum[k]);
            else ((float *)to)[(i + k) * step] = sum[k];
        }
    }
}

/* Sums the parts of one convolution, which begin at `from`. */
static void dnn_engine_summed(const entry *e, const float *from, const ir_box *z, char *to)
{
    const int last = z->rank - 1;
    int64_t i[IR_RANK] = { 0 };
    for (bool more = true; more; from += z->n[last]) {   /* one line of the innermost dim each */
        int64_t at = 0;
        int d = last - 1;
        for (int q = 0; q < last; q++) at += i[q] * z->step[q];
        sum_row(e, from, z->n[last], to + at * (int64_t)dnn_bytes(z->dtype), z->dtype == TT_BF16, z->step[last]);
        for (; d >= 0 && ++i[d] == z->n[d]; d--) i[d] = 0;
        more = d >= 0;
    }
}

static void dnn_engine_finish(const void *self, const run_job *j)
{
    const kernel *k = self;
    const entry *e = dnn_engine_find(k, j->arg);
    ir_box one[3];
    int64_t at[3];
    if (!e || !e->ours) {
        if (k->other.finish) k->other.finish(k->other.self, j);
        return;
    }
    for (int64_t s = 0; e->p.sum && s < e->nbatched; s++) {
        only(k, j->arg, s, one, at);
        const char *from = (const char *)j->shared + s * e->p.parts * e->p.step[2];
        dnn_engine_summed(e, (const float *)(const void *)from, &one[2], (char *)j->arg[2].at + at[2]);
    }
}

/* ---- the engine ---- */

static bool dnn_engine_named(const ir_eqn *e, const char *name) { return !strcmp(e->op->name, name); }

static const char *refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || g->nin != 2 || !(dnn_engine_named(e, "dot_general") ||
                                         dnn_engine_named(e, "convolution"))) return "it computes contractions only";
    if (g->reproducible) return "the order of its sums depends on the number of rows";
    if (host->option("no-dnn")) return "it is switched off";
    const tt_dtype x = IR_IN(e, 0)->dtype, y = IR_IN(e, 1)->dtype, z = IR_OUT(e, 0)->dtype;
    if (x != y || !(x == TT_F32 || x == TT_BF16) || !(z == x || z == TT_F32)) return "it computes f32 and bf16 only";
    double work = (double)count_of(IR_IN(e, 0)) * (double)count_of(IR_IN(e, 1)) * (double)count_of(IR_OUT(e, 0));
    return work < 1.0e11 ? "small: our own kernels are faster" : NULL;
}

extern const gen_engine dnn_engine;

static bool dnn_engine_make(base_arena *a, const gen_group *g, run_kernel *r)
{
    const ir_eqn *e = g->eqn[0];
    kernel *k = host->alloc(a, sizeof *k);
    if (!host->next(a, g, &dnn_engine, &k->other)) return false;
    k->self = (dnn_self){ IR_IN(e, 0), IR_IN(e, 1), IR_OUT(e, 0), e->attr };
    k->conv = dnn_engine_named(e, "convolution");
    k->site = e->site;
    k->arena = a;
    *r = (run_kernel){ .code = code, .self = k, .tiles = tiles, .scratch = scratch, .merges = true, .notifies = true,
                       .site = e->site,
                       .name = host->intern(k->conv ? "dnn: convolution" : "dnn: dot") };
    if (k->conv || k->other.finish) r->finish = dnn_engine_finish, r->shared = shared;
    return true;
}

const gen_engine dnn_engine = { sizeof(gen_engine), "dnn", refuses, dnn_engine_make };

__attribute__((visibility("default"))) gen_plugin tutti_engine;
const gen_engine *tutti_engine(uint32_t abi, const gen_host *h, const char **why)
{
    if (abi != GEN_ABI) {
        *why = "it was built for another version";
        return NULL;
    }
    host = h;
    return dnn_start(h->option("isa"), why) ? &dnn_engine : NULL;
}
