/* hlo/write/print_algebra.c - linear algebra as custom calls that XLA supports: Qr,
 * ProductOfElementaryHouseholderReflectors and Eigh, which XLA expands itself, and LAPACK's routines, which JAX
 * provides on CPU. Their layouts are column-major; complex eigenvalues of real matrices come in two parts. */
#include "print.h"
#include "../../op/ops.h"

#include <stdio.h>
#include <string.h>

/* A call's results in the order of the text. at: number of the primitive's result, -1 for an additional one; minus: a
 * result from which `by` is subtracted afterwards; -1: none. parts: results parts - 1 and parts are the two parts of
 * one complex result; 0: none. first: the operand that comes first in the text. */
enum { RESULTS = 6 };
typedef struct {
    int n, at[RESULTS];
    const ir_type *type[RESULTS];
    int minus, by, parts, first;
} called;

static void layout(base_text *t, const char *key, int n, const ir_type *const *type, int batch)
{
    base_appendf(t, ", %s = [", key);
    for (int i = 0; i < n; i++) {
        const int r = type[i]->rank;
        const bool matrix = r == batch + 2;
        base_appendf(t, "%sdense<%s", i ? ", " : "", r ? "[" : "");
        for (int d = 0; d < r; d++) /* minor dim first: for a matrix its rows */
            base_appendf(t, "%s%d", d ? ", " : "", matrix && d < 2 ? r - 2 + d : r - 1 - d);
        base_appendf(t, "%s> : tensor<%dxindex>", r ? "]" : "", r);
    }
    base_appendf(t, "]");
}

static char letter(tt_dtype d) { return d == TT_F32 ? 's' : d == TT_F64 ? 'd' : d == TT_C64 ? 'c' : 'z'; }

/* As JAX prints typed calls of LAPACK. */
static void lapack(base_text *t, const ir_eqn *e, const char *name, const char *config, const called *c)
{
    const ir_type *in[4];
    const int n = (int)e->nin, lead = IR_IN(e, 0)->rank - 2;
    for (int i = 0; i < n; i++) in[i] = IR_IN(e, (c->first + i) % n);
    base_appendf(t, "call_target_name = \"");
    if (strchr(name, '_')) base_appendf(t, "%s", name); /* one name for all types */
    else base_appendf(t, "lapack_%c%s", letter(IR_IN(e, 0)->dtype), name);
    base_appendf(t, "_ffi\", api_version = 4 : i32, backend_config = {%s}", config);
    layout(t, "operand_layouts", n, in, lead);
    layout(t, "result_layouts", c->n, c->type, lead);
}

static const ir_type *batch_of(const ir_type *like, tt_dtype d, int core, int64_t m, int64_t n)
{
    int64_t dim[IR_RANK];
    const int lead = like->rank - 2;
    memcpy(dim, like->dim, (size_t)lead * sizeof *dim);
    dim[lead] = m, dim[lead + 1] = n;
    return ir_type_of(d, lead + core, dim);
}

static void print_algebra_same(const ir_eqn *e, called *c)
{
    c->n = (int)e->nout;
    for (int j = 0; j < c->n; j++) c->at[j] = j, c->type[j] = IR_OUT(e, j);
}

/* For any square matrix, and for tridiagonal systems; m, n: sizes of operand 0. */
static bool general_call(base_text *t, const ir_eqn *e, called *c, int64_t m, int64_t n)
{
    const ir_type *const x = IR_IN(e, 0), *const info = batch_of(x, TT_I32, 0, 0, 0);
    const ir_type *const part = batch_of(x, op_real_dtype(x->dtype), 1, n, 0);
    const bool real = !op_is_complex(x->dtype), complex_type = op_real_dtype(x->dtype) == TT_F64;
    const ir_type *const square = batch_of(x, complex_type ? TT_C128 : TT_C64, 2, n, n);
    char text[80];
    if (e->op == &prim_eig) {
        const op_eig_attr *const a = IR_ATTR(e, op_eig_attr);
        const int left = a->compute_left_eigenvectors ? 1 : -1, right = a->compute_right_eigenvectors ? 2 : -1;
        if (real) *c = (called){ 5, { 0, -1, left, right, -1 }, { part, part, square, square, info }, -1, 0, 1, 0 };
        else *c = (called){ 4, { 0, left, right, -1 }, { IR_OUT(e, 0), square, square, info }, -1, 0, 0, 0 };
        snprintf(text, sizeof text, "compute_left = %d : ui8, compute_right = %d : ui8",
                 a->compute_left_eigenvectors ? 'V' : 'N',
                 a->compute_right_eigenvectors ? 'V' : 'N');
        lapack(t, e, "geev", text, c);
    } else if (e->op == &prim_schur) {
        if (real) *c = (called){ 6, { 0, 1, 2, -1, -1, -1 }, { x, x, part, part, info, info }, -1, 0, 3, 0 };
        else *c = (called){ 5, { 0, 1, 2, -1, -1 }, { x, x, IR_OUT(e, 2), info, info }, -1, 0, 0, 0 };
        lapack(t, e, "gees", "mode = 86 : ui8, sort = 78 : ui8", c);
    } else if (e->op == &prim_hessenberg) {
        *c = (called){ 3, { 0, 1, -1 }, { x, IR_OUT(e, 1), info }, -1, 0, 0, 0 };
        snprintf(text, sizeof text, "high = %lld : i32, low = 1 : i32", (long long)n);
        lapack(t, e, "gehrd", text, c);
    } else if (e->op == &prim_tridiagonal) {
        *c = (called){ 5, { 0, 1, 2, 3, -1 }, { x, IR_OUT(e, 1), IR_OUT(e, 2), IR_OUT(e, 3), info }, -1, 0, 0, 0 };
        snprintf(text, sizeof text, "uplo = %d : ui8", IR_ATTR(e, op_lower_attr)->lower ? 'L' : 'U');
        lapack(t, e, real ? "sytrd" : "hetrd", text, c);
    } else if (e->op == &prim_geqp3) {
        print_algebra_same(e, c);
        lapack(t, e, "geqp3", "", c);
    } else if (e->op == &prim_tridiagonal_solve) { /* diagonals first */
        const ir_type *const d = batch_of(x, x->dtype, 1, m, 0);
        const bool perturb = IR_ATTR(e, op_three_attr)->perturb_singular;
        if (perturb) *c = (called){ 1, { 0 }, { x }, -1, 0, 0, 1 };
        else *c = (called){ 5, { -1, -1, -1, 0, -1 }, { d, d, d, x, info }, -1, 0, 0, 1 };
        lapack(t, e, perturb ? "tridiagonal_solve_perturbed" : "gtsv", "", c);
    } else return false;
    return true;
}

