/* gen/dnn/conv.c - convolution equations on boxes as oneDNN's three convolutions.
 *
 * oneDNN's forward: dst[n, o, w] = sum_ik src[n, i, w*S + k*D - P] weights[o, i, k]. Our equation with base dilation 1
 * and an unreversed window is the same. The equations that the convolution's transpose rules emit are recognised by
 * their form:
 * - input gradient: window reversed, stride 1, base dilation S: BACK_DATA, low padding P = (K-1)*D - padding_low
 * - weight gradient: lhs features as batch, window larger than the result, window dilation S, stride D: BACK_WEIGHTS,
 *   low padding P = padding_low
 * High paddings are those with which the sizes agree. Spatial dims must be complete in every box; batches and features
 * may be split. A large batch is split into blocks for the workers; the blocks' weight gradients are summed
 * afterwards. */
#include "dnn.h"

#include <string.h>

typedef struct {
    const op_conv_attr *a; const ir_box *x, *y, *z;      /* lhs, rhs, result */
    int n; int64_t groups, base[3];
    int64_t batch, in, out; /* extents in this box: of z's batch, contracted, z's features */
} conv;

static bool same_everywhere(ir_dims l, int64_t v)
{
    for (int i = 0; i < l.n; i++) if (l.v[i] != v) return false;
    return true;
}

/* True if every dim's window is reversed or of size 1 (the same either way) */
static bool dnn_conv_symmetric(const conv *c)
{
    for (int i = 0; i < c->n; i++)
        if (!c->a->window_reversal.v[i] && c->y->n[c->a->kernel_spatial_dimensions.v[i]] > 1) return false;
    return true;
}

static bool unturned(const conv *c)
{
    for (int i = 0; i < c->n; i++)
        if (c->a->window_reversal.v[i] && c->y->n[c->a->kernel_spatial_dimensions.v[i]] > 1) return false;
    return true;
}

static bool dnn_conv_full_dim(const ir_box *b, const ir_type *t, int64_t d)
{
    return b->lo[d] == 0 && b->n[d] == t->dim[d] && b->n[d] > 0;
}

static bool full_space(const conv *c, const dnn_self *self)
{
    for (int i = 0; i < c->n; i++)
        if (!dnn_conv_full_dim(c->x, self->x, c->a->input_spatial_dimensions.v[i]) ||
            !dnn_conv_full_dim(c->y, self->y, c->a->kernel_spatial_dimensions.v[i]) ||
            !dnn_conv_full_dim(c->z, self->z, c->a->output_spatial_dimensions.v[i])) return false;
    return true;
}

/* Sets offsets and extents of batch and features. Returns false if the boxes do not hold them, or if there are groups
 * and the boxes do not hold all of them. */
static bool fit(conv *c, const dnn_self *self)
{
    const op_conv_attr *a = c->a;
    const ir_box *x = c->x, *y = c->y, *z = c->z;
    const int xb = (int)a->input_batch_dimension, xf = (int)a->input_feature_dimension,
        yi = (int)a->kernel_input_feature_dimension, yo = (int)a->kernel_output_feature_dimension;
    const int zb = (int)a->output_batch_dimension, zf = (int)a->output_feature_dimension;
    if (!full_space(c, self)) return false;
    c->batch = z->n[zb];
    c->out = z->n[zf];
    if (c->groups > 1) {
        c->in = y->n[yi];
        return dnn_conv_full_dim(x, self->x, xb) && dnn_conv_full_dim(x, self->x, xf) &&
            dnn_conv_full_dim(y, self->y, yi) && dnn_conv_full_dim(y, self->y, yo) &&
               dnn_conv_full_dim(z, self->z, zb) && dnn_conv_full_dim(z, self->z, zf);
    }
    const int64_t lo = x->lo[xf] > y->lo[yi] ? x->lo[xf] : y->lo[yi];
    const int64_t p_end = x->lo[xf] + x->n[xf], q_end = y->lo[yi] + y->n[yi];
    c->in = (p_end < q_end ? p_end : q_end) - lo;
    return c->in > 0 && c->batch > 0 && c->out > 0 && dnn_part(x, xb, z->lo[zb], c->batch, &c->base[0]) &&
           dnn_part(x, xf, lo, c->in, &c->base[0]) && dnn_part(y, yi, lo, c->in, &c->base[1]) &&
           dnn_part(y, yo, z->lo[zf], c->out, &c->base[1]);
}

