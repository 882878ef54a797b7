/* model/load.c - the tensors of a folder, or of a GGUF file, are compared with the weights that its config needs, and
 * read to where they lie. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct { char name[MODEL_PATH]; const model_weight *w; } named;   /* by the name that the files have */
/* scale: the place of the scales of each weight of f8, -1: it has none */
typedef struct {
    const char *site;
    struct tt_model_s *m;
    bool copy;
    tt_ckpt files;
    model_weight *w;
    int n, *scale;
    named *by;
} loading;

const char *model_item_name(const tt_ckpt_item *i) { return i->nkey == 1 && i->key->name ? i->key->name : i->path; }

static int weight_order(const void *a, const void *b)
{
    return strcmp(((const model_weight *)a)->name, ((const model_weight *)b)->name);
}

static bool readable(tt_dtype t)
{
    return t == TT_F32 || t == TT_BF16 || t == TT_F16 || t == TT_F8E4M3FN || t == TT_F8E5M2;
}

static void dims_text(int rank, const int64_t *dim, char to[96])
{
    int n = snprintf(to, 96, "[");
    for (int i = 0; i < rank && n < 70; i++) n += snprintf(to + n, 24, "%s%lld", i ? ", " : "", (long long)dim[i]);
    snprintf(to + n, 8, "]");
}

/* Compares a tensor with the weight of its name; NULL: there is none. */
static void compare(const model_config *c, const tt_ckpt_item *have, const model_weight *w, model_issues *s)
{
    char is[96], needed[96];
    if (!w) {
        if (!model_is_buffer(c, model_item_name(have)))
            model_issue(s, "%s: config.json has no such tensor", model_item_name(have));
        return;
    }
    bool same = have->rank == w->rank;
    for (int d = 0; same && d < w->rank; d++) same = have->dim[d] == w->dim[d];
    dims_text(have->rank, have->dim, is), dims_text(w->rank, w->dim, needed);
    if (!same) model_issue(s, "%s is %s; config.json says %s", w->name, is, needed);
    if (!readable(have->dtype))
        model_issue(s, "%s is of %s; expected bf16, f16, f32 or f8", w->name, tt_dtype_name(have->dtype));
}