static bool algebra_call(base_text *t, const ir_eqn *e, called *c)
{
    const ir_type *const x = e->nin ? IR_IN(e, 0) : NULL;
    *c = (called){ .minus = -1 };
    if (e->op->kernel != OP_MATRIX || *e->op->hlo) return false;
    const int64_t m = x->dim[x->rank - 2], n = x->dim[x->rank - 1], k = m < n ? m : n;
    const ir_type *const info = batch_of(x, TT_I32, 0, 0, 0);
    if (e->op == &prim_geqrf || e->op == &prim_householder_product) {
        print_algebra_same(e, c);
        base_appendf(t, "call_target_name = \"%s\"",
                     e->op == &prim_geqrf ? "Qr" : "ProductOfElementaryHouseholderReflectors");
    } else if (e->op == &prim_eigh) { /* vectors first */
        *c = (called){ 2, { 1, 0 }, { IR_OUT(e, 1), IR_OUT(e, 0) }, -1, 0, 0, 0 };
        base_appendf(t, "call_target_name = \"Eigh\", backend_config = \"%d,1,100,%s\"",
            IR_ATTR(e, op_lower_attr)->lower,
                     op_real_dtype(x->dtype) == TT_F64 ? "1e-14" : "1e-6");
    } else if (e->op == &prim_lu) { /* LAPACK counts from 1 */
        *c = (called){ 3, { 0, 1, -1 }, { x, IR_OUT(e, 1), info }, 1, 1, 0, 0 };
        lapack(t, e, "getrf", "", c);
    } else if (e->op == &prim_svd || e->op == &prim_svdvals) {
        const bool all = e->op == &prim_svd, full = all && IR_ATTR(e, op_full_attr)->full_matrices;
        const ir_type *const u = all ? IR_OUT(e, 1) : batch_of(x, x->dtype, 2, m, k);
        const ir_type *const v = all ? IR_OUT(e, 2) : batch_of(x, x->dtype, 2, k, n);
        *c = (called){ 5, { -1, 0, all ? 1 : -1, all ? 2 : -1, -1 }, { x, IR_OUT(e, 0), u, v, info }, -1, 0, 0, 0 };
        lapack(t, e, "gesdd", full ? "mode = 65 : ui8" : all ? "mode = 83 : ui8" : "mode = 78 : ui8", c);
    } else return general_call(t, e, c, m, n);
    return true;
}

/* Joins a result that a call gives in two parts to one complex value. */
static void print_algebra_complex(hlo_printer *p, const ir_eqn *e, const called *c, uint32_t first, uint32_t *name)
{
    const int j = c->parts - 1;
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = \"stablehlo.complex\"(%%%u, %%%u) : (", p->values, first + (uint32_t)j,
                 first + (uint32_t)j + 1);
    hlo_print_type(&p->t, c->type[j]);
    base_appendf(&p->t, ", ");
    hlo_print_type(&p->t, c->type[j]);
    base_appendf(&p->t, ") -> (");
    hlo_print_type(&p->t, IR_OUT(e, c->at[j]));
    base_appendf(&p->t, ")");
    name[e->out + (uint32_t)c->at[j]] = p->values++;
}

