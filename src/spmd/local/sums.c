/* spmd/local/sums.c - local forms of reductions, windows and convolutions. */
#include "local.h"
#include "../../op/ops.h"

/* Atoms over which the results are partial because this equation's own sum is sharded. */
static mesh_set sums_over(const spmd_local_eqn *e)
{
    mesh_set s = 0;
    for (int k = 0; k < e->rule->nfactor; k++)
        if (e->rule->factor[k].kind == OP_REDUCTION) s |= mesh_list_set(e->e->sharding->atoms[k]);
    return s;
}

/* The rests of parts along the dims of operand i that are summed become the identity. */
static bool sums_rests(spmd_local_eqn *e, int i, mesh_reduce kind)
{
    const ir_type *const t = IR_IN(e->e, i);
    mesh_list at[IR_RANK + 1] = { 0 };
    bool any = false;
    for (int d = 0; d < t->rank; d++) {
        const struct op_rule_dim *const dim = &e->rule->dim[i * IR_RANK + d];
        if (dim->n != 1 || e->rule->factor[dim->at[0].factor].kind != OP_REDUCTION) continue;
        at[d] = e->need[i].dim[d];
        any |= spmd_local_uneven(e->p, at[d], t->dim[d]);
    }
    if (!any) return true;
    return (e->x[i] = spmd_local_masked(e->p, e->x[i], t, at, op_identity(e->p->b, kind, t->dtype))) != 0;
}

bool spmd_local_reduce(spmd_local_eqn *e, ir_id *y)
{
    const mesh_set over = sums_over(e);
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    for (uint32_t i = e->e->nin / 2; over && i < e->e->nin; i++)         /* the initial value counts once */
        if (!(e->x[i] = spmd_local_once(e->p, e->x[i], over, kind))) return false;
    for (uint32_t i = 0; over && i < e->e->nin / 2; i++)
        if (!sums_rests(e, (int)i, kind)) return false;
    return spmd_local_as_is(e, y);
}

bool spmd_local_dot_general(spmd_local_eqn *e, ir_id *y)
{
    return sums_rests(e, 0, MESH_SUM) && sums_rests(e, 1, MESH_SUM) && spmd_local_as_is(e, y);
}

/* Paddings of a windowed dim on a part, so that windows begin where they do in the whole. out: elements of the part. */
static void sums_padding(const op_taps *t, const spmd_local_span *s, int64_t out, int64_t *low, int64_t *high)
{
    *low = s->first * t->base + t->lo;
    *high = (out - 1) * t->stride + (t->n - 1) * t->step + 1 - *low - ((s->n - 1) * t->base + 1);
}

bool spmd_local_reduce_window(spmd_local_eqn *e, ir_id *y)
{
    op_window_attr a = *IR_ATTR(e->e, op_window_attr);
    const int n = (int)e->e->nin / 2;
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    int64_t low[IR_RANK], high[IR_RANK];
    const ir_type *const out = spmd_local_type(e->p, e->e->site, IR_OUT(e->e, 0), &e->need[e->e->nin]);
    if (!out) return false;
    for (int i = 0; i < n; i++) {                        /* elements around the operand do not count */
        bool cut = false;
        for (int d = 0; d < out->rank; d++) cut |= spmd_local_windowed(e, i, d);
        if (cut && kind == MESH_NONE) return spmd_local_none(e->e, "its windows are in parts, and it has no identity");
        const ir_id fill = cut ? op_identity(e->p->b, kind, IR_IN(e->e, i)->dtype) : 0;
        if (cut && !spmd_local_windows(e, i, fill)) return false;
    }
    for (int d = 0; d < out->rank; d++) {
        const op_taps t = op_taps_of(&a, d);
        spmd_local_span s;
        low[d] = t.lo, high[d] = t.hi;
        if (!spmd_local_windowed(e, 0, d)) continue;
        if (!spmd_local_span_of(e, 0, d, &s)) return false;
        sums_padding(&t, &s, out->dim[d], &low[d], &high[d]);
    }
    a.padding_low = (ir_dims){ out->rank, low }, a.padding_high = (ir_dims){ out->rank, high };
    return spmd_local_emit(e, &a, y);
}

/* True if the windows of each part of dim d read the elements of the same part of x and no others. */
static bool sums_apart(const spmd_local_eqn *e, int d, int64_t parts)
{
    const op_taps t = op_taps_of(IR_ATTR(e->e, op_window_attr), d);
    const int64_t size = IR_IN(e->e, 0)->dim[d];
    return !t.lo && !t.hi && (t.n - 1) * t.step < t.stride && size % (parts * t.stride) == 0;
}

