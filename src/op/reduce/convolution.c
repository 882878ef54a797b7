/* op/reduce/convolution.c - out[n, o, w] = sum over c, k of lhs[n, c, at(w, k)] rhs[c, o, k]: all of StableHLO's
 * convolution, with dims in any order, and batches of convolutions: the first `batching` dims of both sides and of the
 * result count the convolutions.
 *
 * op/reduce/window.c has the arithmetic of each spatial dim. With feature groups G, lhs features are [G, c] and output
 * features are [G, o]: group g reads its own c. With batch groups G, the lhs batch is [G, n] and output features are
 * [G, o]: group g reads its own n. window_reversal reverses the window. Linear in each side; both transposes are
 * convolutions:
 * - lhs: of the cotangent with the reversed kernel, whose features are exchanged; stride and base dilation are
 *   exchanged;
 * - rhs: of lhs with the cotangent, batch and features exchanged; stride and window dilation are exchanged.
 *
 * Longer than 400 lines: one primitive is one file. */
#include "../build.h"
#include "../local/local.h"

#include <string.h>

typedef struct {
    int n;
    int64_t lhs[IR_RANK], rhs[IR_RANK], out[IR_RANK];
} layout; /* per array: batch|in|batch, feature|out|feature, spatial dims */

static layout convolution_layout_of(const op_conv_attr *a)
{
    layout l = { a->input_spatial_dimensions.n, { a->input_batch_dimension, a->input_feature_dimension },
                 { a->kernel_input_feature_dimension, a->kernel_output_feature_dimension },
                 { a->output_batch_dimension, a->output_feature_dimension } };
    for (int i = 0; i < l.n; i++) {
        l.lhs[2 + i] = a->input_spatial_dimensions.v[i];
        l.rhs[2 + i] = a->kernel_spatial_dimensions.v[i];
        l.out[2 + i] = a->output_spatial_dimensions.v[i];
    }
    return l;
}

/* ---- types ---- */

/* True if `dim` names each of n dims, except the first `leading`, once; else sets the error. */
static bool permutes(const ir_eqn *e, const char *what, int leading, int n, const int64_t *dim)
{
    bool seen[IR_RANK] = { 0 };
    for (int i = 0; i < n - leading; i++) {
        if (dim[i] < leading || dim[i] >= n || seen[dim[i]])
            return base_fail(TT_ESHAPE, e->site,
                             "convolution: the dim numbers of the %s do not name each of %d dims once", what,
                             n - leading);
        seen[dim[i]] = true;
    }
    return true;
}

static bool dims_fit(const ir_eqn *e, const ir_type *const *x)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const int n = a->input_spatial_dimensions.n, leading = (int)a->batching;
    const struct { const char *name; const ir_dims *d; int64_t least; } list[] = {
        { "kernel_spatial_dimensions", &a->kernel_spatial_dimensions, 0 },
            { "output_spatial_dimensions", &a->output_spatial_dimensions, 0 },
        { "window_strides", &a->window_strides, 1 },
        { "lhs_dilation", &a->lhs_dilation, 1 }, { "rhs_dilation", &a->rhs_dilation, 1 },
            { "window_reversal", &a->window_reversal, 0 },
        { "padding_low", &a->padding_low, INT64_MIN }, { "padding_high", &a->padding_high, INT64_MIN },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].d->n != n)
            return base_fail(TT_ESHAPE, e->site, "convolution: %s has %d entries for %d spatial dims", list[i].name,
                             list[i].d->n, n);
        if (!op_check_amounts(e, list[i].name, *list[i].d, INT32_MAX)) return false;
        for (int k = 0; k < n; k++)
            if (list[i].d->v[k] < list[i].least)
                return base_fail(TT_ESHAPE, e->site, "convolution: %s[%d] is %lld, not %lld or more", list[i].name, k,
                                 (long long)list[i].d->v[k], (long long)list[i].least);
    }
    if (a->batching < 0 || a->batching > IR_RANK)
        return base_fail(TT_ESHAPE, e->site, "convolution: %lld batching dims; expected 0 to %d",
                         (long long)a->batching, IR_RANK);
    const int rank = leading + n + 2;
    for (int t = 0; t < 2; t++)
        if (rank != x[t]->rank)
            return base_fail(TT_ESHAPE, e->site,
                             "convolution: operand %d has %d dims; with %d spatial dims it must have %d", t + 1,
                             x[t]->rank, n, rank);
    for (int d = 0; d < leading; d++)
        if (x[0]->dim[d] != x[1]->dim[d])
            return base_fail(TT_ESHAPE, e->site,
                             "convolution: batching dim %d is %lld in the input and %lld in the kernel", d,
                                 (long long)x[0]->dim[d], (long long)x[1]->dim[d]);
    const layout l = convolution_layout_of(a);
    return permutes(e, "lhs", leading, rank, l.lhs) && permutes(e, "rhs", leading, rank, l.rhs) &&
           permutes(e, "result", leading, rank, l.out);
}

