/* data/batches.c - batches of a data set: images as float32 in [0, 1], labels as int32, in a new order each epoch.
 *
 * The order is jax.random's: rng, k = split(rng); permutation(k, n). The incomplete batch is dropped unless kept.
 */
#include "data.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS = 28 * 28 };

static void freed(void *p)
{
    data_set *s = p;
    if (s->shuffled) tt_drop(s->key);
    data_free(&s->images);
    data_free(&s->labels);
    free(s->order);
    free(s);
}

data_set *data_set_new(const char *site, const tt_data_opts *o)
{
    data_set *s = calloc(1, sizeof *s);
    if (!s) return tt_fail_at(site, TT_EMEM, "out of memory"), NULL;
    s->batch = o->batch ? o->batch : 128;
    s->keep_last = o->keep_last;
    s->shuffled = o->shuffle.slot || o->shuffle.born;
    if (s->shuffled) s->key = tt_keep(o->shuffle);
    tt_own(s, freed);
    return s;
}

int64_t tt_data_count(tt_data d) { return d.p ? d.p->count : 0; }
const char *tt_data_from(tt_data d) { return d.p ? d.p->from : ""; }

static tt_val batch(void *env, int64_t i)
{
    const data_set *s = env;
    const int64_t first = i * s->batch, n = first + s->batch <= s->count ? s->batch : s->count - first;
    float *image = malloc((size_t)(n * PIXELS) * sizeof *image);
    int32_t *label = malloc((size_t)n * sizeof *label);
    tt_val out = tt_none();
    if (!image || !label) out = tt_fail_at(NULL, TT_EMEM, "a batch of %lld images: out of memory", (long long)n);
    else {
        for (int64_t k = 0; k < n; k++) {
            const int64_t at = s->order ? s->order[first + k] : first + k;
            for (int j = 0; j < PIXELS; j++) image[k * PIXELS + j] = (float)s->image[at * PIXELS + j] / 255.0f;
            label[k] = s->label[at];
        }
        const tt_val part[] = { tt_array_at(NULL, TT_F32, image, (const int64_t[]){ n, 28, 28, 1, TT_DIM_END }),
                                tt_array_at(NULL, TT_I32, label, (const int64_t[]){ n, TT_DIM_END }) };
        out = tt_dict_n(NULL, 2, (const char *[]){ "image", "label" }, part);
    }
    free(image);
    free(label);
    return out;
}

static bool reorder(const char *site, data_set *s)
{
    if (!s->order) s->order = malloc((size_t)s->count * sizeof *s->order);
    if (!s->order) return tt_fail_at(site, TT_EMEM, "out of memory"), false;
    const tt_scope scope = tt_scope_open();
    const tt_val keys = tt_split_at(site, s->key, 2);
    const tt_val order = tt_permutation_at(site, tt_take_at(site, keys, tt_i(1), 0), tt_i(s->count), 0, 0);
    const bool ok = tt_read_at(site, order, s->order, (size_t)s->count * sizeof *s->order);
    const tt_val next = tt_keep(tt_take_at(site, keys, tt_i(0), 0));
    tt_drop(s->key);
    s->key = next;
    tt_scope_close(scope);
    return ok;
}

void tt_batches_at(const char *site, tt_data d, const tt_loop_opts *o, tt_loop *out)
{
    data_set *s = d.p;
    if (!s && tt_ok()) tt_fail_at(site, TT_ELIFE, "batches of no data set");
    const bool ok = s && tt_ok() && (!s->shuffled || reorder(site, s));
    const int64_t n = !ok ? 0 : s->keep_last ? (s->count + s->batch - 1) / s->batch : s->count / s->batch;
    tt_loop_of_at(site, n, batch, s, o, out);
}
