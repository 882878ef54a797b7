/* nn/name.c - naming conventions: unnamed layers, classes, initializers.
 *
 * Linen and NNX: a class is Conv, an unnamed layer Conv_0, a kernel is drawn by lecun_normal. Keras: Conv2D, conv2d and
 * conv2d_1, GlorotUniform; norms have gamma, beta, moving_mean, moving_variance and other epsilons (nn/norm.c).
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

/* The name of an unnamed layer: in Flax Dense_0, Dense_1; in Keras dense, dense_1, and batch_normalization for
 * BatchNormalization. */
void nn_own_name(nn_keys keys, const char *cls, int n, char to[NN_NAME])
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t k = 0;
    if (keys != NN_KERAS) {
        snprintf(to, NN_NAME, "%s_%d", cls, n);
        return;
    }
    for (const char *p = cls; *p && k + 2 < NN_NAME; p++) {
        const bool upper = *p >= 'A' && *p <= 'Z', word = p > cls && p[1] && strchr(small, p[1]);
        if (upper && (word || (p > cls && p[-1] >= 'a' && p[-1] <= 'z'))) to[k++] = '_';
        to[k++] = upper ? (char)(*p + 'a' - 'A') : *p;
    }
    snprintf(to + k, NN_NAME - k, n ? "_%d" : "%.0d", n);
}

const char *nn_class(const char *site, tt_nn m, const char *cls, int dims)
{
    static const struct { const char *flax, *keras[4]; } t[] = {
        { "Conv", { "Conv1D", "Conv2D", "Conv3D" } },
        { "DepthwiseConv", { "DepthwiseConv1D", "DepthwiseConv2D", "DepthwiseConv3D" } },
        { "SeparableConv", { "SeparableConv1D", "SeparableConv2D", "SeparableConv3D" } },
        { "ConvTranspose", { "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose" } },
        { "BatchNorm", { "BatchNormalization" } }, { "LayerNorm", { "LayerNormalization" } },
        { "RMSNorm", { "RMSNormalization" } }, { "GroupNorm", { "GroupNormalization" } },
        { "Embed", { "Embedding" } },
    };
    const bool keras = nn_there(site, m) && m.p->root->keys == NN_KERAS;
    for (size_t i = 0; keras && i < sizeof t / sizeof *t; i++)
        if (!strcmp(t[i].flax, cls) && dims > 0 && dims < 4) return t[i].keras[dims - 1];
    return strcmp(cls, "DepthwiseConv") ? cls : "Conv";  /* Flax has one class for both */
}

const char *nn_kernel_init(const nn_frame *f, const char *given)
{
    return given ? given : f->root->keys == NN_KERAS ? "keras.GlorotUniform()" : "lecun_normal";
}