static bool groups_fit(const ir_eqn *e, const ir_type *const *x)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const int64_t f = a->feature_group_count, g = a->batch_group_count, batch = x[0]->dim[a->input_batch_dimension],
                  in = x[0]->dim[a->input_feature_dimension], c = x[1]->dim[a->kernel_input_feature_dimension],
                  o = x[1]->dim[a->kernel_output_feature_dimension];
    if (f < 1 || g < 1 || (f > 1 && g > 1))
        return base_fail(TT_EARG, e->site,
                         "convolution: %lld feature groups and %lld batch groups; expected 1 or more, and 1 of one "
                         "kind", (long long)f,
                         (long long)g);
    int64_t read;
    if (__builtin_mul_overflow(c, f, &read) || in != read) {
        base_fail(TT_ESHAPE, e->site,
                  "convolution: the input has %lld features, the kernel reads %lld in each of %lld groups",
                  (long long)in, (long long)c, (long long)f);
        return base_hint("input features must be kernel input features times groups");
    }
    if (o % f || o % g || batch % g)
        return base_fail(TT_ESHAPE, e->site, "convolution: %lld groups do not divide %lld %s", (long long)(f * g),
                         (long long)(o % (f * g) ? o : batch), o % (f * g) ? "output features" : "batch rows");
    return true;
}

static bool conv_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    int64_t dim[IR_RANK];
    if (x[0]->dtype != x[1]->dtype)
        return base_fail(TT_ETYPE, e->site, "convolution: operands of types %s and %s; expected one type",
                         ir_dtype_of(x[0]->dtype)->name, ir_dtype_of(x[1]->dtype)->name),
                             base_hint("tt_cast one operand");
    const ir_class in = ir_dtype_of(x[0]->dtype)->cls, out = a->preferred_element_type
        ? ir_dtype_of(a->preferred_element_type)->cls : IR_BOOL_CLASS;
    if (in == IR_BOOL_CLASS || out != in)
        return base_fail(TT_ETYPE, e->site, "convolution: no result of type %s from operands of type %s",
                         a->preferred_element_type ? ir_dtype_of(a->preferred_element_type)->name : "none",
                             ir_dtype_of(x[0]->dtype)->name);
    if (!dims_fit(e, x) || !groups_fit(e, x)) return false;
    for (int d = 0; d < a->batching; d++) dim[d] = x[0]->dim[d];
    dim[a->output_batch_dimension] = x[0]->dim[a->input_batch_dimension] / a->batch_group_count;
    dim[a->output_feature_dimension] = x[1]->dim[a->kernel_output_feature_dimension];
    for (int i = 0; i < a->input_spatial_dimensions.n; i++) {
        const op_taps t = op_conv_taps(a, x[1], i);
        if (t.n < 1) return base_fail(TT_ESHAPE, e->site, "convolution: spatial dim %d of the kernel has size 0", i);
        const int64_t sizes[2] = { t.n, x[0]->dim[a->input_spatial_dimensions.v[i]] };
        if (!op_check_amounts(e, "the spatial size", (ir_dims){ 2, sizes }, INT32_MAX)) return false;
        dim[a->output_spatial_dimensions.v[i]] = op_window_count(x[0]->dim[a->input_spatial_dimensions.v[i]], &t);
    }
    y[0] = ir_type_of(a->preferred_element_type, x[0]->rank, dim);
    return true;
}

