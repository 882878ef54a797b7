/* primitives.c - for every primitive and every case: the reference computes any box, and the case survives
 * printing and parsing.
 *
 * Every factor of the rule is cut by its kind into uneven parts, empty ones among them, alone and with others.
 * Operand boxes come from the rule and are tight: around each is poison, and each box is computed twice with
 * different poison, so a load from outside shows as a difference. Parts of results are assembled (PASS, SHIFT) or
 * combined by the primitive's leaves (SUM) and must equal the whole. A decomposition must give what the primitive
 * gives. A primitive needs nothing but its cells to be tested here. usage: prop_primitives [primitive ...]
 *
 * Longer than 400 lines: one case goes through all checks, which share its boxes and cuts. */
#include "primitives.h"

enum { PARTS = 3, CUTS = 3, CELLS = 4000 };
typedef struct {
    int64_t lo, hi;
} range;
typedef struct {
    int n;
    range *part;
    bool single;
} cut; /* of one factor; single: into single elements */

typedef struct {
    base_arena *arena;
    const char *text;
    const ir_eqn *e;
    const op_rule *rule;
    prop_value *x, *y; /* whole operands; whole results, the truth */
    prop_value *got;   /* results put together from parts */
    int **seen;        /* how often each of their elements came */
} bench;

static const ir_type *tensor_type(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t) : IR_OUT(e, t - (int)e->nin);
}

/* ---- boxes in poisoned memory ---- */

/* A box of part [lo, lo+n) of a value, whose memory goes on for `margin` elements beyond the whole value on all
 * sides. */
static ir_box poisoned(base_arena *a, const ir_type *t, const int64_t *lo, const int64_t *n, int poison)
{
    const int64_t margin = t->rank > 3 ? 1 : 2;
    ir_box b = { .dtype = t->dtype, .rank = t->rank };
    int64_t count = 1, offset = 0;
    for (int d = t->rank - 1; d >= 0; d--) {
        b.lo[d] = lo[d], b.n[d] = n[d], b.step[d] = count;
        offset += (lo[d] + margin) * count;
        count *= t->dim[d] + 2 * margin;
    }
    const size_t one = ir_dtype_of(t->dtype)->bytes;
    char *mem = base_new(a, (size_t)count * one);
    memset(mem, poison, (size_t)count * one);
    b.at = mem + (size_t)offset * one;
    return b;
}

static bool dim_range(const bench *w, const range *cell, int t, int d, int64_t *lo, int64_t *n)
{
    const struct op_rule_dim *dim = &w->rule->dim[t * IR_RANK + d];
    const int64_t size = tensor_type(w->e, t)->dim[d];
    if (dim->n == 1 && dim->at[0].windowed) {
        int64_t hi;
        op_window_range(&dim->at[0].window, cell[dim->at[0].factor].lo, cell[dim->at[0].factor].hi, size, lo, &hi);
        *n = hi - *lo;
        return true;
    }
    *lo = 0, *n = 1;
    for (int k = 0; k < dim->n; k++) {
        const int64_t s = w->rule->factor[dim->at[k].factor].size;
        const range c = cell[dim->at[k].factor];
        const bool all = c.lo == 0 && c.hi == s;
        if (dim->at[k].windowed || (*n > 1 && !all)) return false;
        *lo = *lo * s + (*n == 1 ? c.lo : 0);
        *n = *n == 1 ? c.hi - c.lo : *n * s;
    }
    if (!dim->n) *n = size;
    return true;
}

static bool tensor_box(const bench *w, base_arena *a, const range *cell, int t, int poison, ir_box *out)
{
    const ir_type *type = tensor_type(w->e, t);
    int64_t lo[IR_RANK], n[IR_RANK];
    for (int d = 0; d < type->rank; d++)
        if (!dim_range(w, cell, t, d, &lo[d], &n[d])) return false;
    *out = poisoned(a, type, lo, n, poison);
    if (t >= (int)w->e->nin) return true;
    const ir_box whole = prop_box(&w->x[t]);
    return ir_copy(&whole, out);
}

