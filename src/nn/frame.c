/* nn/frame.c - frames: a module's parameters, and the derivation of their keys.
 *
 * - Linen's rule: every parameter takes the next number of its module's stream, even if its initializer ignores the
 *   key; the key is fold_in(root, hash(names on the path, number)).
 * - NNX's rule: one counter per stream for all modules, in order of creation.
 * - Keras's rule: the n-th draw of a stream has the stream's words plus (0, n), as if all initializers shared one
 *   SeedGenerator.
 *
 * A stream without a key uses the key and the counter of "params" (Linen) or "default" (NNX); a single key is for all
 * streams.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

bool nn_is(tt_val v) { return v.slot || v.born; }
double nn_number(const void *options, const char *name, double x, double usual)
{
    return x != 0 || tt_given(options, name) ? x : usual;
}
tt_val nn_in(const char *site, tt_val v, tt_dtype d)
{
    if (!d || !strchr("biu", tt_dtype_kind(d))) return d ? tt_cast_at(site, v, d) : v;
    return tt_fail_at(site, TT_ETYPE, ".dtype is %s: a layer computes in floating-point numbers", tt_dtype_name(d));
}

const char *nn_dims_text(int from, int to, char text[64])
{
    *text = 0;
    for (int d = from; d < to; d++) snprintf(text + strlen(text), 64 - strlen(text), "%s%d", d > from ? ", " : "", d);
    return text;
}

static const char *path_of(const nn_frame *f, const char *name, char *to)
{
    const int n = snprintf(to, NN_PATH + NN_NAME, "%s%s%s", f->path, *f->path ? "." : "", name);
    if (n < 0 || n >= NN_PATH + NN_NAME)
        tt_fail_at(f->site, TT_EARG, "the path of \"%s\" is longer than %d characters", name, NN_PATH + NN_NAME - 1);
    return to;
}

/* The layer's name, or if the name is an alias, the name of the original layer. */
static const char *meant(nn_frame *f, const nn_frame *up, const char *name)
{
    for (int i = 0; i < up->naliases; i++)
        if (!strcmp(up->alias[i].name, name)) {
            f->shared = true;
            return up->alias[i].of;
        }
    return name;
}

bool nn_there(const char *site, tt_nn m)
{
    if (m.p) return tt_is_live_at(site, "a layer of a module", m.alive);
    tt_fail_at(site, TT_EARG, "a layer of an empty tt_nn");
    tt_hint("a module is a function of a tt_nn: tt_init and tt_apply call it with one");
    return false;
}

tt_nn nn_open(nn_frame *f)
{
    f->alive = tt_keep_at(f->site, tt_alive_at(f->site));
    f->entry = tt_entry_pause();
    return (tt_nn){ f, f->alive };
}

tt_val nn_close(nn_frame *f, tt_val y)
{
    tt_entry_end(&f->entry);
    tt_drop(f->alive);
    return y;
}

bool nn_enter(nn_frame *f, tt_nn m, const char *site, const char *cls, const char *name)
{
    nn_frame *up = m.p;
    char own[NN_NAME];
    memset(f, 0, sizeof *f);
    if (!nn_there(site, m)) return false;
    f->root = up->root;
    f->alive = m.alive;
    f->site = site;
    f->through = up->through;
    f->shared = up->shared;
    if (name && !strcmp(name, ".")) {
        memcpy(f->path, up->path, sizeof f->path);
        return tt_ok();
    }
    if (name && !*name) {
        tt_fail_at(site, TT_EARG, "the name of a layer is empty");
        tt_hint("NULL names a layer by its class and number; \".\" makes it a part of the module around it");
        return false;
    }
    if (!name) {
        int i = 0;
        while (i < up->nseen && strcmp(up->seen[i].cls, cls)) i++;
        if (i == NN_NAMES)
            return tt_fail_at(site, TT_EARG, "more than the limit of %d classes of unnamed layers in one module",
                              NN_NAMES), false;
        if (i == up->nseen) up->seen[up->nseen++].cls = cls;
        nn_own_name(f->root->keys, cls, up->seen[i].n++, own);
        name = own;
    }
    name = meant(f, up, name);
    if (strpbrk(name, ". "))
        return tt_fail_at(site, TT_EARG, "the name of a layer, \"%s\", has a dot or a blank in it; expected one word",
                          name), false;
    const int n = snprintf(f->path, sizeof f->path, "%s%s%s", up->path, *up->path ? "." : "", name);
    if (n < 0 || n >= NN_PATH)
        return tt_fail_at(site, TT_EARG, "the path of layer \"%s\" is longer than %d characters", name, NN_PATH - 1),
            false;
    if (f->root->record) f->row = nn_record_layer(f->root->record, f->path, cls);
    return tt_ok();
}