static int named_order(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* Sorts the weights by the models' own names, and apart by those in the files, "" if they have none. False: no
 * memory. */
static bool name_all(loading *l)
{
    qsort(l->w, (size_t)l->n, sizeof *l->w, weight_order);
    if (!(l->by = calloc((size_t)l->n + 1, sizeof *l->by))) return false;
    for (int i = 0; i < l->n; i++) {
        named *const t = &l->by[i];
        t->w = &l->w[i];
        if (!l->m->c.gguf) strcpy(t->name, t->w->name);
        else if (!model_gguf_name(&l->m->c, t->w->name, t->name)) *t->name = '\0';
    }
    qsort(l->by, (size_t)l->n, sizeof *l->by, named_order);
    return true;
}

/* The weight that the files call so. */
static const model_weight *weight_named(const loading *l, const char *name)
{
    named key;
    if (!*name || strlen(name) >= sizeof key.name) return NULL;
    strcpy(key.name, name);
    const named *const t = bsearch(&key, l->by, (size_t)l->n, sizeof key, named_order);
    return t ? t->w : NULL;
}

/* The weight of which the tensor has the scales of blocks; NULL: of none. */
static const model_weight *scaled_weight(const loading *l, const tt_ckpt_item *have, model_issues *s)
{
    const int64_t *const block = l->m->c.block;
    char name[MODEL_PATH], is[96];
    const int n = snprintf(name, sizeof name, "%s", model_item_name(have)) - 10;
    if (!block[0] || !block[1] || n < 1 || n >= MODEL_PATH - 10 || strcmp(name + n, "_scale_inv")) return NULL;
    name[n] = 0;
    const model_weight *const w = weight_named(l, name);
    if (!w || !w->lora) return NULL;
    const int64_t rows = (w->dim[0] + block[0] - 1) / block[0], columns = (w->dim[1] + block[1] - 1) / block[1];
    const bool readable_scale = have->dtype == TT_F32 || have->dtype == TT_BF16 || have->dtype == TT_F16;
    dims_text(have->rank, have->dim, is);
    if (have->rank != 2 || have->dim[0] != rows || have->dim[1] != columns || !readable_scale)
        model_issue(s, "%s is %s%s; expected floats [%lld, %lld]", model_item_name(have), tt_dtype_name(have->dtype),
                    is, (long long)rows, (long long)columns);
    return w;
}

/* Where weights of f8 have scales all of f8 have them, and no others. */
static void compare_scales(const loading *l, const int *at, model_issues *s)
{
    for (int i = 0; i < l->n && l->m->c.block[0]; i++) {
        const bool f8 = at[i] >= 0 && tt_ckpt_item_at(l->site, l->files, at[i])->dtype == TT_F8E4M3FN;
        if (at[i] < 0 || f8 == (l->scale[i] >= 0)) continue;
        if (f8) model_issue(s, "%s is of f8, and %s_scale_inv is missing", l->w[i].name, l->w[i].name);
        else model_issue(s, "%s_scale_inv: %s is not of f8e4m3fn", l->w[i].name, l->w[i].name);
    }
}

/* The place in the files of each weight, in `at`, -1: missing. */
static void compare_all(const loading *l, int *at, model_issues *s)
{
    for (int i = 0; i < l->n; i++) at[i] = l->scale[i] = -1;
    for (int i = 0; i < tt_ckpt_count_at(l->site, l->files); i++) {
        const tt_ckpt_item *const have = tt_ckpt_item_at(l->site, l->files, i);
        const model_weight *const of = scaled_weight(l, have, s);
        if (of) l->scale[of - l->w] = i;
        if (of) continue;
        const model_weight *const w = weight_named(l, model_item_name(have));
        if (w) at[w - l->w] = i;
        compare(&l->m->c, have, w, s);
    }
    for (int i = 0; i < l->n; i++) if (at[i] < 0) model_issue(s, "%s is missing", l->w[i].name);
    compare_scales(l, at, s);
}

/* gpt2's files name the weights with "transformer." before them, or without. */
static void find_prefix(const loading *l)
{
    model_config *const c = &l->m->c;
    strcpy(c->prefix, c->family == MODEL_GPT2 ? "" : "model.");
    for (int i = 0; c->family == MODEL_GPT2 && !c->gguf && i < tt_ckpt_count_at(l->site, l->files); i++)
        if (!strncmp(model_item_name(tt_ckpt_item_at(l->site, l->files, i)), "transformer.", 12))
            strcpy(c->prefix, "transformer.");
}

static tt_val read_one(const loading *l, int i, const model_weight *w)
{
    const tt_logical_opts none = { .size = sizeof none };
    const struct tt_model_s *const m = l->m;
    const char *const stored = tt_ckpt_item_at(l->site, l->files, i)->stored;
    tt_ckpt_read_opts o = { .size = sizeof o, .mesh = m->mesh, .mapped = !l->copy };
    const bool packed = stored && (!strcmp(stored, "Q8_0") || !strcmp(stored, "Q4_0"));
    o.codes = !packed ? 0 : o.mapped && !m->mesh.p ? 3 : 2;
    if (m->mesh.p && m->rules) o.spec = tt_logical_spec_at(l->site, w->axes, m->rules, &none);
    char axes[48];
    snprintf(axes, sizeof axes, "%s%s", w->axes, o.codes == 3 ? ", _" : "");
    const tt_leaf_opts leaf = { .size = sizeof leaf, .axes = axes };
    if (!tt_ok()) return tt_poison;
    const tt_val v = tt_ckpt_read_at(l->site, l->files, i, &o);
    const int scale = l->scale[w - l->w];
    if (scale >= 0 && tt_ok()) {
        const tt_ckpt_read_opts whole = { .size = sizeof whole, .mesh = m->mesh };
        const tt_leaf_opts kept = { .size = sizeof kept, .frozen = 1 };
        return tt_dict_at(l->site, "codes", tt_leaf_at(l->site, v, &leaf), "scales",
                          tt_leaf_at(l->site, tt_ckpt_read_at(l->site, l->files, scale, &whole), &kept),
                          (const char *)0, (const char *)0, (const char *)0);
    }
    if (!o.codes || !tt_ok()) return tt_leaf_at(l->site, v, &leaf);
    if (o.codes == 3)
        return tt_dict_at(l->site, "blocks", tt_leaf_at(l->site, v, &leaf), (const char *)0, (const char *)0,
                          (const char *)0);
    const tt_val codes = tt_leaf_at(l->site, tt_get_at(l->site, v, "codes"), &leaf);
    const tt_val scales = tt_leaf_at(l->site, tt_get_at(l->site, v, "scales"), &leaf);
    return tt_dict_at(l->site, "codes", codes, "scales", scales, (const char *)0, (const char *)0, (const char *)0);
}

static bool read_all(const loading *l, const int *at)
{
    const char **const path = calloc((size_t)l->n, sizeof *path);
    tt_val *const v = calloc((size_t)l->n, sizeof *v);
    if (!path || !v) tt_fail_at(l->site, TT_EMEM, "model_load: out of memory");
    for (int i = 0; tt_ok() && i < l->n; i++) path[i] = l->w[i].name, v[i] = read_one(l, at[i], &l->w[i]);
    if (tt_ok()) l->m->params = tt_tree_at(l->site, l->n, path, v);
    free(path), free(v);
    return tt_ok();
}

/* True if an index lists the file model.safetensors, by the whole of its name. */
static bool is_listed(const char *folder)
{
    model_issues ignored = { .n = 0 };
    json_t *const index = model_json(folder, "model.safetensors.index.json", true, &ignored), *v;
    const char *name;
    bool is = false;
    json_object_foreach(json_object_get(index, "weight_map"), name, v)
        is |= json_is_string(v) && !strcmp(json_string_value(v), "model.safetensors");
    json_decref(index);
    return is;
}

/* The GGUF file; of a folder its file, or the folder where an index lists several. */
static tt_ckpt opened(const char *site, const char *folder)
{
    char path[4096], index[4096];
    struct stat st;
    if (model_is_gguf(folder)) return tt_ckpt_open_at(site, folder);
    snprintf(index, sizeof index, "%s/model.safetensors.index.json", folder);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    if (stat(index, &st)) return tt_ckpt_open_at(site, path);
    if (stat(path, &st) || is_listed(folder)) return tt_ckpt_open_at(site, folder);
    tt_fail_at(site, TT_EDATA, "model_load: %s has model.safetensors, and an index of other files", folder);
    tt_hint("which of them has the weights? Move the other one away");
    return (tt_ckpt){ 0 };
}

/* ---- rules ---- */

/* True if one letter more, less or other, or two that changed places, make a of b. */
static bool nearly(const char *a, size_t n, const char *b)
{
    const size_t m = strlen(b);
    size_t head = 0, tail = 0;
    while (head < n && head < m && a[head] == b[head]) head++;
    while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]) tail++;
    const size_t i = n - head - tail, k = m - head - tail;
    return (i <= 1 && k <= 1) || (i == 2 && k == 2 && a[head] == b[head + 1] && a[head + 1] == b[head]);
}