static bool bits_equal(const ir_box *p, const ir_box *q)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(p, i); more; more = ir_next(p, i))
        if (!prop_same(p->dtype, ir_load(p, i), ir_load(q, i), 0)) return false;
    return true;
}

/* The reference on one cell; result boxes in y. False: a check failed. */
static bool run_cell(const bench *w, base_arena *a, const range *cell, ir_box *y)
{
    static const int poison[2] = { 0xFF, 0x5A };
    const int nin = (int)w->e->nin, nout = (int)w->e->nout;
    ir_box *box = BASE_NEW(a, ir_box, 2 * (nin + nout));
    bool ok = true;
    for (int p = 0; p < 2 && ok; p++) {
        ir_box *b = box + p * (nin + nout);
        for (int t = 0; t < nin + nout && ok; t++) {
            ok = tensor_box(w, a, cell, t, poison[p], &b[t]);
            CHECK(ok, "%s: tensor %d of this cut is no box", w->text, t);
        }
        if (!ok) return false;
        ok = w->e->op->ref(w->e, b, b + nin);
        CHECK(ok, "%s: %s", w->text, prop_error());
    }
    for (int j = 0; j < nout && ok; j++) {
        ok = bits_equal(&box[nin + j], &box[2 * nin + nout + j]);
        CHECK(ok, "%s: result %d depends on memory outside the operands' boxes", w->text, j);
        y[j] = box[nin + j];
    }
    return ok;
}

/* ---- putting parts together ---- */

static int64_t element_at(const ir_type *t, const int64_t *i)
{
    int64_t at = 0;
    for (int d = 0; d < t->rank; d++) at = at * t->dim[d] + i[d];
    return at;
}

static void assemble(bench *w, const ir_box *y, mesh_reduce reduce)
{
    int64_t i[IR_RANK];
    for (uint32_t j = 0; j < w->e->nout; j++) {
        const ir_box whole = prop_box(&w->got[j]);
        for (bool more = ir_first(&y[j], i); more; more = ir_next(&y[j], i)) {
            ir_num v = ir_load(&y[j], i);
            int *seen = &w->seen[j][element_at(w->got[j].type, i)];
            if ((*seen)++) v = op_combine(reduce, y[j].dtype, ir_load(&whole, i), v);
            ir_store(&whole, i, v);
        }
    }
}

static void check_assembled(const bench *w, int64_t copies, double tolerance, const char *which)
{
    for (uint32_t j = 0; j < w->e->nout; j++) {
        bool once = true;
        for (int64_t k = 0; k < ir_count(w->got[j].type); k++) once &= w->seen[j][k] == copies;
        CHECK(once, "%s: %s: the parts do not cover result %u once", w->text, which, j);
        const char *at = prop_differs(w->arena, &w->y[j], &w->got[j], tolerance);
        CHECK(!at, "%s: %s: whole and parts differ in result %u %s", w->text, which, j, at);
    }
}

/* ---- cuts ---- */

static cut whole_cut(const bench *w, int f)
{
    range *r = BASE_NEW(w->arena, range, 1);
    r[0].hi = w->rule->factor[f].size;
    return (cut){ 1, r, false };
}

static cut single_cut(const bench *w, int f)
{
    const int64_t n = w->rule->factor[f].size;
    range *r = BASE_NEW(w->arena, range, n + 1);
    for (int64_t i = 0; i < n; i++) r[i] = (range){ i, i + 1 };
    return (cut){ (int)n, r, true };
}

/* Uneven parts, one of them empty. As in a balanced split, the first part of a sum is empty only if all are. */
static cut uneven_cut(const bench *w, int f)
{
    const int64_t n = w->rule->factor[f].size;
    range *r = BASE_NEW(w->arena, range, PARTS);
    int64_t at = prop_below(n + 1);
    if (w->rule->factor[f].kind == OP_REDUCTION && n && !at) at = 1;
    const bool middle = prop_below(2);
    r[0] = (range){ 0, at };
    r[1] = middle ? (range){ at, at } : (range){ at, n };
    r[2] = middle ? (range){ at, n } : (range){ n, n };
    return (cut){ PARTS, r, false };
}