void tt_alias_at(const char *site, tt_nn m, const char *name, const char *of)
{
    TT_ENTRY(site);
    nn_frame *f = m.p;
    char path[NN_PATH + NN_NAME];
    if (!nn_there(site, m)) return;
    f->site = site;
    if (!name || !of || !*name || strpbrk(name, ". "))
        tt_fail_at(site, TT_EARG, "alias: the name \"%s\" of \"%s\"; expected one word", name ? name : "",
                   of ? of : "");
    else if (strlen(name) >= NN_NAME || strlen(of) >= NN_NAME)
        tt_fail_at(site, TT_EARG, "alias: \"%s\" of \"%s\": a name has more than the limit of %d characters", name, of,
                   NN_NAME - 1);
    else if (f->naliases == NN_ALIASES)
        tt_fail_at(site, TT_EARG, "alias: more than the limit of %d aliases in one module", NN_ALIASES);
    else if (!tt_has_at(site, f->root->vars, path_of(f, of, path))) {
        tt_fail_at(site, TT_ETREE, "alias \"%s\": there is no layer \"%s\" with variables yet", name, of);
        tt_hint("call tt_alias after the layer \"%s\"", of);
    } else if (f->root->mode == NN_INIT && tt_has_at(site, f->root->vars, path_of(f, name, path))) {
        tt_fail_at(site, TT_ETREE, "alias \"%s\": a layer of that name has variables of its own", name);
        tt_hint("from an alias on the name stands for another layer: give it before the name is used, or another one");
    } else {
        snprintf(f->alias[f->naliases].name, NN_NAME, "%s", name);
        snprintf(f->alias[f->naliases++].of, NN_NAME, "%s", of);
    }
}

/* ---- keys ---- */

static int *frame_taken(nn_counts *c, const char *path, const char *stream) /* NULL: too many */
{
    char both[NN_PATH + NN_NAME];
    snprintf(both, sizeof both, "%s:%.63s", path, stream);
    const uint32_t name = nn_hash(both, 0);
    int i = 0;
    while (i < c->n && c->of[i].name != name) i++;
    if (i == NN_COUNTS) return NULL;
    if (i == c->n) c->of[c->n++].name = name;
    return &c->of[i].taken;
}

tt_val nn_seed_after(const char *site, tt_val seed, int draws)
{
    const uint32_t by[2] = { 0, (uint32_t)draws };
    return tt_add_at(site, seed, tt_array_at(site, TT_U32, by, (const int64_t[]){ 2, TT_DIM_END }));
}

tt_val nn_key(nn_frame *f, const char *stream)
{
    nn_frame *r = f->root;
    const char *usual = r->keys == NN_LINEN ? "params" : "default", *from = stream;
    if (!nn_is(r->key)) {
        const tt_val bad = tt_fail_at(f->site, TT_ETREE, "\"%s\": there is no key of stream \"%s\"", f->path, stream);
        tt_hint("tt_apply() has no keys; use tt_apply_train(module, vars, x, key)");
        return bad;
    }
    tt_val key = r->key;
    if (tt_rank_at(f->site, key) < 0) {
        if (!tt_has_at(f->site, key, from)) from = usual;
        if (!tt_has_at(f->site, key, from)) {
            const tt_val bad = tt_fail_at(f->site, TT_ETREE, "there is no key of stream \"%s\", nor one named \"%s\"",
                                          stream, usual);
            tt_hint("give a key for the stream: tt_dict(\"%s\", tt_key(0), ...)", stream);
            return bad;
        }
        key = tt_get_at(f->site, key, from);
    } else from = "";
    int *count = frame_taken(r->counts, r->keys == NN_LINEN ? f->path : "", from);
    if (!count) return tt_fail_at(f->site, TT_EARG, "more than the limit of %d modules draw keys", NN_COUNTS);
    if (r->keys == NN_NNX) return tt_fold_in_at(f->site, key, tt_i((*count)++));
    if (r->keys == NN_KERAS) return nn_seed_after(f->site, key, (*count)++);
    return tt_fold_in_at(f->site, key, tt_i((int64_t)nn_hash(f->path, ++*count)));
}

tt_val tt_stream_key_at(const char *site, tt_nn m, const char *stream)
{
    TT_ENTRY(site);
    if (!nn_there(site, m)) return tt_poison;
    if (!stream) return tt_fail_at(site, TT_EARG, "stream_key: the stream's name is NULL");
    if (strlen(stream) >= NN_NAME)
        return tt_fail_at(site, TT_EARG, "stream_key: the stream's name, \"%.20s...\", is longer than %d characters",
                          stream, NN_NAME - 1);
    m.p->site = site;
    return nn_key(m.p, stream);
}

