/* op/core/attrs.c - lists of dims in attributes: checks of the lists that text and importers pass, and new lists for
 * rules. */
#include "../build.h"

#include <stdio.h>
#include <string.h>

#define LL(x) ((long long)(x))

bool op_dims_has(ir_dims d, int64_t want)
{
    for (int i = 0; i < d.n; i++)
        if (d.v[i] == want) return true;
    return false;
}

bool op_expected(const ir_eqn *e, tt_code code, const char *what, uint32_t i, const ir_type *got, const char *expected,
                 const ir_type *want)
{
    base_arena *const a = base_open();
    char index[16] = "";
    if (i != OP_ONLY) snprintf(index, sizeof index, " %u", i);
    base_fail(code, e->site, "%s: %s%s is %s; expected %s%s%s", e->op->name, what, index, ir_type_text(a, got),
              expected, want ? ", " : "", want ? ir_type_text(a, want) : "");
    return base_close(a), false;
}

bool op_check_count(const ir_eqn *e, const char *name, ir_dims d, int want)
{
    return d.n == want || base_fail(TT_ESHAPE, e->site, "%s: %s has %d entr%s; expected %d", e->op->name, name,
                                    d.n, d.n == 1 ? "y" : "ies", want);
}

bool op_check_dims(const ir_eqn *e, const char *name, ir_dims d, int rank)
{
    for (int i = 0; i < d.n; i++) {
        if (d.v[i] < 0 || d.v[i] >= rank)
            return base_fail(TT_ESHAPE, e->site, "%s: %s names dim %lld of %d dims", e->op->name, name, LL(d.v[i]),
                             rank);
        if (op_dims_has((ir_dims){ i, d.v }, d.v[i]))
            return base_fail(TT_ESHAPE, e->site, "%s: %s names dim %lld twice", e->op->name, name, LL(d.v[i]));
    }
    return true;
}

bool op_check_sorted(const ir_eqn *e, const char *name, ir_dims d, int rank)
{
    for (int i = 1; i < d.n; i++)
        if (d.v[i] < d.v[i - 1])
            return base_fail(TT_ESHAPE, e->site, "%s: %s is not in rising order", e->op->name, name);
    return op_check_dims(e, name, d, rank);
}

bool op_check_shape(const ir_eqn *e, const char *name, ir_dims d)
{
    int64_t count = 1;
    if (d.n > IR_RANK)
        return base_fail(TT_ESHAPE, e->site, "%s: %d dims; at most %d are allowed", e->op->name, d.n, IR_RANK);
    for (int i = 0; i < d.n; i++)
        if (d.v[i] < 0)
            return base_fail(TT_ESHAPE, e->site, "%s: %s has a negative size %lld", e->op->name, name, LL(d.v[i]));
    for (int i = 0; i < d.n; i++)
        if (d.v[i] && (__builtin_mul_overflow(count, d.v[i], &count) || count > INT64_MAX / 16))
            return base_fail(TT_ESHAPE, e->site, "%s: more elements than memory can hold", e->op->name);
    return true;
}

bool op_check_amounts(const ir_eqn *e, const char *name, ir_dims d, int64_t most)
{
    for (int i = 0; i < d.n; i++)
        if (d.v[i] > most || d.v[i] < -most)
            return base_fail(TT_ESHAPE, e->site, "%s: %s of dim %d is %lld, more than any array has", e->op->name, name,
                             i, LL(d.v[i]));
    return true;
}

bool op_check_starts(const ir_eqn *e, const ir_type *const *start, int n)
{
    for (int i = 0; i < n; i++) {
        const ir_class c = ir_dtype_of(start[i]->dtype)->cls;
        if (start[i]->rank || (c != IR_INT_CLASS && c != IR_UINT_CLASS) || start[i]->dtype != start[0]->dtype)
            return op_expected(e, TT_ETYPE, "start index", (uint32_t)i, start[i],
                               "an integer scalar of the type of start 0", start[0]);
    }
    return true;
}

ir_dims op_dims_shifted(ir_build *b, ir_dims d, int by, int lead, int64_t first)
{
    int64_t *v = IR_NEW(b, int64_t, d.n + lead);
    if (lead) v[0] = first;
    for (int i = 0; i < d.n; i++) v[lead + i] = d.v[i] + by;
    return (ir_dims){ d.n + lead, v };
}

ir_dims op_dims_range(ir_build *b, int64_t first, int n)
{
    int64_t *v = IR_NEW(b, int64_t, n);
    for (int i = 0; i < n; i++) v[i] = first + i;
    return (ir_dims){ n, v };
}