/* True if a rule is for an axis that the model's weights or values have, and none is for nearly such an axis; else sets
 * the error. */
static bool rules_meet(const char *site, const char *rules)
{
    static const char *const axes[] = { "vocab", "embed", "heads", "kv_heads", "hidden", "batch", "time" };
    enum { AXES = sizeof axes / sizeof *axes };
    bool met = false;
    for (const char *p = rules; *(p += strspn(p, ", "));) {
        const size_t n = strcspn(p, ": ,");
        int same = 0, close = 0;
        while (same < AXES && (strlen(axes[same]) != n || strncmp(axes[same], p, n))) same++;
        while (close < AXES && !nearly(p, n, axes[close])) close++;
        met |= same < AXES;
        if (same == AXES && close < AXES) {
            tt_fail_at(site, TT_ESPEC, "model_load: the rule for \"%.*s\" is for no axis of the model", (int)n, p);
            tt_hint("did you mean \"%s\"?", axes[close]);
            return false;
        }
        p += strcspn(p, ",");
    }
    if (met) return true;
    tt_fail_at(site, TT_ESPEC, "model_load: .rules = \"%s\" has no axis of the model", rules);
    tt_hint("the axes are vocab, embed, heads, kv_heads, hidden, batch, time: \"heads:model, vocab:model\"");
    return false;
}