/* A minor factor of a dim may be cut only inside single elements of the major ones. False: one of those is never
 * cut. */
static bool split_majors(const bench *w, cut *cuts, int f)
{
    for (int t = 0; t < w->rule->ntensor; t++)
        for (int d = 0; d < tensor_type(w->e, t)->rank; d++) {
            const struct op_rule_dim *dim = &w->rule->dim[t * IR_RANK + d];
            int at = 0;
            while (at < dim->n && dim->at[at].factor != f) at++;
            for (int k = 0; at < dim->n && k < at; k++) {
                const int g = dim->at[k].factor;
                if (w->rule->factor[g].size == 1) continue;
                if (w->rule->factor[g].kind == OP_NEED_REPLICATION) return false;
                if (cuts[g].single) continue;
                cuts[g] = single_cut(w, g);
                if (!split_majors(w, cuts, g)) return false;
            }
        }
    return true;
}

static bool appears(const bench *w, int f, int t)
{
    for (int d = 0; d < tensor_type(w->e, t)->rank; d++) {
        const struct op_rule_dim *dim = &w->rule->dim[t * IR_RANK + d];
        for (int k = 0; k < dim->n; k++)
            if (dim->at[k].factor == f) return true;
    }
    return false;
}

static double sum_tolerance(const bench *w, prop_fill fill, mesh_reduce reduce) /* small whole numbers add exactly */
{
    const tt_dtype d = IR_OUT(w->e, 0)->dtype;
    return fill == PROP_SMALL && reduce != MESH_PROD && (d == TT_F32 || d == TT_F64) ? 0 : prop_tolerance(d);
}

static void try_cuts(bench *w, const cut *cuts, prop_fill fill, const char *which)
{
    const op_rule *r = w->rule;
    range cell[OP_FACTORS];
    int at[OP_FACTORS] = { 0 };
    int64_t copies = 1, cells = 1;
    bool sums = false;
    for (int f = 0; f < r->nfactor; f++) {
        cells *= cuts[f].n;
        if (r->factor[f].kind == OP_REDUCTION) copies *= cuts[f].n, sums |= cuts[f].n > 1;
    }
    if (cells > CELLS) return;
    const mesh_reduce reduce = sums ? w->e->op->partial(w->e) : MESH_NONE;
    CHECK(!sums || reduce != MESH_NONE, "%s: a sum may be cut, but leaves nothing", w->text);
    for (uint32_t j = 0; j < w->e->nout; j++) {
        w->got[j] = prop_new(w->arena, IR_OUT(w->e, j));
        w->seen[j] = BASE_NEW(w->arena, int, ir_count(w->got[j].type) + 1);
    }
    for (int64_t c = 0; c < cells; c++) {
        base_arena *a = base_open();
        ir_box *y = BASE_NEW(a, ir_box, w->e->nout);
        for (int f = 0; f < r->nfactor; f++) cell[f] = cuts[f].part[at[f]];
        const bool ok = run_cell(w, a, cell, y);
        if (ok) assemble(w, y, reduce);
        base_close(a);
        if (!ok) return;
        for (int f = 0; f < r->nfactor && ++at[f] == cuts[f].n; f++) at[f] = 0;
    }
    check_assembled(w, copies, sums ? sum_tolerance(w, fill, reduce) : 0, which);
}

/* ---- one case ---- */

static void check_kinds(const bench *w) /* sums occur on no result, what is cut otherwise on every one */
{
    for (int f = 0; f < w->rule->nfactor; f++)
        for (int t = (int)w->e->nin; t < w->rule->ntensor; t++) {
            const bool there = appears(w, f, t);
            const op_factor_kind k = w->rule->factor[f].kind;
            CHECK(k == OP_NEED_REPLICATION || there == (k != OP_REDUCTION), "%s: factor %d of kind %d and result %d",
                w->text, f, k,
                  t - (int)w->e->nin);
        }
}

