/* model/sample.c - one step of generating, as it is compiled: logits of the last position, the next id of each row, the
 * cache written in place. */
#include "generate.h"

#include <math.h>
#include <string.h>

static tt_val step_number(const tt_val numbers, int i)
{
    return tt_squeeze_at(NULL, tt_slice_at(NULL, numbers, 0, i, i + 1, 1), 0);
}

/* The k-th largest logit of each row, [rows, 1]. */
static tt_val kth(tt_val logits, int64_t k)
{
    const int64_t vocab = tt_dim_at(NULL, logits, 1), at = k < vocab ? k : vocab;
    return tt_slice_at(NULL, tt_item_at(NULL, tt_top_k_at(NULL, logits, at), 0), 1, at - 1, at, 1);
}

/* The least logit of the fewest whose probabilities sum to top_p, [rows, 1]. */
static tt_val nucleus(tt_val logits, tt_val top_p)
{
    const tt_sort_opts falling = { .size = sizeof falling, .descending = 1 };
    const tt_reduce_opts last = { .size = sizeof last, .dims = "1", .keepdims = 1 };
    const tt_val sorted = tt_sort_at(NULL, logits, 1, &falling), p = tt_softmax_at(NULL, sorted, NULL);
    const tt_val before = tt_sub_at(NULL, tt_cumsum_at(NULL, p, 1, NULL), p);
    const tt_val in = tt_compare_at(NULL, 2, before, top_p);
    return tt_amin_at(NULL, tt_where_at(NULL, in, sorted, tt_f(INFINITY)), &last);
}

static tt_val from(tt_val logits, tt_val least)
{
    return tt_where_at(NULL, tt_compare_at(NULL, 2, logits, least), tt_f(-INFINITY), logits);
}

/* The next id of each row, i32 [rows], by logits [rows, vocab]. */
static tt_val chosen(const model_step *s, tt_val logits, tt_val seen, tt_val numbers, tt_val key, tt_val count)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "1" };
    if (s->repeats) {
        const tt_val r = step_number(numbers, STEP_REPETITION), low = tt_compare_at(NULL, 2, logits, tt_f(0));
        const tt_val changed = tt_where_at(NULL, low, tt_mul_at(NULL, logits, r), tt_div_at(NULL, logits, r));
        logits = tt_where_at(NULL, seen, changed, logits);
    }
    if (!s->draws) return tt_argmax_at(NULL, logits, &last);
    logits = tt_div_at(NULL, logits, step_number(numbers, STEP_TEMPERATURE));
    if (s->top_k) logits = from(logits, kth(logits, s->top_k));
    if (s->nucleus) logits = from(logits, nucleus(logits, step_number(numbers, STEP_TOP_P)));
    const tt_val next = tt_categorical_at(NULL, tt_fold_in_at(NULL, key, count), logits, -1, NULL);
    return tt_cast_at(NULL, next, TT_I32);
}

static tt_val cache_tuple(const model_pass *p, tt_val *of)
{
    of[p->c->layers] = tt_end;
    return tt_tuple_at(NULL, of);
}

/* The state after ids [rows, time] that follow the `from` ones of the pass. */
static tt_val stepped(const model_step *s, model_pass *p, tt_val ids, tt_val seen, tt_val numbers, tt_val key,
                      tt_val count)
{
    const tt_val logits = tt_squeeze_at(NULL, model_forward(p, ids, true), 1);
    const tt_val next = chosen(s, logits, seen, numbers, key, count);
    if (s->repeats)
        seen = tt_or_at(NULL, seen, tt_one_hot_at(NULL, next, s->c.vocab, TT_BOOL));
    const tt_val after = tt_add_at(NULL, p->from, tt_i(tt_dim_at(NULL, ids, 1)));
    return tt_dict_at(NULL, "count", tt_add_at(NULL, count, tt_i(1)), "from", after, "k", cache_tuple(p, p->k),
                      "last", next, "pad", p->pad, "seen", seen, "v", cache_tuple(p, p->v), (const char *)0,
                      (const char *)0, (const char *)0);
}

tt_val model_step_begin(void *step, int n, const tt_val *arg)
{
    (void)n;
    const model_step *const s = step;
    const int64_t scalar[] = { TT_DIM_END };
    tt_val k[MODEL_LAYERS + 1], v[MODEL_LAYERS + 1];
    if (!model_params_fit(NULL, &s->c, arg[0])) return tt_poison;
    const tt_val zero = tt_full_i_at(NULL, 0, TT_I32, scalar);
    model_pass p = { .c = &s->c, .params = arg[0], .from = zero, .pad = arg[2], .k = k, .v = v,
                     .room = s->places };
    return stepped(s, &p, arg[1], arg[3], arg[4], arg[5], zero);
}

tt_val model_step_next(void *step, int n, const tt_val *arg)
{
    (void)n;
    const model_step *const s = step;
    const tt_val state = arg[1], kept[] = { tt_get_at(NULL, state, "k"), tt_get_at(NULL, state, "v") };
    tt_val k[MODEL_LAYERS + 1], v[MODEL_LAYERS + 1];
    for (int i = 0; i < s->c.layers; i++) k[i] = tt_item_at(NULL, kept[0], i), v[i] = tt_item_at(NULL, kept[1], i);
    model_pass p = { .c = &s->c, .params = arg[0], .from = tt_get_at(NULL, state, "from"),
                     .pad = tt_get_at(NULL, state, "pad"), .k = k, .v = v };
    const tt_val ids = tt_expand_dims_at(NULL, tt_get_at(NULL, state, "last"), 1);
    return stepped(s, &p, ids, tt_get_at(NULL, state, "seen"), arg[2], arg[3], tt_get_at(NULL, state, "count"));
}

tt_val model_step_grow(void *places, int n, const tt_val *arg)
{
    tt_val part[2], of[MODEL_LAYERS + 1];
    for (int i = 0; i < n; i++) {
        const int layers = tt_items_at(NULL, arg[i]);
        for (int k = 0; k < layers; k++)
            of[k] = model_cache(NULL, tt_item_at(NULL, arg[i], k), *(const int64_t *)places);
        of[layers] = tt_end;
        part[i] = tt_tuple_at(NULL, of);
    }
    return tt_tuple_at(NULL, (const tt_val[]){ part[0], part[1], tt_end });
}