static void dnn_conv_push(dnn_tensor *t, int64_t n, int64_t step)
{
    t->n[t->rank] = n;
    t->step[t->rank++] = step;
}

static void space(dnn_tensor *t, const ir_box *b, ir_dims dims)
{
    for (int i = 0; i < dims.n; i++) dnn_conv_push(t, b->n[dims.v[i]], b->step[dims.v[i]]);
}

static dnn_tensor image(const ir_box *b, int64_t n, int64_t n_dim, int64_t f, int64_t f_dim, ir_dims spatial)
{
    dnn_tensor t = { .dtype = b->dtype };
    dnn_conv_push(&t, n, b->step[n_dim]);
    dnn_conv_push(&t, f, b->step[f_dim]);
    space(&t, b, spatial);
    return t;
}

/* [g, o, i, k..] if there are groups: `major` is the dim that holds the groups. */
static dnn_tensor weights(const ir_box *b, int64_t g, int64_t major, int64_t o, int64_t o_dim, int64_t i, int64_t i_dim,
                          ir_dims spatial)
{
    dnn_tensor t = { .dtype = b->dtype };
    if (g > 1) dnn_conv_push(&t, g, b->n[major] / g * b->step[major]);
    dnn_conv_push(&t, o, b->step[o_dim]);
    dnn_conv_push(&t, i, b->step[i_dim]);
    space(&t, b, spatial);
    return t;
}

static ir_box dense_like(const ir_box *b, const int64_t *step)
{
    ir_box d = *b;
    d.dtype = TT_F32;
    memcpy(d.step, step, (size_t)b->rank * sizeof *step);
    return d;
}

/* Sets the high padding with which the sizes agree: out = (in + low + high - ((k-1) d + 1)) / s + 1, exactly. Returns
 * false if a padding is out of range. */
static bool dnn_conv_window(dnn_spec *p, int i, int64_t stride, int64_t dilation, int64_t low, int64_t in, int64_t k,
                            int64_t out)
{
    p->stride[i] = stride;
    p->dilate[i] = dilation - 1;
    p->low[i] = low;
    p->high[i] = (out - 1) * stride + (k - 1) * dilation + 1 - in - low;
    return low >= 0 && p->high[i] + stride > 0;
}

static bool forward(const conv *c, dnn_spec *p)
{
    const op_conv_attr *a = c->a;
    const int64_t g = c->groups;
    bool good = true;
    p->kind = DNN_FORWARD;
    p->a = image(c->x, c->batch, a->input_batch_dimension, c->in * g, a->input_feature_dimension,
                 a->input_spatial_dimensions);
    p->b = weights(c->y, g, a->kernel_output_feature_dimension, c->out / g, a->kernel_output_feature_dimension, c->in,
                   a->kernel_input_feature_dimension, a->kernel_spatial_dimensions);
    p->c = image(c->z, c->batch, a->output_batch_dimension, c->out, a->output_feature_dimension,
                 a->output_spatial_dimensions);
    for (int i = 0; i < c->n; i++)
        good &= dnn_conv_window(p, i, a->window_strides.v[i], a->rhs_dilation.v[i], a->padding_low.v[i],
                                c->x->n[a->input_spatial_dimensions.v[i]],
                                c->y->n[a->kernel_spatial_dimensions.v[i]], c->z->n[a->output_spatial_dimensions.v[i]]);
    return good;
}

