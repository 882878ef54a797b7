/* kernel_boxes.h - a kernel against its primitive's reference on boxes that the rule allows, in memory of any layout:
 * for kernels.c and regions.c. */
#ifndef TUTTI_TESTS_KERNEL_BOXES_H
#define TUTTI_TESTS_KERNEL_BOXES_H

#include "prop/primitives.h"
#include "gen/gen.h"

static double boxes_slack = 10; /* roundings by which other floats than whole numbers may differ */

typedef struct { int64_t lo, hi; } range;
typedef struct { char *mem, *before; size_t bytes; ir_box box; } region;

static const ir_type *tensor_type(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t) : IR_OUT(e, t - (int)e->nin);
}

static bool dim_range(const ir_eqn *e, const op_rule *rule, const range *cell, int t, int d, int64_t *lo, int64_t *n)
{
    const struct op_rule_dim *dim = &rule->dim[t * IR_RANK + d];
    const int64_t size = tensor_type(e, t)->dim[d];
    if (dim->n == 1 && dim->at[0].windowed) {
        int64_t hi;
        op_window_range(&dim->at[0].window, cell[dim->at[0].factor].lo, cell[dim->at[0].factor].hi, size, lo, &hi);
        *n = hi - *lo;
        return true;
    }
    *lo = 0, *n = 1;
    for (int k = 0; k < dim->n; k++) {
        const int64_t s = rule->factor[dim->at[k].factor].size;
        const range c = cell[dim->at[k].factor];
        if (dim->at[k].windowed || (*n > 1 && (c.lo || c.hi != s))) return false;
        *lo = *lo * s + (*n == 1 ? c.lo : 0);
        *n = *n == 1 ? c.hi - c.lo : *n * s;
    }
    if (!dim->n) *n = size;
    return true;
}

/* Memory for a box: dims in any order, gaps between elements, other elements around; operands also backwards. */
static region lay_out(base_arena *a, const ir_type *t, const int64_t *lo, const int64_t *n, bool dense, bool operand)
{
    region r = { .box = { .dtype = t->dtype, .rank = t->rank } };
    int order[IR_RANK];
    int64_t count = 1, offset = 0;
    for (int d = 0; d < t->rank; d++) order[d] = d;
    for (int d = t->rank - 1; !dense && d > 0; d--) {
        const int o = (int)prop_below(d + 1), s = order[d];
        if (prop_below(2)) order[d] = order[o], order[o] = s;
    }
    if (!dense && !prop_below(3)) count = 2;
    for (int k = t->rank - 1; k >= 0; k--) {
        const int d = order[k];
        const int64_t gap = dense ? 0 : prop_below(3);
        const bool turned = operand && !dense && !prop_below(5);
        r.box.lo[d] = lo[d], r.box.n[d] = n[d], r.box.step[d] = turned ? -count : count;
        offset += (gap + (turned && n[d] ? n[d] - 1 : 0)) * count;
        count *= n[d] + 2 * gap;
    }
    const size_t one = ir_dtype_of(t->dtype)->bytes;
    r.bytes = (size_t)(count + 64) * one;
    r.mem = base_new(a, r.bytes);
    memset(r.mem, 0xFF, r.bytes);
    r.box.at = r.mem + (size_t)(offset + 32) * one;
    return r;
}

static void *guarded(int64_t bytes)                      /* 64 bytes more, whose contents must stay */
{
    char *p = base_pages((size_t)bytes + 64);
    memset(p, 0xFF, (size_t)bytes + 64);
    return p;
}

static void release(const char *kernel, const char *what, char *p, int64_t bytes)
{
    bool clean = true;
    for (int64_t i = 0; i < 64; i++) clean &= (unsigned char)p[bytes + i] == 0xFF;
    CHECK(clean, "%s: writes behind its %s of %lld bytes", kernel, what, (long long)bytes);
    base_pages_free(p, (size_t)bytes + 64);
}

static void run_kernel_on(const run_kernel *k, const ir_box *arg)
{
    const int64_t bytes = k->scratch ? k->scratch(k->self, arg) : 0, tiles = k->tiles ? k->tiles(k->self, arg) : 1;
    const int64_t common = k->shared ? k->shared(k->self, arg) : 0, jobs = 1 + prop_below(3);
    const int64_t few = k->prepare && prop_below(2) ? k->prepare(k->self, arg, NULL) : 0;
    void *scratch = guarded(bytes), *shared = guarded(common), *known = few ? guarded(few) : NULL;
    if (known) k->prepare(k->self, arg, known);
    for (int64_t j = jobs; j-- > 0;) {                   /* backwards: no job may wait for another */
        const run_job job = { 0, arg, tiles * j / jobs, tiles * (j + 1) / jobs - tiles * j / jobs, scratch, shared,
                              known, NULL };
        if (job.count) k->code(k->self, &job);
    }
    const run_job last = { 0, arg, 0, 1, scratch, shared, known, NULL };
    if (k->finish && common) k->finish(k->self, &last);
    if (known) release(k->name, "known", known, few);
    release(k->name, "scratch", scratch, bytes);
    release(k->name, "shared memory", shared, common);
}