/* ---- variables ---- */

tt_val nn_now(const nn_frame *f) { return f->root->mode == NN_TRAIN ? f->root->fresh : f->root->vars; }

static tt_val variable(nn_frame *f, const char *path)
{
    const tt_val now = nn_now(f);
    if (tt_has_at(f->site, now, path)) return tt_get_at(f->site, now, path);
    const tt_val bad = tt_fail_at(f->site, TT_ETREE, "the variables have no \"%s\"", path);
    tt_hint("tt_init() of the same module makes the variables");
    return bad;
}

/* Returns v if it is an array of these dims, of floats exactly if `like` is a float dtype; else sets the error. */
static tt_val fitting(nn_frame *f, const char *path, tt_val v, const int64_t *dims, tt_dtype like)
{
    char want[256] = "";
    int rank = 0;
    if (!tt_ok()) return v;
    bool fits = tt_rank_at(f->site, v) >= 0
        && (tt_dtype_kind(tt_dtype_of_at(f->site, v)) == 'f') == (tt_dtype_kind(like) == 'f');
    for (; dims[rank] != TT_DIM_END; rank++) {
        const size_t n = strlen(want);
        fits = fits && rank < tt_rank_at(f->site, v) && tt_dim_at(f->site, v, rank) == dims[rank];
        snprintf(want + n, sizeof want - n, "%s%lld", rank ? ", " : "", (long long)dims[rank]);
    }
    if (fits && rank == tt_rank_at(f->site, v)) return v;
    const tt_val bad = tt_fail_at(f->site, TT_ESHAPE, "variable \"%s\" is %s; this layer's is %s[%s]", path,
                                  tt_type_text_at(f->site, v), tt_dtype_name(like), want);
    tt_hint("tt_init() of the same module makes the variables for an input of this type");
    return bad;
}

/* The outermost first. path: the parameter's. */
static tt_val read_through(const char *site, const nn_through *t, const char *path, tt_val v)
{
    if (!t) return v;
    v = read_through(site, t->up, path, v);
    if (!t->around) return tt_call_n(site, t->in, 1, (const tt_val[]){ v });
    return t->around(t->own, path, v, t->options);
}

tt_val nn_read(nn_frame *f, const char *path, tt_val param)
{
    return read_through(f->site, f->through, path, param);
}

/* Stores a new variable, passed through tt_with_params' `out`; returns the value as created. */
static tt_val created(nn_frame *f, const char *path, tt_val v, const char *axes, bool frozen)
{
    nn_frame *r = f->root;
    if (tt_ok() && tt_has_at(f->site, r->vars, path)) {
        const tt_val bad = tt_fail_at(f->site, TT_ETREE, "two variables are named \"%s\"", path);
        tt_hint("give layers of one module different names, or none");
        return bad;
    }
    int names = axes && *axes;
    for (const char *p = axes; p && (p = strchr(p, ',')); p++) names++;
    if (tt_ok() && names && names != tt_rank_at(f->site, v)) {
        const tt_val bad = tt_fail_at(f->site, TT_ESPEC, "variable \"%s\" is %s; .axes = \"%s\" are of %d dim%s", path,
                                      tt_type_text_at(f->site, v), axes, names, names == 1 ? "" : "s");
        tt_hint("one name per dim, '_' for none");
        return bad;
    }
    v = tt_leaf_at(f->site, v, &(tt_leaf_opts){ .size = sizeof(tt_leaf_opts), .axes = axes, .frozen = frozen });
    if (r->record && tt_ok()) nn_record_variable(r->record, path, v, frozen);
    tt_val kept = v;
    for (const nn_through *t = f->through; t && !frozen; t = t->up)
        if (t->around) kept = v = t->around(t->own, path, v, t->options);
        else kept = tt_call_n(f->site, t->out, 1, &kept);
    r->vars = tt_set_at(f->site, r->vars, path, kept);
    return v;
}

/* True if what .make returned is of the dims that it was called with, and of a .dtype that was given; else sets the
 * error. Without a .dtype it chooses, as in Flax: a variable may hold a key. */
static bool drawn_so(nn_frame *f, const char *path, tt_val v, const int64_t *dims, tt_dtype dtype)
{
    if (!tt_ok()) return false;
    if (!dtype) dtype = tt_dtype_of_at(f->site, v);
    const tt_val like = tt_shape_at(f->site, dtype, dims);
    const char *const is = tt_type_text_at(f->site, v), *const wanted = tt_type_text_at(f->site, like);
    bool same = tt_ok() && tt_rank_at(f->site, v) == tt_rank_at(f->site, like) && tt_dtype_of_at(f->site, v) == dtype;
    for (int d = 0; same && dims[d] != TT_DIM_END; d++) same = tt_dim_at(f->site, v, d) == dims[d];
    if (same || !tt_ok()) return same;
    tt_fail_at(f->site, TT_ESHAPE, "param: .make returned %s for \"%s\"; it was called for %s", is, path, wanted);
    return false;
}