/* Eigenvectors that are not requested: a constant without elements. */
static void empty(hlo_printer *p, const ir_eqn *e, uint32_t j, uint32_t *name)
{
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = stablehlo.constant dense<> : ", p->values);
    hlo_print_type(&p->t, IR_OUT(e, j));
    name[e->out + j] = p->values++;
}

/* A custom call whose results are the primitive's in another order, with additional ones between them. */
bool hlo_print_algebra(hlo_printer *p, const ir_eqn *e, uint32_t *name)
{
    base_text attrs = { .arena = p->arena };
    called c;
    if (!algebra_call(&attrs, e, &c)) return false;
    const uint32_t first = p->values;
    hlo_indent(p);
    for (int j = 0; j < c.n; j++) base_appendf(&p->t, "%s%%%u", j ? ", " : "", first + (uint32_t)j);
    p->values += (uint32_t)c.n;
    base_appendf(&p->t, " = \"stablehlo.custom_call\"(");
    ir_id *const in = BASE_NEW(p->arena, ir_id, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = e->in[(i + (uint32_t)c.first) % e->nin];
    hlo_print_values(p, e->nin, in, name);
    base_appendf(&p->t, ") <{%s}> : ", attrs.s);
    hlo_print_types(&p->t, e->fn, e->nin, in);
    base_appendf(&p->t, " -> (");
    for (int j = 0; j < c.n; j++) {
        if (j) base_appendf(&p->t, ", ");
        hlo_print_type(&p->t, c.type[j]);
        if (c.at[j] >= 0) name[e->out + (uint32_t)c.at[j]] = first + (uint32_t)j;
    }
    base_appendf(&p->t, ")");
    if (c.parts) print_algebra_complex(p, e, &c, first, name);
    for (uint32_t j = 1; e->op == &prim_eig && j < e->nout; j++)
        if (!(j == 1 ? IR_ATTR(e, op_eig_attr)->compute_left_eigenvectors : IR_ATTR(e,
            op_eig_attr)->compute_right_eigenvectors)) empty(p, e, j, name);
    if (c.minus < 0) return true;
    const ir_type *const t = c.type[c.minus];
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = stablehlo.constant dense<%d> : ", p->values, c.by);
    hlo_print_type(&p->t, t);
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = \"stablehlo.subtract\"(%%%u, %%%u) : (", p->values + 1, first + (uint32_t)c.minus,
                 p->values);
    hlo_print_type(&p->t, t);
    base_appendf(&p->t, ", ");
    hlo_print_type(&p->t, t);
    base_appendf(&p->t, ") -> (");
    hlo_print_type(&p->t, t);
    base_appendf(&p->t, ")");
    name[e->out + (uint32_t)c.at[c.minus]] = p->values + 1;
    p->values += 2;
    return true;
}

/* The permutation that results from exchanging row k with row pivots[k], for k = 0, 1, ... */
ir_fn *hlo_permutation(base_arena *a, const mesh *on, const ir_type *pivots, int64_t m)
{
    ir_build *const b = ir_begin(a, base_intern("permutation"), on);
    const int lead = pivots->rank - 1;
    const ir_id p = ir_arg(b, pivots);
    int64_t dim[IR_RANK], all[IR_RANK];
    for (int d = 0; d <= lead; d++) dim[d] = d < lead ? pivots->dim[d] : m, all[d] = d;
    const ir_type *const t = ir_type_of(TT_I32, lead + 1, dim), *const one = ir_type_of(TT_I32, lead, dim);
    ir_build *const s = ir_region(b, base_intern("exchange"));
    const int64_t last = lead;
    const ir_id order = ir_arg(s, t), k = ir_arg(s, ir_type_of(TT_I32, 0, NULL)), other = ir_arg(s, one);
    const ir_id place = op_iota(s, t, lead), zero = op_zeros(s, t), q = op_broadcast(s, other, t, lead, all);
    const ir_id at_k = op_equal(s, place, op_broadcast(s, k, t, 0, NULL)), at_q = op_equal(s, place, q);
    const ir_id of_k = op_reduce_dims(s, &prim_add, op_select(s, at_k, order, zero), 1, &last);
    const ir_id of_q = op_reduce_dims(s, &prim_add, op_select(s, at_q, order, zero), 1, &last);
    const ir_id first = op_select(s, at_q, op_broadcast(s, of_k, t, lead, all), order);
    const ir_id next = op_select(s, at_k, op_broadcast(s, of_q, t, lead, all), first);
    ir_fn *const body = ir_end(s, 1, &next);
    const int64_t n = pivots->dim[lead];
    const ir_id rows = op_iota(b, t, lead);
    if (!n) return ir_end(b, 1, &rows); /* nothing is exchanged */
    const ir_id in[] = { rows, op_iota(b, ir_type_of(TT_I32, 1, &n), 0), op_move(b, p, lead, 0) };
    const op_scan_attr attr = { .length = n, .num_carry = 1 };
    const ir_id y = body ? ir_emit(b, &prim_scan, &attr, 3, in, 1, &body) : 0;
    return y ? ir_end(b, 1, &y) : NULL;
}