static void check_boxes(bench *w, prop_fill fill)
{
    const int n = w->rule->nfactor;
    cut cuts[OP_FACTORS];
    for (int f = 0; f < n; f++) cuts[f] = whole_cut(w, f);
    range all[OP_FACTORS];
    for (int f = 0; f < n; f++) all[f] = cuts[f].part[0];
    ir_box *y = BASE_NEW(w->arena, ir_box, w->e->nout);
    if (!run_cell(w, w->arena, all, y)) return;
    for (uint32_t j = 0; j < w->e->nout; j++) { /* the truth */
        w->y[j] = prop_new(w->arena, IR_OUT(w->e, j));
        const ir_box whole = prop_box(&w->y[j]);
        ir_copy(&y[j], &whole);
        const char *const other = w->e->op->passes ? prop_differs(w->arena, &w->x[j], &w->y[j], 0) : NULL;
        CHECK(!other, "%s passes its operand %u: %s", w->text, j, other);
    }
    for (int f = 0; f < n; f++) {
        if (w->rule->factor[f].kind == OP_NEED_REPLICATION) continue;
        cut one[OP_FACTORS];
        memcpy(one, cuts, sizeof cuts);
        one[f] = uneven_cut(w, f);
        if (split_majors(w, one, f)) try_cuts(w, one, fill, base_format(w->arena, "factor %d cut", f));
    }
    for (int trial = 0; n > 1 && trial < CUTS; trial++) {
        cut some[OP_FACTORS];
        bool possible = true;
        memcpy(some, cuts, sizeof cuts);
        for (int k = 0; k < 3; k++) {
            const int f = (int)prop_below(n);
            if (w->rule->factor[f].kind == OP_NEED_REPLICATION || some[f].n != 1) continue;
            some[f] = uneven_cut(w, f);
            possible &= split_majors(w, some, f);
        }
        if (possible) try_cuts(w, some, fill, "several factors cut");
    }
}

static const ir_eqn *case_eqn(const ir_fn *f, const op_prim *prim)
{
    for (uint32_t k = f->neqn; k-- > 0;)
        if (f->eqn[k].op == prim) return &f->eqn[k];
    return NULL;
}

static bool operand_values(bench *w, const ir_fn *f, prop_fill fill) /* random, or what the case says */
{
    for (uint32_t i = 0; i < w->e->nin; i++) {
        w->x[i] = prop_operand(w->arena, IR_IN(w->e, i), fill);
        for (uint32_t k = 0; k < f->neqn; k++) {
            const ir_box b = prop_box(&w->x[i]);
            if (f->eqn[k].out == w->e->in[i] && (f->eqn[k].nin || !f->eqn[k].op->ref(&f->eqn[k], NULL, &b)))
                return false;
        }
    }
    return true;
}

static void check_round_trip(base_arena *a, const char *text, const ir_fn *f)
{
    const char *once = ir_print(a, f);
    const ir_fn *back = ir_parse(a, NULL, once);
    CHECK(back, "%s: its text does not parse: %s\n%s", text, back ? "" : prop_error(), once);
    if (!back) return;
    CHECK(ir_verify(back), "%s: %s", text, prop_error());
    CHECK(!strcmp(once, ir_print(a, back)), "%s: printed twice:\n%s\n%s", text, once, ir_print(a, back));
    CHECK(ir_hash(f) == ir_hash(back), "%s: another hash after a round trip", text);
}