/* ---- factors ---- */

static void conv_rules(const ir_eqn *e, op_rule *r)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const ir_type *rhs = IR_IN(e, 1), *out = IR_OUT(e, 0);
    const int64_t groups = a->feature_group_count * a->batch_group_count;
    for (int d = 0; d < a->batching; d++) {
        const int factor = op_factor(r, out->dim[d], OP_PASS_THROUGH);
        for (int t = 0; t < 3; t++) op_dim(r, t, d, factor);
    }
    const int group = groups > 1 ? op_factor(r, groups, OP_PASS_THROUGH) : -1;
    const int batch = op_factor(r, out->dim[a->output_batch_dimension], OP_PASS_THROUGH),
              c = op_factor(r, rhs->dim[a->kernel_input_feature_dimension], OP_REDUCTION);
    const int o = op_factor(r, rhs->dim[a->kernel_output_feature_dimension] / groups, OP_PASS_THROUGH);
    if (group >= 0) {
        op_dim(r, 0, (int)(a->feature_group_count > 1 ? a->input_feature_dimension : a->input_batch_dimension), group);
        op_dim(r, 1, (int)a->kernel_output_feature_dimension, group);
        op_dim(r, 2, (int)a->output_feature_dimension, group);
    }
    op_dim(r, 0, (int)a->input_batch_dimension, batch);
    op_dim(r, 2, (int)a->output_batch_dimension, batch);
    op_dim(r, 0, (int)a->input_feature_dimension, c);
    op_dim(r, 1, (int)a->kernel_input_feature_dimension, c);
    op_dim(r, 1, (int)a->kernel_output_feature_dimension, o);
    op_dim(r, 2, (int)a->output_feature_dimension, o);
    for (int i = 0; i < a->input_spatial_dimensions.n; i++) {
        const int at = (int)a->input_spatial_dimensions.v[i];
        const op_taps t = op_conv_taps(a, rhs, i);
        const bool trivial = op_taps_trivial(&t);
        const int w = op_factor(r, out->dim[a->output_spatial_dimensions.v[i]],
                                trivial ? OP_PASS_THROUGH : OP_PERMUTATION);
        if (trivial) op_dim(r, 0, at, w);
        else op_dim_window(r, 0, at, w, op_window_reads(&t));
        op_dim(r, 2, (int)a->output_spatial_dimensions.v[i], w);
        op_dim(r, 1, (int)a->kernel_spatial_dimensions.v[i], op_factor(r, t.n, OP_REDUCTION));
    }
}

/* ---- transposes ---- */

/* The attributes of a convolution with other roles of the dims, from a `spatial` per spatial dim; lists of n entries
 * are allocated in the build. */
typedef struct { op_taps t; bool reverse; } spatial;
static op_conv_attr conv_attr(ir_build *b, const op_conv_attr *a, const layout *l, const spatial *s, tt_dtype result)
{
    int64_t *v = IR_NEW(b, int64_t, 9 * (l->n + 1));
    ir_dims list[9];
    for (int k = 0; k < 9; k++) list[k] = (ir_dims){ l->n, v + k * (l->n + 1) };
    for (int i = 0; i < l->n; i++) {
        const op_taps t = s[i].t;
        const int64_t value[9] = { l->lhs[2 + i], l->rhs[2 + i], l->out[2 + i], t.stride, t.lo,
                                   t.hi,          t.base,        t.step,        s[i].reverse };
        for (int k = 0; k < 9; k++) v[k * (l->n + 1) + i] = value[k];
    }
    return (op_conv_attr){ l->lhs[0], l->lhs[1], list[0], l->rhs[0], l->rhs[1], list[1], l->out[0], l->out[1], list[2],
                           list[3], list[4], list[5], list[6], list[7], list[8], 1, 1, a->batching, result,
                           a->precision };
}

