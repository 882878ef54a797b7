/* model/lora.c - fine-tuning by low-rank terms (Hu and others, 2021) beside the projections of a model. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *site, *what;
    const struct tt_model_s *m;
    tt_val params;
    model_weight *w;
    int n, leaves;
    char (*path)[MODEL_PATH];                            /* of the new tree's leaves, at most 3 n */
    const char **at;
    tt_val *v;
} tuning;

static bool tuning_open(tuning *t)
{
    t->n = model_weights(&t->m->c, &t->w);
    const size_t most = t->n < 0 ? 1 : 3 * (size_t)t->n;
    t->path = calloc(most, sizeof *t->path), t->at = calloc(most, sizeof *t->at), t->v = calloc(most, sizeof *t->v);
    if (t->n >= 0 && t->path && t->at && t->v) return true;
    tt_fail_at(t->site, TT_EMEM, "%s: out of memory", t->what);
    return false;
}

static tt_val tuning_close(tuning *t)
{
    const tt_val made = tt_ok() ? tt_tree_at(t->site, t->leaves, t->at, t->v) : tt_poison;
    free(t->w), free(t->path), free(t->at), free(t->v);
    return made;
}

static void put_leaf(tuning *t, const model_weight *w, const char *name, tt_val v)
{
    snprintf(t->path[t->leaves], MODEL_PATH, "%.*s%s", model_stem(w->name), w->name, name);
    t->at[t->leaves] = t->path[t->leaves];
    t->v[t->leaves++] = v;
}

/* The leaf, with logical axes that lie where the model's rules say. */
static tt_val placed_leaf(const tuning *t, tt_val v, const char *axes)
{
    const tt_logical_opts none = { .size = sizeof none };
    const tt_leaf_opts leaf = { .size = sizeof leaf, .axes = axes };
    if (t->m->mesh.p && t->m->rules)
        v = tt_shard_at(t->site, v, t->m->mesh, tt_logical_spec_at(t->site, axes, t->m->rules, &none));
    return tt_leaf_at(t->site, v, &leaf);
}

/* lora_a [in, rank] and lora_b [rank, out] of a weight with axes "out, in", or if turned "in, out". */
static void add_terms(tuning *t, const model_weight *w, int64_t rank, tt_val key)
{
    const int in = t->m->c.turned ? 0 : 1;
    const char *const comma = strchr(w->axes, ',');
    char name[2][32], axes[48];
    snprintf(name[0], sizeof name[0], "%.*s", (int)(comma - w->axes), w->axes);
    snprintf(name[1], sizeof name[1], "%s", comma + 2);
    const int64_t a[] = { w->dim[in], rank, TT_DIM_END }, b[] = { rank, w->dim[1 - in], TT_DIM_END };
    const tt_val drawn = tt_normal_at(t->site, key, TT_F32, a);
    snprintf(axes, sizeof axes, "%s, _", name[in]);
    put_leaf(t, w, "lora_a", placed_leaf(t, tt_mul_at(t->site, drawn, tt_f(1 / sqrt((double)w->dim[in]))), axes));
    snprintf(axes, sizeof axes, "_, %s", name[1 - in]);
    put_leaf(t, w, "lora_b", placed_leaf(t, tt_full_at(t->site, 0, TT_F32, b), axes));
}

static bool has_term(const tuning *t, const model_weight *w)
{
    char path[MODEL_PATH + 8];
    snprintf(path, sizeof path, "%.*slora_a", model_stem(w->name), w->name);
    return tt_has_at(t->site, t->params, path);
}

tt_val tt_model_lora_at(const char *site, tt_model m, tt_val params, int64_t rank, tt_val key)
{
    TT_ENTRY(site);
    if (!model_is_open(site, "model_lora", m)) return tt_poison;
    if (rank < 1 || rank > m.p->c.features)
        return tt_fail_at(site, TT_EARG, "model_lora: rank %lld; expected 1 to %lld, the model's features",
                          (long long)rank, (long long)m.p->c.features);
    if (!model_params_fit(site, &m.p->c, params)) return tt_poison;
    tuning t = { .site = site, .what = "model_lora", .m = m.p, .params = params };
    const int n = tuning_open(&t) ? t.n : 0;
    for (int i = 0; i < n && tt_ok(); i++) {
        const model_weight *const w = &t.w[i];
        put_leaf(&t, w, w->name + model_stem(w->name), tt_get_at(site, params, w->name));
        if (has_term(&t, w))
            tt_fail_at(site, TT_EARG,
                       "model_lora: %s has low-rank terms already; tt_model_merge() adds them to the weights", w->name);
        else if (w->lora) add_terms(&t, w, rank, tt_fold_in_at(site, key, tt_i(i)));
    }
    const tt_val tree = tuning_close(&t);
    return tt_ok() ? tt_train_only_at(site, tree, "lora_a lora_b") : tt_poison;
}