/* x is diff_dst, its features are the o of the weights [.., o, i, k]; z is diff_src. */
static bool back_data(const conv *c, dnn_spec *p)
{
    const op_conv_attr *a = c->a;
    const int64_t g = c->groups;
    bool good = true;
    p->kind = DNN_BACK_DATA;
    p->a = image(c->x, c->batch, a->input_batch_dimension, c->in * g, a->input_feature_dimension,
                 a->input_spatial_dimensions);
    p->b = weights(c->y, g, a->kernel_output_feature_dimension, c->in, a->kernel_input_feature_dimension, c->out / g,
                   a->kernel_output_feature_dimension, a->kernel_spatial_dimensions);
    p->c = image(c->z, c->batch, a->output_batch_dimension, c->out, a->output_feature_dimension,
                 a->output_spatial_dimensions);
    for (int i = 0; i < c->n; i++) {
        const int64_t k = c->y->n[a->kernel_spatial_dimensions.v[i]];
        good &= dnn_conv_window(p, i, a->lhs_dilation.v[i], a->rhs_dilation.v[i],
                                (k - 1) * a->rhs_dilation.v[i] - a->padding_low.v[i],
                                c->z->n[a->output_spatial_dimensions.v[i]], k,
                                c->x->n[a->input_spatial_dimensions.v[i]]);
    }
    return good;
}

/* x is src with features as batch, y is diff_dst, z is diff_weights: its batch is i, its features are o. */
static bool back_weights(const conv *c, dnn_spec *p)
{
    const op_conv_attr *a = c->a;
    const int64_t g = c->groups;
    bool good = true;
    p->kind = DNN_BACK_WEIGHTS;
    p->a = image(c->x, c->in, a->input_feature_dimension, c->batch * g, a->input_batch_dimension,
                 a->input_spatial_dimensions);
    p->b = image(c->y, c->in, a->kernel_input_feature_dimension, c->out, a->kernel_output_feature_dimension,
                 a->kernel_spatial_dimensions);
    p->c = weights(c->z, g, a->output_feature_dimension, c->out / g, a->output_feature_dimension, c->batch,
                   a->output_batch_dimension, a->output_spatial_dimensions);
    for (int i = 0; i < c->n; i++)
        good &= dnn_conv_window(p, i, a->rhs_dilation.v[i], a->window_strides.v[i], a->padding_low.v[i],
                                c->x->n[a->input_spatial_dimensions.v[i]],
                                c->z->n[a->output_spatial_dimensions.v[i]], c->y->n[a->kernel_spatial_dimensions.v[i]]);
    return good;
}

/* True if the window is larger than the result, as in a weight gradient. */
static bool wide_window(const conv *c)
{
    double window = 1, result = 1;
    for (int i = 0; i < c->n; i++) {
        window *= (double)c->y->n[c->a->kernel_spatial_dimensions.v[i]];
        result *= (double)c->z->n[c->a->output_spatial_dimensions.v[i]];
    }
    return window > result;
}

static bool spec_of(conv *c, dnn_spec *p, const char **why)
{
    const op_conv_attr *a = c->a;
    const bool base = same_everywhere(a->lhs_dilation, 1);
    memset(p, 0, sizeof *p);
    p->nspatial = c->n;
    if (base && unturned(c) && a->feature_group_count == 1 && wide_window(c) && back_weights(c, p)) return true;
    memset(p, 0, sizeof *p);
    p->nspatial = c->n;
    if (base && unturned(c) && a->batch_group_count == 1 && forward(c, p)) return true;
    memset(p, 0, sizeof *p);
    p->nspatial = c->n;
    if (dnn_conv_symmetric(c) && same_everywhere(a->window_strides, 1) && a->batch_group_count == 1 && back_data(c, p))
        return true;
    *why = "neither a convolution forward nor one of its gradients";
    return false;
}

static int64_t dnn_conv_block_rows(dnn_problem *p, int64_t batch, int64_t want) /* rows of a block */
{
    const int64_t each = (batch + want - 1) / want;
    p->parts = (batch + each - 1) / each;
    p->nspec = batch % each ? 2 : 1;
    p->spec[1] = p->spec[0];
    p->spec[0].a.n[0] = each;
    p->spec[1].a.n[0] = batch % each;
    return each;
}

