/* hlo/read/scan.c - chlo.scan: a loop over the positions of one dim. Its body takes one position of each input and the
 * carries, and gives one position of each output and the new carries. It becomes the primitive scan, whose body takes
 * carries first and runs over dim 0. */
#include "../inner.h"
#include "../../op/ops.h"

typedef ir_id value;

/* Number of operands that are inputs: stated in the pretty form, given by segments in the generic one. */
static int64_t inputs_of(hlo_reader *r, const hlo_op *o)
{
    const ir_dims s = hlo_dims(r, o, &o->attr, "operandSegmentSizes", 0, 0);
    return s.n == 2 ? s.v[0] : hlo_int(r, o, &o->attr, "inputs", -1);
}

/* f(inputs, carries) -> (outputs, carries) as (carries, inputs) -> (carries, outputs) */
static ir_fn *scan_swap_carries(hlo_reader *r, ir_fn *f, uint32_t nx, uint32_t ncarry)
{
    ir_build *const b = ir_region(r->b, base_intern("turn"));
    ir_id *const arg = BASE_NEW(r->arena, ir_id, f->narg + 1), *const out = BASE_NEW(r->arena, ir_id, f->nret + 1);
    ir_id *const ret = BASE_NEW(r->arena, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < ncarry; i++) arg[nx + i] = ir_arg(b, f->type[nx + i + 1]);
    for (uint32_t i = 0; i < nx; i++) arg[i] = ir_arg(b, f->type[i + 1]);
    if (!ir_inline(b, f, arg, out)) return NULL;
    const uint32_t ny = f->nret - ncarry;
    for (uint32_t i = 0; i < f->nret; i++) ret[i < ny ? ncarry + i : i - ny] = out[i];
    return ir_end(b, f->nret, ret);
}

bool hlo_scan(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t dim = hlo_int(r, o, &o->attr, "dimension", -1), size = hlo_int(r, o, &o->attr, "scan_dim_size", -1);
    const int64_t nx = inputs_of(r, o), ncarry = o->in.n - nx;
    if (r->bad) return false;
    if (nx < 0 || ncarry < 0 || ncarry > o->to.n || o->region.n != 1 || (!nx && size < 0))
        return hlo_refuse(r, o, TT_EARG, "%lld inputs, %lld carries, %d results, %d regions do not fit each other",
                          (long long)nx, (long long)ncarry, o->to.n, o->region.n);
    for (int64_t i = 0; i < nx && size >= 0; i++) {
        const ir_type *const t = ir_typeof(r->b, x[i]);
        if (dim < 0 || dim >= t->rank || t->dim[dim] != size)
            return hlo_refuse(r, o, TT_ESHAPE, "operand %lld does not have the %lld elements of scan_dim_size",
                              (long long)i + 1, (long long)size);
    }
    ir_fn *const f = hlo_closed(r, o, 0);
    if (!f) return false;
    if (f->narg != (uint32_t)o->in.n || f->nret != (uint32_t)o->to.n)
        return hlo_refuse(r, o, TT_EARG, "a body of %u values that returns %u; expected %d and %d", f->narg, f->nret,
                          (int)o->in.n, (int)o->to.n);
    value *const in = BASE_NEW(r->arena, value, o->in.n + 1);
    op_scan_attr a = { .length = size, .num_carry = ncarry, .reverse = hlo_flag(&o->attr, "is_reverse") };
    for (int64_t i = 0; i < ncarry; i++) in[i] = x[nx + i];
    for (int64_t i = 0; i < nx; i++) {
        const ir_type *const t = ir_typeof(r->b, x[i]);
        if (dim < 0 || dim >= t->rank)
            return hlo_refuse(r, o, TT_ESHAPE, "dimension is %lld; input %lld has rank %d", (long long)dim,
                              (long long)i + 1, t->rank);
        a.length = t->dim[dim];
        in[ncarry + i] = op_move(r->b, x[i], (int)dim, 0);
    }
    ir_fn *const body = scan_swap_carries(r, f, (uint32_t)nx, (uint32_t)ncarry);
    const value first = body ? ir_emit(r->b, &prim_scan, &a, (uint32_t)o->in.n, in, 1, &body) : 0;
    const int64_t ny = o->to.n - ncarry;
    for (int64_t i = 0; first && i < o->to.n; i++)
        y[i] = i < ny ? op_move(r->b, first + (ir_id)(ncarry + i), 0, (int)dim) : first + (ir_id)(i - ny);
    return first != 0;
}