static ir_id transpose_lhs(ir_build *b, const ir_eqn *e, ir_id rhs, ir_id ct)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const ir_type *in = IR_IN(e, 0), *kernel = IR_IN(e, 1), *out = IR_OUT(e, 0);
    const int64_t g = a->feature_group_count * a->batch_group_count;
    layout l = convolution_layout_of(a);
    spatial s[IR_RANK];
    for (int i = 0; i < l.n; i++) {
        const op_taps t = op_conv_taps(a, kernel, i);
        s[i] = (spatial){ op_taps_back(&t, in->dim[l.lhs[2 + i]], out->dim[l.out[2 + i]]), !a->window_reversal.v[i] };
    }
    /* [g, c], [o] */
    rhs = op_move_part(b, rhs, g, (int)a->kernel_output_feature_dimension, (int)a->kernel_input_feature_dimension);
    const layout back = l;
    memcpy(l.lhs, back.out, sizeof l.lhs);
    memcpy(l.out, back.lhs, sizeof l.out);
    l.rhs[0] = back.rhs[1], l.rhs[1] = back.rhs[0];
    op_conv_attr d = conv_attr(b, a, &l, s, in->dtype);
    d.feature_group_count = g;
    const ir_id y = ir_emit(b, e->op, &d, 2, (const ir_id[]){ ct, rhs }, 0, NULL);
    return a->batch_group_count > 1 ? op_move_part(b, y, g, (int)a->input_feature_dimension,
                                                   (int)a->input_batch_dimension) : y;
}

static ir_id transpose_rhs(ir_build *b, const ir_eqn *e, ir_id lhs, ir_id ct)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const ir_type *in = IR_IN(e, 0), *kernel = IR_IN(e, 1), *out = IR_OUT(e, 0);
    layout l = convolution_layout_of(a);
    spatial s[IR_RANK];
    int64_t turned[IR_RANK];
    int n = 0;
    for (int i = 0; i < l.n; i++) {
        const op_taps t = op_conv_taps(a, kernel, i);
        const int64_t from = in->dim[l.lhs[2 + i]], to = out->dim[l.out[2 + i]],
                      hi = (t.n - 1) * t.step + (to - 1) * t.stride - t.lo - (from - 1) * t.base;
        s[i] = (spatial){ { to, t.step, t.base, t.stride, t.lo, hi }, false };
        if (a->window_reversal.v[i]) turned[n++] = l.rhs[2 + i];
    }
    const layout was = l;
    l.lhs[0] = was.lhs[1], l.lhs[1] = was.lhs[0];        /* lhs: features become the batch, the batch is contracted */
    /* the cotangent: batch is contracted, features are the result's */
    memcpy(l.rhs, was.out, sizeof l.rhs);
    memcpy(l.out, was.rhs, sizeof l.out);
    op_conv_attr d = conv_attr(b, a, &l, s, kernel->dtype);
    d.batch_group_count = a->feature_group_count;
    d.feature_group_count = a->batch_group_count;
    const ir_id y = ir_emit(b, e->op, &d, 2, (const ir_id[]){ lhs, ct }, 0, NULL);
    return op_reverse(b, y, (ir_dims){ n, turned });
}

static void conv_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const int side = x[0] ? 1 : 0;
    if (!ct[0]) return;
    if (!ir_count(IR_OUT(e, 0)) || !ir_count(IR_IN(e, 0)) || !ir_count(IR_IN(e, 1)))
        cx[side] = op_zeros(b, IR_IN(e, side));
    else {
        const ir_id dz = op_convert(b, ct[0], IR_IN(e, 1 - side)->dtype);
        cx[side] = side ? transpose_rhs(b, e, x[0], dz) : transpose_lhs(b, e, x[1], dz);
    }
}

