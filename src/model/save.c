/* model/save.c - a folder as it was loaded, with other weights: safetensors files keep their headers byte by byte, and
 * each tensor is written to the place that its header gives; all other files are copied. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAVE_HEADER = 100000000 };
typedef struct {
    const char *site;
    const struct tt_model_s *m;
    tt_val params;
    model_folder *f;
} saving;

static bool save_failed(const saving *s, const char *file) { return model_file_failed(s->f, s->f->to, file); }

/* ---- one safetensors file ---- */

typedef struct { const char *name; int64_t from, to; tt_dtype dtype; } placed_tensor;

static int by_place(const void *a, const void *b)
{
    const placed_tensor *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static tt_dtype type_named(const char *name)
{
    static const struct { const char *name; tt_dtype is; } types[] = {
        { "F32", TT_F32 }, { "BF16", TT_BF16 }, { "F16", TT_F16 }, { "F8_E4M3", TT_F8E4M3FN }, { "F8_E5M2", TT_F8E5M2 },
    };
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return types[i].is;
    return (tt_dtype)0;
}

/* The tensor's bytes from params; malloc'ed. */
static void *bytes_of(const saving *s, const placed_tensor *t)
{
    const model_config *const c = &s->m->c;
    char path[MODEL_PATH];
    snprintf(path, sizeof path, "%s", t->name);
    if (c->tied && !strcmp(path, "lm_head.weight"))      /* the copy of the embedding */
        snprintf(path, sizeof path, "%s%s", c->prefix, c->family == MODEL_GPT2 ? "wte.weight" : "embed_tokens.weight");
    const tt_scope own = tt_scope_open();
    const size_t length = strlen(path);
    const bool scales = c->block[0] && length > 10 && !strcmp(path + length - 10, "_scale_inv");
    if (scales) path[length - 10] = 0;
    tt_val v = tt_get_at(s->site, s->params, path), part[2];
    if (model_is_packed(s->site, v, part)) v = part[scales];
    v = tt_cast_at(s->site, v, t->dtype);
    const size_t n = (size_t)(t->to - t->from);
    void *to = tt_ok() ? malloc(n ? n : 1) : NULL;
    if (tt_ok() && !to) tt_fail_at(s->site, TT_EMEM, "model_save: out of memory");
    if (tt_ok() && tt_bytes_at(s->site, v) != n)
        tt_fail_at(s->site, TT_ESHAPE, "model_save: %s is %s, of another size than in the file", path,
                   tt_type_text_at(s->site, v));
    if (tt_ok()) tt_read_at(s->site, v, to, n);
    tt_scope_close(own);
    if (tt_ok()) return to;
    free(to);
    return NULL;
}

/* Writes the tensors in the order of their places; those that no model reads are copied. */
static bool write_tensors(const saving *s, const char *file, const json_t *header, FILE *from, FILE *to)
{
    const size_t most = json_object_size(header);
    placed_tensor *const t = calloc(most + 1, sizeof *t);
    const long start = ftell(from);
    const char *name;
    const json_t *v;
    int n = 0;
    if (!t) return tt_fail_at(s->site, TT_EMEM, "model_save: out of memory"), false;
    json_object_foreach((json_t *)header, name, v)
    {
        const json_t *const range = json_object_get(v, "data_offsets");
        if (!strcmp(name, "__metadata__")) continue;
        t[n++] = (placed_tensor){ name, json_integer_value(json_array_get(range, 0)),
                                  json_integer_value(json_array_get(range, 1)),
                                  type_named(json_string_value(json_object_get(v, "dtype"))) };
    }
    qsort(t, (size_t)n, sizeof *t, by_place);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const int64_t bytes = t[i].to - t[i].from;
        const bool own = !model_is_buffer(&s->m->c, t[i].name) || !strcmp(t[i].name, "lm_head.weight");
        void *const data = own ? bytes_of(s, &t[i]) : NULL;
        if (own) ok = data && (fwrite(data, 1, (size_t)bytes, to) == (size_t)bytes || save_failed(s, file));
        else {
            ok = !fseek(from, start + t[i].from, SEEK_SET) || model_file_failed(s->f, s->m->path, file);
            ok = ok && model_file_copy(s->f, from, s->m->path, to, bytes, file);
        }
        free(data);
    }
    free(t);
    return ok;
}

