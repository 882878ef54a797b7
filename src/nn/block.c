/* nn/block.c - the residual block of He and others (2015): conv 3x3, norm, relu, conv 3x3, norm, plus the input. */
#include "nn.h"

/* A convolution, with or without bias, and its batch norm, numbered as in d2l and torchvision. */
typedef struct { const char *conv, *norm; int64_t window, stride; } layer;

static tt_val convolved(nn_frame *f, tt_val x, const layer *l, int64_t filters, const tt_res_opts *o)
{
    const tt_nn m = { f, f->alive };
    const tt_conv_opts c = { .size = sizeof c, .window = { l->window, l->window }, .stride = { l->stride, l->stride },
                             .pad = l->window == 3 ? o->pad : NULL, .no_bias = !o->bias };
    const tt_val y = tt_conv_at(f->site, m, l->conv, x, filters, &c);
    char given[160];
    tt_norm_opts norm = o->norm;
    norm.size = sizeof norm;
    if (tt_given_in(o, "norm", given, sizeof given)) norm.given = given;
    return l->norm ? tt_batch_norm_at(f->site, m, l->norm, y, &norm) : y;
}

/* x [N, H, W, C] -> [N, H / stride, W / stride, filters]; if shapes differ, x passes through a 1 x 1 convolution. */
tt_val tt_res_block_at(const char *site, tt_nn m, const char *name, tt_val x, int64_t filters, const tt_res_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_res_opts, site, "res_block", o)) return tt_poison;
    nn_frame f;
    if (!nn_enter(&f, m, site, "ResBlock", name)) return tt_poison;
    const int64_t stride = o->stride ? o->stride : 1;
    tt_val y = convolved(&f, x, &(layer){ "conv1", "bn1", 3, stride }, filters, o);
    y = convolved(&f, tt_relu_at(site, y), &(layer){ "conv2", "bn2", 3, 1 }, filters, o);
    if (stride != 1 || tt_dim_at(site, x, -1) != filters)
        x = convolved(&f, x, &(layer){ "conv3", o->plain_skip ? NULL : "bn3", 1, stride }, filters, o);
    return nn_leave(&f, tt_relu_at(site, tt_add_at(site, x, y)));
}