/* ---- batching: into the batch, the output features, or (both mapped) a batching dim ---- */

/* The attributes with an additional leading batching dim. */
static op_conv_attr side_by_side(ir_build *b, op_conv_attr a)
{
    int64_t *const at[] = { &a.input_batch_dimension, &a.input_feature_dimension, &a.kernel_input_feature_dimension,
                            &a.kernel_output_feature_dimension, &a.output_batch_dimension,
                            &a.output_feature_dimension, &a.batching };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) ++*at[i];
    a.input_spatial_dimensions = op_dims_shifted(b, a.input_spatial_dimensions, 1, 0, 0);
    a.kernel_spatial_dimensions = op_dims_shifted(b, a.kernel_spatial_dimensions, 1, 0, 0);
    a.output_spatial_dimensions = op_dims_shifted(b, a.output_spatial_dimensions, 1, 0, 0);
    return a;
}

static void conv_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const op_conv_attr a = *IR_ATTR(e, op_conv_attr), batched = side_by_side(b, a);
    const int64_t g = a.feature_group_count * a.batch_group_count;
    ir_id in[2] = { x[0], x[1] };
    (void)out;
    if (mapped[0] && mapped[1]) {
        y[0] = ir_emit(b, e->op, &batched, 2, x, 0, NULL);
        return;
    }
    if (!n) {
        y[0] = op_spread(b, op_zeros(b, IR_OUT(e, 0)), 0);
        return;
    }
    const int at = (int)(mapped[0] ? a.output_batch_dimension : a.output_feature_dimension);
    if (mapped[0]) in[0] = op_merge_dim(b, x[0], (int)a.input_batch_dimension, a.batch_group_count);
    else in[1] = op_merge_dim(b, x[1], (int)a.kernel_output_feature_dimension, g);
    y[0] = op_split_dim(b, ir_emit(b, e->op, &a, 2, in, 0, NULL), at, mapped[0] ? 1 : g, n);
}

/* ---- reference ---- */

static bool conv_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const ir_type *lhs = IR_IN(e, 0), *rhs = IR_IN(e, 1);
    const layout l = convolution_layout_of(a);
    const int64_t fg = a->feature_group_count, bg = a->batch_group_count, o = rhs->dim[l.rhs[1]] / (fg * bg),
                  c = rhs->dim[l.rhs[0]];
    const int64_t batch = IR_OUT(e, 0)->dim[l.out[0]];
    const bool real = ir_is_float(x[0].dtype);
    int64_t i[IR_RANK], k[IR_RANK], p[IR_RANK], q[IR_RANK];
    ir_box over = { .rank = l.n + 1,
                    .lo = { x[1].lo[l.rhs[0]] },
                    .n = { x[1].n[l.rhs[0]] } }; /* c and window: the part that rhs holds */
    op_taps t[IR_RANK];
    for (int d = 0; d < l.n; d++) {
        t[d] = op_conv_taps(a, rhs, d);
        over.lo[d + 1] = x[1].lo[l.rhs[2 + d]];
        over.n[d + 1] = x[1].n[l.rhs[2 + d]];
    }
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        const int64_t group = o ? i[l.out[1]] / o : 0;
        for (int d = 0; d < a->batching; d++) p[d] = q[d] = i[d];
        ir_num z = { .c = { 0, 0 } };
        for (bool go = ir_first(&over, k); go; go = ir_next(&over, k)) {
            bool inside = true;
            p[l.lhs[0]] = i[l.out[0]] + (bg > 1 ? group * batch : 0);
            p[l.lhs[1]] = k[0] + (fg > 1 ? group * c : 0);
            q[l.rhs[0]] = k[0];
            q[l.rhs[1]] = i[l.out[1]];
            for (int d = 0; d < l.n; d++) {
                q[l.rhs[2 + d]] = k[d + 1];
                p[l.lhs[2 + d]] = op_window_at(&t[d], lhs->dim[l.lhs[2 + d]], i[l.out[2 + d]],
                                               a->window_reversal.v[d] ? t[d].n - 1 - k[d + 1] : k[d + 1]);
                inside &= p[l.lhs[2 + d]] >= 0;
            }
            if (!inside) continue;
            const ir_num u = ir_load(&x[0], p), v = ir_load(&x[1], q);
            if (real) z.f += u.f * v.f;
            else z = op_combine_wide(MESH_SUM, x[0].dtype, z, op_combine_wide(MESH_PROD, x[0].dtype, u, v));
        }
        ir_store(y, i, z);
    }
    return true;
}