/* Puts the reference's result over the kernel's memory and compares all of it: elements and surroundings. */
static void compare(base_arena *a, const char *text, const char *name, uint32_t j, const region *got,
                    const ir_box *want, double tolerance)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(want, i); more; more = ir_next(want, i)) {
        const ir_num g = ir_load(&got->box, i), w = ir_load(want, i);
        if (prop_same(want->dtype, g, w, tolerance)) continue;
        base_text at = { .arena = a };
        for (int d = 0; d < want->rank; d++) base_appendf(&at, "%s%lld", d ? "," : "", (long long)i[d]);
        if (ir_is_float(want->dtype))
            CHECK(false, "%s: %s: result %u at [%s] is %.9g, not %.9g", text, name, j, at.n ? at.s : "", g.f, w.f);
        else
            CHECK(false, "%s: %s: result %u at [%s] is %lld, not %lld", text, name, j, at.n ? at.s : "", (long long)g.i,
                  (long long)w.i);
        return;
    }
    char *mem = base_copy(a, got->mem, got->bytes);
    ir_box blank = got->box;
    blank.at = mem + ((char *)got->box.at - got->mem);
    const size_t one = ir_dtype_of(want->dtype)->bytes;
    for (bool more = ir_first(want, i); more; more = ir_next(want, i)) {
        int64_t at = 0;
        for (int d = 0; d < want->rank; d++) at += (i[d] - blank.lo[d]) * blank.step[d];
        memset((char *)blank.at + at * (int64_t)one, 0xFF, one);
    }
    bool clean = true;
    for (size_t k = 0; k < got->bytes; k++) clean &= (unsigned char)mem[k] == 0xFF;
    CHECK(clean, "%s: %s: writes outside the box of result %u", text, name, j);
}

/* Floats among which are NaN, infinities and both zeros. */
static ir_num special_number(tt_dtype dtype)
{
    static const double few[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1 };
    return ir_is_float(dtype) && prop_below(3) ? (ir_num){ .f = few[prop_below(7)] } : prop_number(dtype, PROP_SMALL);
}

static void try_box(base_arena *outer, const char *text, const ir_eqn *e, const op_rule *rule, const run_kernel *k,
                    int trial)
{
    base_arena *a = base_open();
    const uint32_t n = e->nin + e->nout;
    const prop_fill fill = trial % 3 == 2 ? PROP_WIDE : PROP_SMALL;
    const bool special = trial % 5 == 4 && e->op->kernel != OP_CONTRACT;       /* padding times infinity is NaN there */
    range cell[OP_FACTORS];
    ir_box *arg = BASE_NEW(a, ir_box, n), *ref = BASE_NEW(a, ir_box, n);
    region *reg = BASE_NEW(a, region, n);
    bool fits = true;
    (void)outer;
    for (int f = 0; f < rule->nfactor; f++) {
        const int64_t s = rule->factor[f].size;
        cell[f] = (range){ 0, s };
        if (trial < 2 || rule->factor[f].kind == OP_NEED_REPLICATION || prop_below(2)) continue;
        cell[f].lo = prop_below(s + 1), cell[f].hi = cell[f].lo + prop_below(s - cell[f].lo + 1);
    }
    for (uint32_t t = 0; t < n && fits; t++) {
        const ir_type *type = tensor_type(e, (int)t);
        int64_t lo[IR_RANK], len[IR_RANK], i[IR_RANK];
        for (int d = 0; d < type->rank && fits; d++) fits = dim_range(e, rule, cell, (int)t, d, &lo[d], &len[d]);
        if (!fits) break;
        reg[t] = lay_out(a, type, lo, len, trial == 0, t < e->nin);
        arg[t] = ref[t] = reg[t].box;
        if (t >= e->nin)
            ref[t] = ir_box_of(base_new(a, (size_t)ir_box_count(&arg[t]) * 16 + 16), type->dtype, type->rank, lo, len);
        else
            for (bool go = ir_first(&arg[t], i); go; go = ir_next(&arg[t], i))
                ir_store(&arg[t], i, special ? special_number(type->dtype) : prop_number(type->dtype, fill));
    }
    if (fits) {
        const bool ok = e->op->ref(e, ref, ref + e->nin);
        CHECK(ok, "%s: %s", text, prop_error());
        run_kernel_on(k, arg);
        for (uint32_t j = 0; ok && j < e->nout; j++) {
            const double tolerance = fill == PROP_SMALL || special ? 0
                : boxes_slack * prop_tolerance(IR_OUT(e, j)->dtype);
            compare(a, text, k->name, j, &reg[e->nin + j], &ref[e->nin + j], tolerance);
        }
        check_passed++;
    }
    base_close(a);
}

#endif
