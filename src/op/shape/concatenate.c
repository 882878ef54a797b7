/* op/shape/concatenate.c - concatenates operands along one dim. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

typedef op_concatenate_attr concatenate;

static bool concatenate_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const int64_t along = IR_ATTR(e, concatenate)->dimension;
    int64_t dim[IR_RANK];
    if (!e->nin) return base_fail(TT_EARG, e->site, "concatenate: no operands; expected 1 or more");
    if (along < 0 || along >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "concatenate: no dim %lld in an operand of rank %d", (long long)along,
                         x[0]->rank);
    for (int d = 0; d < x[0]->rank; d++) dim[d] = d == along ? 0 : x[0]->dim[d];
    for (uint32_t i = 0; i < e->nin; i++) {
        if (x[i]->dtype != x[0]->dtype || x[i]->rank != x[0]->rank)
            return op_expected(e, TT_ETYPE, "operand", i, x[i], "the type and rank of operand 0", x[0]);
        for (int d = 0; d < x[0]->rank; d++)
            if (d != along && x[i]->dim[d] != dim[d])
                return base_fail(TT_ESHAPE, e->site, "concatenate: dim %d is %lld in operand 0 and %lld in operand %u",
                                 d, (long long)dim[d], (long long)x[i]->dim[d], i);
        dim[along] += x[i]->dim[along];
    }
    if (!op_check_shape(e, "result", (ir_dims){ x[0]->rank, dim })) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, dim);
    return true;
}

static void concatenate_rules(const ir_eqn *e, op_rule *r)
{
    const int64_t along = IR_ATTR(e, concatenate)->dimension;
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], d == along && e->nin > 1 ? OP_PERMUTATION : OP_PASS_THROUGH);
        int64_t before = 0;
        for (uint32_t i = 0; i < e->nin; i++) {
            if (d != along || e->nin == 1) op_dim(r, (int)i, d, f);
            else op_dim_window(r, (int)i, d, f, (op_window){ 1, -before, -before, 1 });
            before += IR_IN(e, i)->dim[d];
        }
        op_dim(r, (int)e->nin, d, f);
    }
}

static void concatenate_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const int64_t along = IR_ATTR(e, concatenate)->dimension;
    const int rank = IR_OUT(e, 0)->rank;
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], step[IR_RANK];
    if (!ct[0]) return;
    for (int d = 0; d < rank; d++) hi[d] = IR_OUT(e, 0)->dim[d], step[d] = 1;
    for (uint32_t i = 0; i < e->nin; i++, lo[along] = hi[along]) {
        hi[along] = lo[along] + IR_IN(e, i)->dim[along];
        if (!x[i]) cx[i] = op_slice(b, ct[0], (ir_dims){ rank, lo }, (ir_dims){ rank, hi }, (ir_dims){ rank, step });
    }
}

static void concatenate_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                              bool *out)
{
    ir_id *in = IR_NEW(b, ir_id, e->nin);
    (void)out;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    y[0] = ir_emit(b, e->op, &(concatenate){ IR_ATTR(e, concatenate)->dimension + 1 }, e->nin, in, 0, NULL);
}

static bool concatenate_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t along = IR_ATTR(e, concatenate)->dimension;
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        uint32_t k = 0;
        for (int d = 0; d < y->rank; d++) j[d] = i[d];
        while (j[along] >= IR_IN(e, k)->dim[along]) j[along] -= IR_IN(e, k++)->dim[along];
        ir_store(y, i, ir_load(&x[k], j));
    }
    return true;
}

/* Each operand's window of the part, and of these at each position the one that covers it. */
static bool concatenate_local(op_local *e, ir_id *y)
{
    const int d = (int)IR_ATTR(e->e, op_concatenate_attr)->dimension, last = (int)e->e->nin - 1;
    op_local_fn *const p = e->p;
    const ir_type *const out = op_local_result(e);
    int64_t before = 0;
    if (!out) return false;
    if (e->e->nin == 1 || !op_local_cut(e, last + 1, d)) return op_local_as_is(e, y);
    for (int i = 0; i <= last; i++) {
        if (!op_local_windows(e, i, 0)) return false;
        const ir_type *const truth = ir_type_of(TT_BOOL, out->rank, out->dim);
        const ir_id at = op_local_positions(p, truth, d, op_local_begin(p, e->need[i][d],
                                                                            IR_OUT(e->e, 0)->dim[d]));
        const ir_type *const t = ir_typeof(p->b, at);
        if (!t) return false;
        y[0] = i ? op_select(p->b, op_compare(p->b, OP_CMP_LT, at, op_broadcast(p->b, op_int(p->b, TT_I32, before), t,
                                                                                 0, NULL)), y[0], e->x[i]) : e->x[i];
        before += IR_IN(e->e, i)->dim[d];
    }
    return y[0] != 0;
}

const op_prim prim_concatenate = {
    .name = "concatenate",
    .doc = "one behind the other along a dim",
    .hlo = "stablehlo.concatenate",
    .call = "",
    .nin = -1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(concatenate),
    .field = OP_FIELDS(IR_FIELD(concatenate, dimension, IR_INT)),
    .type = concatenate_type,
    .rules = concatenate_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = concatenate_transpose,
    .batch = concatenate_batch,
    .decompose = op_decompose_none,
    .ref = concatenate_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = concatenate_local, .windows = OP_LOCAL_READ),
    .cases =
        OP_CASES("concatenate f32[2,3], f32[2,0], f32[2,4] {dimension=1}", "concatenate i32[3] {dimension=0}",
                 "concatenate u64[2,0], u64[1,0] {dimension=0}", "concatenate bf16[2,1,2], bf16[2,3,2] {dimension=1}"),
};