tt_val nn_param(nn_frame *f, const char *name, const int64_t *dims, const tt_param_opts *o)
{
    char path[NN_PATH + NN_NAME];
    path_of(f, name, path);
    const tt_dtype d = o->dtype ? o->dtype : TT_F32;
    if (f->root->mode != NN_INIT || (f->shared && tt_has_at(f->site, f->root->vars, path))) {
        const tt_val v = nn_read(f, path, variable(f, path));
        const bool chosen = o->make && !o->dtype && tt_ok();  /* by .make */
        return fitting(f, path, v, dims, chosen ? tt_dtype_of_at(f->site, v) : d);
    }
    const tt_val key = nn_key(f, o->stream ? o->stream : "params");
    const int64_t *drawn = o->drawn_as ? o->drawn_as : dims;
    tt_val v = o->make ? o->make(key, d, drawn) : tt_init_named_at(f->site, o->init ? o->init : "zeros", key, d, drawn);
    if (o->make && !drawn_so(f, path, v, drawn, o->dtype)) return tt_poison;
    if (o->drawn_as) v = tt_reshape_at(f->site, v, dims);
    return created(f, path, v, o->axes, false);
}

tt_val nn_weight(nn_frame *f, const char *name, const int64_t *dims, const tt_param_opts *o)
{
    if (!o->dtype || !strchr("biu", tt_dtype_kind(o->dtype))) return nn_param(f, name, dims, o);
    return tt_fail_at(f->site, TT_ETYPE, ".param_dtype is %s: a layer's parameters are floating-point numbers",
                      tt_dtype_name(o->dtype));
}

tt_val nn_nothing(const char *site, const char *layer, const char *init, const char *other)
{
    return tt_fail_at(site, TT_EARG, "%s: .%s has no effect with .%s", layer, init, other);
}

tt_val nn_activated(const char *site, const char *what, tt_activation *act, tt_val x)
{
    const tt_val y = act(site, x);
    if (!tt_ok()) return y;
    bool same = tt_rank_at(site, y) == tt_rank_at(site, x);
    for (int d = 0; same && d < tt_rank_at(site, x); d++) same = tt_dim_at(site, y, d) == tt_dim_at(site, x, d);
    return same ? y : tt_fail_at(site, TT_ESHAPE, "%s returned %s for %s; expected an array of the same dims", what,
                                 tt_type_text_at(site, y), tt_type_text_at(site, x));
}

tt_val nn_state(nn_frame *f, const char *name, tt_val start)
{
    char path[NN_PATH + NN_NAME];
    path_of(f, name, path);
    if (f->root->mode != NN_INIT || (f->shared && tt_has_at(f->site, f->root->vars, path))) return variable(f, path);
    return created(f, path, start, NULL, true);
}

tt_val nn_stat(nn_frame *f, const char *name, double value, const int64_t *dims)
{
    return nn_state(f, name, tt_full_at(f->site, value, TT_F32, dims));
}

void nn_update(nn_frame *f, const char *name, tt_val v)
{
    char path[NN_PATH + NN_NAME];
    v = tt_leaf_at(f->site, v, &(tt_leaf_opts){ .size = sizeof(tt_leaf_opts), .frozen = 1 });
    f->root->fresh = tt_set_at(f->site, f->root->fresh, path_of(f, name, path), v);
}

tt_val tt_param_at(const char *site, tt_nn m, const char *name, const int64_t *dims, const tt_param_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_param_opts, site, "param", o)) return tt_poison;
    if (!nn_there(site, m)) return tt_poison;
    if (!name) return tt_fail_at(site, TT_EARG, "param: the name is NULL");
    if (!*name || strpbrk(name, ". ")) {
        tt_fail_at(site, TT_EARG, "param: the name \"%s\" is empty, or has a dot or a blank in it", name);
        tt_hint("a name is one word; the modules around it (tt_sub_module) give the path");
        return tt_poison;
    }
    if (!dims) {
        tt_fail_at(site, TT_EARG, "param: the dims of \"%s\" are NULL", name);
        tt_hint("the dims are a list that TT_DIM_END ends; those of a scalar are TT_DIM_END alone");
        return tt_poison;
    }
    if (o->init && o->make) return tt_fail_at(site, TT_EARG, "param: both .init = \"%s\" and .make are given", o->init);
    if (o->stream && !*o->stream) return tt_fail_at(site, TT_EARG, "param: .stream is an empty text");
    m.p->site = site;
    return nn_param(m.p, name, dims, o);
}