void model_compare_ids(const model_config *c, const model_stops *stops, int n, model_issues *s)
{
    if (n > c->vocab) model_issue(s, "the tokenizer has %d ids; config.json says %lld", n, (long long)c->vocab);
    for (int i = 0; i < stops->n; i++)
        if (stops->id[i] < 0 || stops->id[i] >= c->vocab)
            model_issue(s, "\"eos_token_id\" is %lld; config.json says %lld ids", (long long)stops->id[i],
                        (long long)c->vocab);
}

static bool configured(const loading *l, const tt_model_opts *o, model_issues *s)
{
    struct tt_model_s *const m = l->m;
    if (model_is_gguf(m->path)) {
        const bool ok = model_gguf_config(l->site, l->files, &m->c, &m->stops, s);
        if (o->dtype) m->c.dtype = o->dtype;
        return ok;
    }
    json_t *const config = model_json(m->path, "config.json", true, s);
    json_t *const after = model_json(m->path, "generation_config.json", false, s);
    const bool ok = config && model_read_config(config, &m->c, &m->stops, s);
    if (ok && model_given(after, "eos_token_id")) {
        model_config ignored;
        json_t *const both = json_copy(config);
        json_object_set(both, "eos_token_id", json_object_get(after, "eos_token_id"));
        m->stops.n = 0;
        model_read_config(both, &ignored, &m->stops, s);
        json_decref(both);
    }
    if (o->dtype) m->c.dtype = o->dtype;
    json_decref(config), json_decref(after);
    return ok;
}

/* Of a GGUF file it is the keys that say what a config says. */
static void name_keys(model_issues *s)
{
    for (char *at = s->text; (at = strstr(at, "config.json"));) {
        memcpy(at, "its keys", 8);
        memmove(at + 8, at + 11, strlen(at + 11) + 1);
    }
}

static void told(const char *site, const struct tt_model_s *m, model_issues *s)
{
    if (model_is_gguf(m->path)) name_keys(s);
    const bool all = s->n < sizeof s->text;
    tt_fail_at(site, TT_EDATA, "model_load: %s: %d thing%s not fit:%s%s", m->path, s->count,
               s->count == 1 ? " does" : "s do", s->text, all ? "" : "\n  and more");
    tt_hint("the config, the tensors and the tokenizer must be of one model");
}

