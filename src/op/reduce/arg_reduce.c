/* op/reduce/arg_reduce.c - recognises reducers of pairs (value, index) that are argmax or argmin.
 *
 * A region that consists only of comparisons, selections and boolean operations of its parameters, without constants,
 * makes the same choice for any two inputs whose values and indices have the same order. So a region is recognised by
 * evaluating it for every order (with NaN). The meaning is JAX's: the larger (smaller) value wins, NaN wins over
 * numbers, and of equal values the one with the lower index. */
#include "../build.h"
#include "../ops.h"

#include <math.h>

static bool only_compares(const ir_fn *f)
{
    const op_prim *const allowed[] = { &prim_compare, &prim_select, &prim_or, &prim_and,
                                      &prim_not,    &prim_xor,   &prim_max, &prim_min };
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        bool ok = false;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) ok |= e->op == allowed[i];
        if (!ok || (e->op == &prim_compare && IR_ATTR(e, op_compare_attr)->total)) return false;
    }
    return true;
}

static bool is_number(const ir_type *t)
{
    const ir_class c = ir_dtype_of(t->dtype)->cls;
    return t->rank == 0 && (c == IR_FLOAT_CLASS || c == IR_INT_CLASS || c == IR_UINT_CLASS);
}

static double as_double(tt_dtype t, ir_num v)
{
    return ir_dtype_of(t)->cls == IR_FLOAT_CLASS ? v.f : (double)v.i;
}

static bool agrees(const ir_fn *f, int sign, const double *v, const int *i)
{
    uint64_t mem[6] = { 0 };
    ir_box box[6];
    const int64_t zero[1] = { 0 };
    for (int k = 0; k < 6; k++) box[k] = (ir_box){ .at = &mem[k], .dtype = f->type[1 + k % 2]->dtype };
    for (int k = 0; k < 4; k++) {
        const double x = k % 2 ? i[k / 2] : v[k / 2];
        ir_store(&box[k], zero, ir_is_float(box[k].dtype) ? (ir_num){ .f = x } : (ir_num){ .i = (int64_t)x });
    }
    if (!ir_eval(f, box, box + 4)) return false;
    const bool first = sign * v[0] > sign * v[1] || isnan(v[0]);
    const double value = first ? v[0] : v[1], index = first || (v[0] == v[1] && i[0] < i[1]) ? i[0] : i[1];
    const double got = as_double(box[4].dtype, ir_load(&box[4], zero));
    return (got == value || (isnan(got) && isnan(value))) && as_double(box[5].dtype, ir_load(&box[5], zero)) == index;
}

int op_arg_reducer(const ir_fn *f)
{
    static const double value[6][2] = { { 1, 2 }, { 2, 1 }, { 1, 1 }, { (double)NAN, 1 }, { 1, (double)NAN },
                                        { (double)NAN, (double)NAN } };
    static const int index[3][2] = { { 1, 2 }, { 2, 1 }, { 1, 1 } };
    if (f->narg != 4 || f->nret != 2 || !only_compares(f) || !is_number(f->type[1]) || !is_number(f->type[2])) return 0;
    if (f->type[1] != f->type[3] || f->type[2] != f->type[4] || ir_is_float(f->type[2]->dtype)) return 0;
    if (f->type[f->ret[0]] != f->type[1] || f->type[f->ret[1]] != f->type[2]) return 0;
    const int orders = ir_is_float(f->type[1]->dtype) ? 6 : 3;
    for (int sign = 1; sign >= -1; sign -= 2) {
        bool all = true;
        for (int k = 0; all && k < orders; k++)
            for (int i = 0; all && i < 3; i++) all = agrees(f, sign, value[k], index[i]);
        if (all) return sign;
    }
    return 0;
}