#define NHWC                                                                                                           \
    "input_batch_dimension=0, input_feature_dimension=3, input_spatial_dimensions=[1,2], "                             \
    "kernel_input_feature_dimension=2, kernel_output_feature_dimension=3, kernel_spatial_dimensions=[0,1], "           \
    "output_batch_dimension=0, output_feature_dimension=3, output_spatial_dimensions=[1,2], "
#define NCH                                                                                                            \
    "input_batch_dimension=0, input_feature_dimension=1, input_spatial_dimensions=[2], "                               \
    "kernel_input_feature_dimension=1, kernel_output_feature_dimension=0, kernel_spatial_dimensions=[2], "             \
    "output_batch_dimension=0, output_feature_dimension=1, output_spatial_dimensions=[2], "

/* ---- on a device's part ---- */

/* The kernel's rows are in parts: each device reads x as far on as its rows are, and has a part of the sum. */
static bool conv_rows(op_local *e, int i, int d, int64_t out, mesh_list atoms)
{
    op_local_fn *const p = e->p;
    const op_conv_attr *const a = IR_ATTR(e->e, op_conv_attr);
    const op_taps t = op_conv_taps(a, IR_IN(e->e, 1), i);
    const ir_type *const x = ir_typeof(p->b, e->x[0]);
    const int64_t parts = mesh_list_size(p->from, atoms), rows = t.n / parts;
    int64_t low[IR_RANK] = { 0 }, high[IR_RANK] = { 0 }, in[IR_RANK] = { 0 }, size[IR_RANK];
    ir_id start[IR_RANK];
    for (int k = 0; k < x->rank; k++) size[k] = x->dim[k], start[k] = op_int(p->b, TT_I32, 0);
    low[d] = t.lo, size[d] = (out - 1) * t.stride + (rows - 1) * t.step + 1;
    high[d] = (out - 1) * t.stride + (t.n - 1) * t.step + 1 - t.lo - x->dim[d];
    const bool turned = a->window_reversal.v[i];
    start[d] = op_local_affine(p, atoms, turned ? (parts - 1) * rows * t.step : 0, turned ? -rows * t.step
                                                                                            : rows * t.step);
    const ir_dims n = { x->rank, low };
    const ir_id around = op_pad(p->b, e->x[0], n, (ir_dims){ x->rank, high }, (ir_dims){ x->rank, in });
    return (e->x[0] = op_dynamic_slice(p->b, around, start, (ir_dims){ x->rank, size })) != 0;
}