/* select_and_scatter, select_and_gather: of windows that lie apart, as those of most pools do. */
bool spmd_local_select(spmd_local_eqn *e, ir_id *y)
{
    spmd_local_part *const p = e->p;
    for (int i = 0; i < 2; i++) {
        const ir_type *const t = IR_IN(e->e, i);
        const mesh_layout *const l = p->f->layout[e->e->in[i]];
        const spmd_sharding has = spmd_sharding_of(l);
        bool any = false;
        for (int d = 0; d < t->rank; d++) {
            if (!spmd_local_windowed(e, i, d)) continue;
            any = true;
            if (!sums_apart(e, d, mesh_list_size(p->l->from, e->need[i].dim[d])))
                return spmd_local_none(e->e, "its windows cross parts");
        }
        e->need[i].partial = has.partial;
        if (any && !(e->x[i] = spmd_local_move(p, e->e->site, e->x[i], t, &has, &e->need[i], l->reduce, l->reduce)))
            return false;
    }
    return spmd_local_as_is(e, y);
}

/* The kernel's rows are in parts: each device reads x as far on as its rows are, and has a part of the sum. */
static bool sums_rows(spmd_local_eqn *e, int i, int d, int64_t out, mesh_list atoms)
{
    spmd_local_part *const p = e->p;
    const op_conv_attr *const a = IR_ATTR(e->e, op_conv_attr);
    const op_taps t = op_conv_taps(a, IR_IN(e->e, 1), i);
    const ir_type *const x = ir_typeof(p->b, e->x[0]);
    const int64_t parts = mesh_list_size(p->l->from, atoms), rows = t.n / parts;
    int64_t low[IR_RANK] = { 0 }, high[IR_RANK] = { 0 }, in[IR_RANK] = { 0 }, size[IR_RANK];
    ir_id start[IR_RANK];
    if (t.base != 1 || spmd_local_windowed(e, 0, d))
        return spmd_local_none(e->e, "its kernel's rows are in parts, and so are x's or they are dilated");
    for (int k = 0; k < x->rank; k++) size[k] = x->dim[k], start[k] = op_int(p->b, TT_I32, 0);
    low[d] = t.lo, size[d] = (out - 1) * t.stride + (rows - 1) * t.step + 1;
    high[d] = (out - 1) * t.stride + (t.n - 1) * t.step + 1 - t.lo - x->dim[d];
    const bool turned = a->window_reversal.v[i];
    start[d] = spmd_local_affine(p, atoms, turned ? (parts - 1) * rows * t.step : 0, turned ? -rows * t.step
                                                                                            : rows * t.step);
    const ir_dims n = { x->rank, low };
    const ir_id around = op_pad(p->b, e->x[0], n, (ir_dims){ x->rank, high }, (ir_dims){ x->rank, in });
    return (e->x[0] = op_dynamic_slice(p->b, around, start, (ir_dims){ x->rank, size })) != 0;
}

bool spmd_local_convolution(spmd_local_eqn *e, ir_id *y)
{
    op_conv_attr a = *IR_ATTR(e->e, op_conv_attr);
    const mesh *const m = e->p->l->from;
    const int64_t groups = a.feature_group_count * a.batch_group_count;
    int64_t low[IR_RANK], high[IR_RANK], dilation[IR_RANK];
    const ir_type *const out = spmd_local_type(e->p, e->e->site, IR_OUT(e->e, 0), &e->need[2]);
    if (!out || !spmd_local_windows(e, 0, 0)) return false;
    if (groups > 1) {                                    /* the groups' factor is the one after those of batches */
        const int64_t parts = mesh_list_size(m, e->e->sharding->atoms[a.batching]);
        *(a.feature_group_count > 1 ? &a.feature_group_count : &a.batch_group_count) /= parts;
    }
    for (int i = 0; i < a.input_spatial_dimensions.n; i++) {
        const int d = (int)a.input_spatial_dimensions.v[i], k = (int)a.kernel_spatial_dimensions.v[i];
        const op_taps t = op_conv_taps(&a, IR_IN(e->e, 1), i);
        spmd_local_span s;
        low[i] = t.lo, high[i] = t.hi;
        if (mesh_list_size(m, e->need[1].dim[k]) > 1) {
            const int64_t rows = out->dim[a.output_spatial_dimensions.v[i]];
            if (!sums_rows(e, i, d, rows, e->need[1].dim[k])) return false;
            low[i] = high[i] = 0, dilation[i] = t.base;
            continue;
        }
        dilation[i] = t.base;
        if (!spmd_local_windowed(e, 0, d)) continue;
        if (spmd_local_dilates(e, 0, d)) {
            low[i] = high[i] = 0, dilation[i] = 1;
            continue;
        }
        if (!spmd_local_span_of(e, 0, d, &s)) return false;
        sums_padding(&t, &s, out->dim[a.output_spatial_dimensions.v[i]], &low[i], &high[i]);
    }
    a.padding_low = (ir_dims){ a.padding_low.n, low }, a.padding_high = (ir_dims){ a.padding_high.n, high };
    a.lhs_dilation = (ir_dims){ a.lhs_dilation.n, dilation };
    return spmd_local_emit(e, &a, y);
}