static void blocks(const conv *c, dnn_problem *p, int64_t want)
{
    const int64_t each = dnn_conv_block_rows(p, c->batch, want);
    for (int i = 0; i < 2; i++) p->spec[i].c.n[0] = p->spec[i].a.n[0];
    p->before = (int)c->a->output_batch_dimension, p->dims = 1, p->each = each;
    p->step[0] = each * c->x->step[c->a->input_batch_dimension] * (int64_t)dnn_bytes(c->x->dtype);
    p->step[2] = each * c->z->step[c->a->output_batch_dimension] * (int64_t)dnn_bytes(c->z->dtype);
}

/* Weight gradients of blocks of the batch, as dense f32 in the order of the result's box. */
static void dnn_conv_summed(const conv *c, dnn_problem *p, int64_t want)
{
    const int64_t each = dnn_conv_block_rows(p, c->in, want);
    if (p->parts == 1) {
        p->spec[0].a.n[0] = c->in;
        return;
    }
    int64_t step[IR_RANK], n = 1;
    for (int d = c->z->rank - 1; d >= 0; d--) step[d] = n, n *= c->z->n[d];
    for (int i = 0; i < 2; i++) {
        const ir_box dense = dense_like(c->z, step);
        p->spec[i].b.n[0] = p->spec[i].a.n[0];
        p->spec[i].c = weights(&dense, c->groups, c->a->output_feature_dimension, c->out / c->groups,
                               c->a->output_feature_dimension, c->batch,
                               c->a->output_batch_dimension, c->a->output_spatial_dimensions);
    }
    p->sum = n;
    p->step[0] = each * c->x->step[c->a->input_feature_dimension] * (int64_t)dnn_bytes(c->x->dtype);
    p->step[1] = each * c->y->step[c->a->kernel_input_feature_dimension] * (int64_t)dnn_bytes(c->y->dtype);
    p->step[2] = (n + 15) / 16 * 16 * (int64_t)sizeof(float);
}

/* The number of blocks, at least `want`, such that a block's result stays in the cache for the next step. */
static int64_t in_cache(const conv *c, int64_t want)
{
    enum { CACHED = 1 << 19, MANY = 64 };
    double parts = sizeof(float) / (double)CACHED;
    for (int d = 0; d < c->z->rank; d++) parts *= (double)c->z->n[d];
    if (parts > (double)c->batch) parts = (double)c->batch;
    return parts <= (double)want ? want : parts > MANY ? MANY : (int64_t)parts;
}

bool dnn_conv(const dnn_self *self, const ir_box *arg, bool split, dnn_problem *p, const char **why)
{
    enum { MOST = 16 };
    const op_conv_attr *a = self->attr;
    const int64_t groups = a->feature_group_count * a->batch_group_count;
    conv c = { a, &arg[0], &arg[1], &arg[2], a->input_spatial_dimensions.n, groups, { 0 }, 0, 0, 0 };
    if (c.n < 1 || c.n > DNN_SPATIAL || !fit(&c, self))
        return *why = "no spatial dims, more than three, or a sharded one", false;
    memset(p, 0, sizeof *p);
    if (!spec_of(&c, &p->spec[0], why)) return false;
    double work = (double)c.in * 2;
    for (int d = 0; d < c.z->rank; d++) work *= (double)c.z->n[d];
    for (int i = 0; i < c.n; i++) work *= (double)c.y->n[a->kernel_spatial_dimensions.v[i]];
    if (work < 1e6) return *why = "small: our own kernels are faster", false;
    for (int t = 0; t < 3; t++) p->base[t] = c.base[t] * (int64_t)dnn_bytes(arg[t].dtype);
    const int64_t want = work / 2e7 < 1 ? 1 : work / 2e7 > MOST ? MOST : (int64_t)(work / 2e7);
    if (p->spec[0].kind == DNN_BACK_WEIGHTS) dnn_conv_summed(&c, p, !split ||
        work < 2e8 ? 1 : work < 8e8 ? (int64_t)(work / 1e8)
                                                             : MOST / 2);
    else blocks(&c, p, in_cache(&c, want));
    return true;
}