static bool loaded(const char *site, struct tt_model_s *m, const tt_model_opts *o)
{
    model_issues s = { .n = 0 };
    loading l = { .site = site, .m = m, .copy = o->copy };
    int *at = NULL;
    const bool gguf = model_is_gguf(m->path);
    if (gguf) l.files = opened(site, m->path);
    bool ok = tt_ok() && configured(&l, o, &s);
    if (ok) {
        model_compare_ids(&m->c, &m->stops, o->tokenizer ? tt_tokenizer_size_at(site, *o->tokenizer) : 0, &s);
        if (!gguf) l.files = opened(site, m->path);
        if (!tt_ok()) return false;
        if (!gguf && !model_weights_fit(&m->c, tt_ckpt_count_at(site, l.files), &s)) return told(site, m, &s), false;
        find_prefix(&l);
        l.n = model_weights(&m->c, &l.w);
        at = calloc(2 * (size_t)(l.n > 0 ? l.n : 1), sizeof *at);
        if (l.n < 0 || !at || !name_all(&l))
            return free(l.w), free(at), tt_fail_at(site, TT_EMEM, "model_load: out of memory"), false;
        l.scale = at + l.n;
        compare_all(&l, at, &s);
    }
    if (tt_ok() && s.count) told(site, m, &s);
    ok = tt_ok() && read_all(&l, at);
    free(l.w), free(at), free(l.by);
    return ok;
}

static void model_freed(void *p)
{
    struct tt_model_s *const m = p;
    free(m->path), free(m->rules), free(m);
}

static void facts_of(struct tt_model_s *m)
{
    const model_config *const c = &m->c;
    m->facts = (tt_model_facts){ .family = model_family_name(c->family), .path = m->path, .layers = c->layers,
                                 .features = c->features, .heads = c->heads, .kv_heads = c->kv_heads,
                                 .depth = c->depth, .hidden = c->hidden, .vocab = c->vocab,
                                 .positions = c->positions, .dtype = c->dtype, .stops = m->stops.n,
                                 .stop = m->stops.id };
}

tt_model tt_model_load_at(const char *site, const char *path, const tt_model_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_model_opts, site, "model_load", o)) return (tt_model){ 0 };
    if (!path || !*path) tt_fail_at(site, TT_EARG, "model_load: the path is %s", path ? "empty" : "NULL");
    else if (strlen(path) > 3900) tt_fail_at(site, TT_EARG, "model_load: the path is too long");
    else if (o->dtype && o->dtype != TT_F32 && o->dtype != TT_BF16 && o->dtype != TT_F16)
        tt_fail_at(site, TT_ETYPE, "model_load: .dtype = %s; expected f32, bf16 or f16",
                   tt_dtype_name(o->dtype));
    else if (o->rules && !o->mesh.p) tt_fail_at(site, TT_EARG, "model_load: .rules without .mesh");
    else if (o->rules) rules_meet(site, o->rules);
    if (!tt_ok()) return (tt_model){ 0 };
    struct tt_model_s *const m = calloc(1, sizeof *m);
    if (m) m->path = strdup(path), m->mesh = o->mesh, m->rules = o->rules ? strdup(o->rules) : NULL;
    if (!m || !m->path || (o->rules && !m->rules)) {
        tt_fail_at(site, TT_EMEM, "model_load: out of memory");
        if (m) model_freed(m);
        return (tt_model){ 0 };
    }
    tt_own(m, model_freed);                              /* without memory, m is freed */
    if (!tt_ok() || !loaded(site, m, o)) return (tt_model){ 0 };
    facts_of(m);
    return (tt_model){ m, tt_alive_at(site) };
}

/* ---- what a model has ---- */

bool model_is_open(const char *site, const char *what, tt_model m)
{
    if (!m.p) tt_fail_at(site, TT_ELIFE, "%s: the tt_model is empty", what);
    return m.p && tt_is_live_at(site, what, m.alive) && tt_ok();
}

tt_val tt_model_params_at(const char *site, tt_model m)
{
    TT_ENTRY(site);
    return model_is_open(site, "model_params", m) ? m.p->params : tt_poison;
}

const tt_model_facts *tt_model_config_at(const char *site, tt_model m)
{
    TT_ENTRY(site);
    static const tt_model_facts none = { .family = "", .path = "" };
    return model_is_open(site, "model_config", m) ? &m.p->facts : &none;
}