/* The case's function with its equation in other primitives; NULL: the primitive has no such form. */
static ir_fn *decomposed(base_arena *a, const ir_fn *f, const ir_eqn *e)
{
    ir_build *b = ir_begin(a, f->name, f->mesh);
    ir_id *id = BASE_NEW(a, ir_id, f->nvalue + 1), *ret = BASE_NEW(a, ir_id, f->nret + 1);
    for (ir_id i = 1; i <= f->narg; i++) id[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *d = &f->eqn[k];
        ir_id *in = BASE_NEW(a, ir_id, d->nin + 1);
        for (uint32_t i = 0; i < d->nin; i++) in[i] = id[d->in[i]];
        const ir_id first = d == e ? 0 : ir_clone(b, d, in);
        for (uint32_t j = 0; first && j < d->nout; j++) id[d->out + j] = first + j;
        if (d == e && !d->op->decompose(b, d, in, id + d->out)) return NULL;
    }
    for (uint32_t i = 0; i < f->nret; i++) ret[i] = id[f->ret[i]];
    return ir_end(b, f->nret, ret);
}

static void check_decomposed(base_arena *a, const char *text, const ir_fn *f, const ir_eqn *e)
{
    if (e->op->ref == op_ref_decomposed || e->op->ref == op_ref_group) return;
    const uint64_t before = base_failures();
    const ir_fn *g = decomposed(a, f, e);
    CHECK(before == base_failures(), "%s: decomposed: %s", text, prop_error());
    if (!g) return;
    CHECK(ir_verify(g), "%s: decomposed: %s", text, prop_error());
    for (prop_fill fill = PROP_SMALL; fill <= PROP_NARROW; fill++) {
        prop_value *x = BASE_NEW(a, prop_value, f->narg + 1), *y = BASE_NEW(a, prop_value, f->nret + 1);
        prop_value *z = BASE_NEW(a, prop_value, f->nret + 1);
        for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_operand(a, f->type[i + 1], fill);
        const bool ran = prop_eval(a, f, x, y) && prop_eval(a, g, x, z);
        CHECK(ran, "%s: decomposed: %s", text, ran ? "" : prop_error());
        for (uint32_t j = 0; ran && j < f->nret; j++) {
            const char *at = prop_differs(a, &y[j], &z[j], prop_tolerance(y[j].type->dtype));
            CHECK(!at, "%s: it and its decomposition differ in result %u %s", text, j, at);
        }
    }
}

static void check_case(base_arena *a, const op_prim *prim, const char *text)
{
    op_rule *rule;
    ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    if (!f) return;
    CHECK(ir_verify(f), "%s: %s", text, prop_error());
    check_round_trip(a, text, f);
    bench w = { .arena = a, .text = text, .e = case_eqn(f, prim) };
    CHECK(w.e, "%s: the case has no %s", text, prim->name);
    if (!w.e) return;
    check_decomposed(a, text, f, w.e);
    if (prim->kernel == OP_EXCHANGE || prim->edges) return; /* counted below: no rule to cut by */
    const bool ruled = op_rule_of(w.e, &rule);
    CHECK(ruled, "%s: %s", text, ruled ? "" : prop_error());
    if (!ruled) return;
    w.rule = rule;
    w.x = BASE_NEW(a, prop_value, w.e->nin + 1);
    w.y = BASE_NEW(a, prop_value, w.e->nout), w.got = BASE_NEW(a, prop_value, w.e->nout);
    w.seen = BASE_NEW(a, int *, w.e->nout);
    check_kinds(&w);
    for (prop_fill fill = PROP_SMALL; fill <= PROP_WIDE; fill++) {
        CHECK(operand_values(&w, f, fill), "%s: %s", text, prop_error());
        check_boxes(&w, fill);
    }
}

int main(int argc, char **argv)
{
    if (!prop_main(argc, argv)) return check_done();
    prop_over_cases(check_case, argc, argv);
    for (const op_prim *const *r = op_prims; *r; r++) {
        if (!prop_is_wanted(*r, argc, argv)) continue;
        CHECK((*r)->cases, "%s has no cell for cases", (*r)->name);
        if ((*r)->cases && !(*r)->cases[0]) CHECK_SKIP("%s: has no value of its own, hence no cases", (*r)->name);
        else if ((*r)->kernel == OP_EXCHANGE || (*r)->edges) CHECK_SKIP("%s on boxes: has no factor rule", (*r)->name);
    }
    return check_done();
}