static bool conv_local(op_local *e, ir_id *y)
{
    op_conv_attr a = *IR_ATTR(e->e, op_conv_attr);
    const mesh *const m = e->p->from;
    const int64_t groups = a.feature_group_count * a.batch_group_count;
    int64_t low[IR_RANK], high[IR_RANK], dilation[IR_RANK];
    const ir_type *const out = op_local_result(e);
    if (!out || !op_local_windows(e, 0, 0)) return false;
    if (groups > 1) {                                    /* the groups' factor is the one after those of batches */
        const int64_t parts = mesh_list_size(m, e->c.atoms[a.batching]);
        *(a.feature_group_count > 1 ? &a.feature_group_count : &a.batch_group_count) /= parts;
    }
    for (int i = 0; i < a.input_spatial_dimensions.n; i++) {
        const int d = (int)a.input_spatial_dimensions.v[i], k = (int)a.kernel_spatial_dimensions.v[i];
        const op_taps t = op_conv_taps(&a, IR_IN(e->e, 1), i);
        op_local_span s;
        low[i] = t.lo, high[i] = t.hi;
        if (op_local_cut(e, 1, k)) {
            const int64_t rows = out->dim[a.output_spatial_dimensions.v[i]];
            if (!conv_rows(e, i, d, rows, e->need[1][k])) return false;
            low[i] = high[i] = 0, dilation[i] = t.base;
            continue;
        }
        dilation[i] = t.base;
        if (!op_local_windowed(&e->c, 0, d)) continue;
        if (op_local_dilates(&e->c, 0, d)) {
            low[i] = high[i] = 0, dilation[i] = 1;
            continue;
        }
        op_local_span_of(&e->c, 0, d, &s);
        op_local_padding(&t, &s, out->dim[a.output_spatial_dimensions.v[i]], &low[i], &high[i]);
    }
    a.padding_low = (ir_dims){ a.padding_low.n, low }, a.padding_high = (ir_dims){ a.padding_high.n, high };
    a.lhs_dilation = (ir_dims){ a.lhs_dilation.n, dilation };
    return op_local_emit(e, &a, y);
}

static const char *conv_refuses(const op_local_choice *c)
{
    const op_conv_attr *const a = IR_ATTR(c->e, op_conv_attr);
    for (int i = 0; i < a->input_spatial_dimensions.n; i++) {
        const int d = (int)a->input_spatial_dimensions.v[i], k = (int)a->kernel_spatial_dimensions.v[i];
        if (mesh_list_size(c->from, op_local_list(c, 1, k)) == 1) continue;
        if (op_conv_taps(a, IR_IN(c->e, 1), i).base != 1 || op_local_windowed(c, 0, d))
            return "its kernel's rows are in parts, and so are x's or they are dilated";
    }
    return NULL;
}