/* A weight, f32, as f8 with a scale for each block, in the types of part: the scale is the largest magnitude divided by
 * 448, which is the largest number of f8e4m3fn; each element is rounded once. */
static tt_val in_f8(const tuning *t, const model_weight *w, tt_val v, const tt_val part[2])
{
    const char *const site = t->site;
    const int64_t *const block = t->m->c.block, none[] = { 0, 0 };
    const tt_reduce_opts each = { .size = sizeof each, .dims = "1, 3", .keepdims = 1 };
    const tt_leaf_opts kept = { .size = sizeof kept, .frozen = 1 };
    int64_t count[2], behind[2];
    for (int d = 0; d < 2; d++) {
        count[d] = (w->dim[d] + block[d] - 1) / block[d];
        behind[d] = count[d] * block[d] - w->dim[d];
    }
    const int64_t apart[] = { count[0], block[0], count[1], block[1], TT_DIM_END };
    const int64_t whole[] = { count[0] * block[0], count[1] * block[1], TT_DIM_END };
    const int64_t scales[] = { count[0], count[1], TT_DIM_END };
    const tt_val tiles = tt_reshape_at(site, tt_pad_at(site, v, tt_f(0), none, behind, none), apart);
    const tt_val most = tt_amax_at(site, tt_abs_at(site, tiles), &each);
    const tt_val scale = tt_cast_at(site, tt_div_at(site, most, tt_f(448)), tt_dtype_of_at(site, part[1]));
    const tt_val by = tt_cast_at(site, scale, TT_F32), zero = tt_compare_at(site, 0, by, tt_f(0));
    tt_val codes = tt_reshape_at(site, tt_where_at(site, zero, tt_f(0), tt_div_at(site, tiles, by)), whole);
    for (int d = 0; d < 2; d++) codes = tt_slice_at(site, codes, d, 0, w->dim[d], 1);
    return tt_dict_at(site, "codes", placed_leaf(t, tt_cast_at(site, codes, TT_F8E4M3FN), w->axes), "scales",
                      tt_leaf_at(site, tt_reshape_at(site, scale, scales), &kept), (const char *)0, (const char *)0,
                      (const char *)0);
}

/* The weight with its terms, rounded to its type; of codes of 8 or 4 bits f32, since rounding to these would take the
 * terms away. */
static tt_val sum_of(const tuning *t, const model_weight *w)
{
    const bool turned = t->m->c.turned;
    const char *const site = t->site;
    tt_val part[2], kept = tt_get_at(site, t->params, w->name);
    char path[MODEL_PATH + 8];
    const bool packed = model_is_packed(site, kept, part);
    const bool f8 = packed && tt_dtype_of_at(site, part[0]) == TT_F8E4M3FN;
    if (packed) kept = model_widened(site, &t->m->c, part);
    snprintf(path, sizeof path, "%.*slora_a", model_stem(w->name), w->name);
    const tt_val a = tt_get_at(site, t->params, path);
    path[strlen(path) - 1] = 'b';
    const tt_val b = tt_get_at(site, t->params, path);
    const tt_dot_opts o = { .size = sizeof o, .sum = turned ? "1:0" : "0:1" };
    const tt_val term = tt_dot_at(site, turned ? a : b, turned ? b : a, &o);
    const tt_val sum = tt_add_at(site, tt_cast_at(site, kept, TT_F32), term);
    return f8 ? in_f8(t, w, sum, part) : placed_leaf(t, tt_cast_at(site, sum, tt_dtype_of_at(site, kept)), w->axes);
}

static tt_val unchanged(const char *site, tt_val v, const tt_leaf_opts *leaf)
{
    tt_val part[2];
    return model_is_packed(site, v, part) ? v : tt_leaf_at(site, v, leaf);
}

tt_val tt_model_merge_at(const char *site, tt_model m, tt_val params)
{
    TT_ENTRY(site);
    if (!model_is_open(site, "model_merge", m)) return tt_poison;
    if (!model_params_fit(site, &m.p->c, params)) return tt_poison;
    tuning t = { .site = site, .what = "model_merge", .m = m.p, .params = params };
    const int n = tuning_open(&t) ? t.n : 0;
    int terms = 0;
    for (int i = 0; i < n && tt_ok(); i++) {
        const model_weight *const w = &t.w[i];
        const tt_leaf_opts leaf = { .size = sizeof leaf, .axes = w->axes };
        const bool term = has_term(&t, w);
        put_leaf(&t, w, w->name + model_stem(w->name),
            term ? sum_of(&t, w) : unchanged(site, tt_get_at(site, params, w->name), &leaf));
        terms += term;
    }
    if (tt_ok() && !terms) {
        tt_fail_at(site, TT_EARG, "model_merge: no weight has low-rank terms");
        tt_hint("tt_model_lora() gives a model's weights such terms");
    }
    return tuning_close(&t);
}
