/* op/elem/check.c - an error where an element of the first operand is false: its text, with the other operands'
 * elements of that place for each {}. The result is true everywhere; nobody need read it, since the equation is
 * ordered. All operands have one shape, so that a mapped or sharded check is one of more elements, or of a part of
 * them. */
#include "../build.h"

#include <string.h>

enum { SHOWN = 8 };                                      /* most values in a text */
typedef struct { base_name text; } attr;

static int places(const char *text)                      /* number of {} */
{
    int n = 0;
    for (; *text; text++) {
        if ((*text == '{' || *text == '}') && text[1] == *text) text++;
        else n += *text == '{' && text[1] == '}';
    }
    return n;
}

static bool check_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const base_name text = IR_ATTR(e, attr)->text;
    if (!e->nin || e->nin > SHOWN + 1 || x[0]->dtype != TT_BOOL)
        return base_fail(TT_ETYPE, e->site, "check: %u operands; expected a bool and at most %d values", e->nin, SHOWN);
    if (!text || places(text) != (int)e->nin - 1)
        return base_fail(TT_EARG, e->site, "check: %d places in the text for %u values", text ? places(text) : 0,
                         e->nin - 1);
    for (uint32_t i = 1; i < e->nin; i++)
        if (!ir_same_dims(x[i], x[0]))
            return op_expected(e, TT_ESHAPE, "value", i, x[i], "the shape of the predicate", x[0]);
    y[0] = x[0];
    return true;
}

static void check_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int factor = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        for (uint32_t t = 0; t <= e->nin; t++) op_dim(r, (int)t, d, factor);
    }
}

/* ---- the text ---- */

static void number_text(base_text *t, tt_dtype dtype, ir_num v)
{
    char s[64] = "";
    switch (ir_dtype_of(dtype)->cls) {
    case IR_BOOL_CLASS:  base_appendf(t, v.b ? "true" : "false"); return;
    case IR_INT_CLASS:   base_appendf(t, "%lld", (long long)v.i); return;
    case IR_UINT_CLASS:  base_appendf(t, "%llu", (unsigned long long)v.u); return;
    case IR_COMPLEX_CLASS:
        base_snprintf(s, sizeof s, "%.9g%+.9gj", v.c.re, v.c.im);
        break;
    default:
        for (int digits = 1; digits < 18; digits++) {    /* the fewest that read back as the number */
            base_snprintf(s, sizeof s, "%.*g", digits, v.f);
            const double back = base_strtod(s, NULL);
            if (back == v.f || (dtype != TT_F64 && (float)back == (float)v.f)) break;
        }
    }
    base_appendf(t, "%s", s);
}

typedef struct { const ir_eqn *e; const ir_box *x; const int64_t *at; base_arena *arena; } failing;

static void check_fail(void *env)
{
    failing *const f = env;
    f->arena = base_open();
    base_text t = { .arena = f->arena };
    uint32_t k = 1;
    for (const char *p = IR_ATTR(f->e, attr)->text; *p; p++) {
        const bool twice = (*p == '{' || *p == '}') && p[1] == *p, place = *p == '{' && p[1] == '}';
        if (place && k < f->e->nin) number_text(&t, f->x[k].dtype, ir_load(&f->x[k], f->at)), k++;
        else base_appendf(&t, "%c", *p);
        p += twice || place;
    }
    for (int d = 0; d < f->x[0].rank; d++)
        base_appendf(&t, "%s%lld%s", d ? ", " : ", at [", (long long)f->at[d], d + 1 == f->x[0].rank ? "]" : "");
    base_fail(TT_EARG, f->e->site, "%s", t.s ? t.s : "a check failed");
}

static bool check_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int last = x->rank - 1;
    const bool lines = x->rank && x->step[last] == 1 && y->step[last] == 1;
    const int64_t n = lines ? x->n[last] : 1;
    ir_box first = *x;
    int64_t i[IR_RANK];
    if (lines && n) first.n[last] = 1;
    for (bool more = ir_first(&first, i); more; more = ir_next(&first, i)) {
        const char *const p = ir_at(x, i), *const no = memchr(p, 0, (size_t)n);
        if (no) {
            if (lines) i[last] += no - p;
            failing f = { e, x, i, NULL };
            const bool done = base_catch(check_fail, &f);
            base_close(f.arena);
            if (!done) base_unwind(0);
            return false;
        }
        memset(ir_at(y, i), 1, (size_t)n);
    }
    return true;
}

const op_prim prim_check = {
    .name = "check", .doc = "an error where an element is false", .hlo = "", .call = "",
    .nin = -1, .nout = 1, .nsub = 0, .kernel = OP_REF, .ordered = true, .watches = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, text, IR_NAME)),
    .type = check_type, .rules = check_rules, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = op_jvp_zero, .transpose = op_transpose_none, .batch = op_batch_map, .decompose = op_decompose_none,
    .ref = check_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("check bool[0,3], f32[0,3] {text=\"{} is not positive\"}"),
};