const op_prim prim_convolution = {
    .name = "convolution",
    .doc = "sums of products over a sliding window and the input features",
    .hlo = "stablehlo.convolution",
    .call = "",
    .nin = 2,
    .nout = 1,
    .kernel = OP_CONTRACT,
    .attr = sizeof(op_conv_attr),
    .field = OP_FIELDS(IR_FIELD(op_conv_attr, input_batch_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, input_feature_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, input_spatial_dimensions, IR_DIMS),
                       IR_FIELD(op_conv_attr, kernel_input_feature_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, kernel_output_feature_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, kernel_spatial_dimensions, IR_DIMS),
                       IR_FIELD(op_conv_attr, output_batch_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, output_feature_dimension, IR_INT),
                       IR_FIELD(op_conv_attr, output_spatial_dimensions, IR_DIMS),
                       IR_FIELD(op_conv_attr, window_strides, IR_DIMS), IR_FIELD(op_conv_attr, padding_low, IR_DIMS),
                       IR_FIELD(op_conv_attr, padding_high, IR_DIMS), IR_FIELD(op_conv_attr, lhs_dilation, IR_DIMS),
                       IR_FIELD(op_conv_attr, rhs_dilation, IR_DIMS), IR_FIELD(op_conv_attr, window_reversal, IR_DIMS),
                       IR_FIELD(op_conv_attr, feature_group_count, IR_INT),
                       IR_FIELD(op_conv_attr, batch_group_count, IR_INT), IR_FIELD(op_conv_attr, batching, IR_INT),
                       IR_FIELD(op_conv_attr, preferred_element_type, IR_DTYPE),
                       { "precision", IR_ENUM, offsetof(op_conv_attr, precision), op_precisions }),
    .type = conv_type,
    .rules = conv_rules,
    .linear = op_each,
    .partial = op_partial_sum,
    .jvp = op_jvp_linear,
    .transpose = conv_transpose,
    .batch = conv_batch,
    .decompose = op_decompose_none,
    .exchange = op_exchange_none,
    .ref = conv_ref,
    .prog = op_prog_none, .pair = op_pair_convolution,
    .local = OP_LOCAL(.rule = conv_local, .windows = OP_LOCAL_READ, .dilated = true, .alike = true,
                      .refuses = conv_refuses),
    .cases =
        OP_CASES("convolution f32[2,6,5,3], f32[3,3,3,4] {" NHWC
                 "window_strides=[1,1], padding_low=[1,1], padding_high=[1,1], lhs_dilation=[1,1], "
                 "rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution f32[2,6,5,3], f32[3,3,3,4] {" NHWC
                 "window_strides=[1,1], padding_low=[1,1], padding_high=[1,1], lhs_dilation=[1,1], "
                 "rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32, precision=highest}",
                 "convolution f32[2,7,6,2], f32[3,2,2,3] {" NHWC
                 "window_strides=[2,2], padding_low=[0,1], padding_high=[1,0], lhs_dilation=[1,1], "
                 "rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution f32[2,4,3,2], f32[2,3,2,3] {" NHWC
                 "window_strides=[1,2], padding_low=[-1,2], padding_high=[2,-1], lhs_dilation=[2,3], "
                 "rhs_dilation=[2,1], window_reversal=[1,0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution f32[2,6,5], f32[4,3,3] {" NCH "window_strides=[1], padding_low=[1], padding_high=[1], "
                 "lhs_dilation=[1], rhs_dilation=[1], window_reversal=[0], feature_group_count=2, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution f64[4,2,5], f64[6,2,2] {" NCH "window_strides=[2], padding_low=[0], padding_high=[2], "
                 "lhs_dilation=[1], rhs_dilation=[1], window_reversal=[1], feature_group_count=1, batch_group_count=2, "
                 "preferred_element_type=f64}",
                 "convolution bf16[1,4,4,2], bf16[2,2,2,2] {" NHWC
                 "window_strides=[1,1], padding_low=[0,0], padding_high=[0,0], lhs_dilation=[1,1], "
                 "rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution i32[2,3,5], i32[2,3,3] {" NCH "window_strides=[1], padding_low=[1], padding_high=[1], "
                 "lhs_dilation=[1], rhs_dilation=[1], window_reversal=[0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=i32}",
                 "convolution f32[0,3,5], f32[2,3,3] {" NCH "window_strides=[1], padding_low=[1], padding_high=[1], "
                 "lhs_dilation=[1], rhs_dilation=[1], window_reversal=[0], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}",
                 "convolution f32[2,2,5,3], f32[2,3,3,4] {input_batch_dimension=1, input_feature_dimension=3, "
                 "input_spatial_dimensions=[2], kernel_input_feature_dimension=2, "
                 "kernel_output_feature_dimension=3, kernel_spatial_dimensions=[1], output_batch_dimension=1, "
                 "output_feature_dimension=3, output_spatial_dimensions=[2], "
                 "window_strides=[2], "
                 "padding_low=[1], padding_high=[0], lhs_dilation=[1], rhs_dilation=[1], window_reversal=[0], "
                 "feature_group_count=1, batch_group_count=1, batching=1, preferred_element_type=f32}",
                 "convolution f32[3,4], f32[4,2] {input_batch_dimension=0, input_feature_dimension=1, "
                 "input_spatial_dimensions=[], kernel_input_feature_dimension=0, kernel_output_feature_dimension=1, "
                 "kernel_spatial_dimensions=[], output_batch_dimension=0, output_feature_dimension=1, "
                 "output_spatial_dimensions=[], window_strides=[], padding_low=[], padding_high=[], lhs_dilation=[], "
                 "rhs_dilation=[], window_reversal=[], feature_group_count=1, batch_group_count=1, "
                 "preferred_element_type=f32}"),
};