static bool write_file(const saving *s, const char *file)
{
    uint8_t head[8];
    FILE *const from = model_file_open(s->f, s->m->path, file, "rb");
    FILE *const to = from ? model_file_open(s->f, s->f->to, file, "wb") : NULL;
    uint64_t n = 0;
    bool ok = to && (fread(head, 1, 8, from) == 8 || model_file_unread(s->f, from, s->m->path, file));
    for (int i = 7; i >= 0 && ok; i--) n = n << 8 | head[i];
    char *const text = ok && n <= SAVE_HEADER ? malloc((size_t)n + 1) : NULL;
    if (ok && n <= SAVE_HEADER && !text) ok = false, tt_fail_at(s->site, TT_EMEM, "model_save: out of memory");
    ok = ok && (!text || fread(text, 1, (size_t)n, from) == n || model_file_unread(s->f, from, s->m->path, file));
    json_t *const header = ok && text ? json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (ok && !header)
        ok = false, tt_fail_at(s->site, TT_EDATA,
                               "model_save: %s/%s: the header has changed since the model was loaded", s->m->path,
                                   file);
    ok = ok && ((fwrite(head, 1, 8, to) == 8 && fwrite(text, 1, (size_t)n, to) == n) || save_failed(s, file));
    ok = ok && write_tensors(s, file, header, from, to);
    json_decref(header);
    free(text);
    if (from) fclose(from);
    return to ? model_file_close(s->f, to, file) && ok : false;
}

/* ---- the folder ---- */

static bool is_safetensors(const char *name)
{
    const size_t n = strlen(name);
    return n > 12 && !strcmp(name + n - 12, ".safetensors");
}

static bool save_one(void *env, const char *name)
{
    const saving *const s = env;
    if (is_safetensors(name)) return write_file(s, name);
    FILE *const from = model_file_open(s->f, s->m->path, name, "rb");
    FILE *const to = from ? model_file_open(s->f, s->f->to, name, "wb") : NULL;
    const bool ok = to && model_file_copy(s->f, from, s->m->path, to, -1, name);
    if (from) fclose(from);
    return to ? model_file_close(s->f, to, name) && ok : false;
}

/* True if params has all weights, in their shapes, and nothing else. */
static bool complete(const saving *s)
{
    model_weight *w;
    const int n = model_weights(&s->m->c, &w);
    int have = tt_tree_leaves_at(s->site, s->params, 0, NULL);
    if (n < 0) tt_fail_at(s->site, TT_EMEM, "model_save: out of memory");
    for (int i = 0; i < n && tt_ok(); i++) {
        tt_val v = tt_get_at(s->site, s->params, w[i].name), part[2];
        if (model_is_packed(s->site, v, part)) v = part[0], have--;
        bool same = tt_ok() && tt_rank_at(s->site, v) == w[i].rank;
        for (int k = 0; same && k < w[i].rank; k++) same = tt_dim_at(s->site, v, k) == w[i].dim[k];
        if (tt_ok() && !same)
            tt_fail_at(s->site, TT_ESHAPE, "model_save: %s is %s; the model has [%lld%s%.0lld]", w[i].name,
                       tt_type_text_at(s->site, v), (long long)w[i].dim[0], w[i].rank > 1 ? ", " : "",
                       (long long)w[i].dim[1]);
        else if (tt_ok() && tt_dtype_kind(tt_dtype_of_at(s->site, v)) != 'f')
            tt_fail_at(s->site, TT_ETYPE, "model_save: %s is %s; expected floating-point numbers", w[i].name,
                       tt_type_text_at(s->site, v));
    }
    if (tt_ok() && have != n) {
        tt_fail_at(s->site, TT_ETREE, "model_save: params has %d arrays; the model has %d", have, n);
        tt_hint("tt_model_merge() adds low-rank terms to the weights");
    }
    free(w);
    return tt_ok();
}

bool tt_model_save_at(const char *site, tt_model m, tt_val params, const char *path)
{
    TT_ENTRY(site);
    model_folder f;
    if (!model_is_open(site, "model_save", m)) return false;
    if (m.p->c.gguf) {
        tt_fail_at(site, TT_EARG, "model_save: %s is a GGUF file; folders are saved", m.p->path);
        tt_hint("tt_save(path, params) keeps the params; .params = tt_load(path) of tt_generate() speaks with them");
        return false;
    }
    saving s = { .site = site, .m = m.p, .params = params, .f = &f };
    if (!model_folder_may(site, "model_save", path) || !complete(&s)) return false;
    bool ok = model_folder_begin(&f, site, "model_save", path);
    ok = ok && model_folder_each(&f, m.p->path, save_one, &s);
    return model_folder_end(&f, ok);
}
