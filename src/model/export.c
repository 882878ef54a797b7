/* model/export.c - a model of nn's layers, written as hubs publish models: each weight that the config asks for is made
 * of the leaves that .names gives it. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

enum { EXPORT_PARTS = 8 };
/* taken: has the path of each leaf that is in a weight. */
typedef struct {
    const char *site;
    tt_val params;
    model_config c;
    model_weight *w;
    int n;
    name_pairs names;
    json_t *taken;
} exporting;

/* The pair of a weight; NULL: .names has none. A pair of its own goes before one of a layer around it. */
static name_pair *pair_of(exporting *e, const model_weight *w, bool *bias, int64_t *layer, const char **child)
{
    char module[MODEL_PATH];
    const size_t skip = strncmp(w->name, e->c.prefix, strlen(e->c.prefix)) ? 0 : strlen(e->c.prefix);
    snprintf(module, sizeof module, "%s", w->name + skip);
    char *const dot = strrchr(module, '.');
    *bias = !strcmp(dot, ".bias");
    *dot = 0;
    name_pair *found = NULL;
    for (int i = 0; i < e->names.n; i++) {
        const char *below;
        if (!model_name_is(e->names.pair[i].theirs, module, layer, &below) || (found && *below)) continue;
        found = &e->names.pair[i], *child = below;
        if (!*below) break;
    }
    return found;
}

/* ---- the leaves of a weight ---- */

/* One of the leaves that make a weight. stacked: its first dim is that of the layers. table: rows are not turned. */
typedef struct { char path[2 * MODEL_PATH + 24]; bool stacked, table; int64_t count; } leaf_part;

/* The leaf's name below a layer of nn; false: it has none. */
static bool leaf_named(const exporting *e, const char *module, bool bias, leaf_part *p)
{
    static const char *const kinds[] = { "kernel", "scale", "embedding", "bias" };
    for (int k = bias ? 3 : 0; k < (bias ? 4 : 3); k++) {
        snprintf(p->path, sizeof p->path, "%s.%s", module, kinds[k]);
        p->table = k == 2;
        if (tt_has_at(e->site, e->params, p->path)) return true;
    }
    snprintf(p->path, sizeof p->path, "%s.%s", module, bias ? "bias" : "kernel");
    return false;
}

static bool part_found(const exporting *e, const model_weight *w, const char *module, bool bias, bool stacked,
                       leaf_part *p, model_issues *s)
{
    if (!leaf_named(e, module, bias, p)) {
        model_issue(s, "%s: params has no \"%s\"", w->name, p->path);
        return false;
    }
    if (json_object_set_new_nocheck(e->taken, p->path, json_true()) != 0)
        return tt_fail_at(e->site, TT_EMEM, "model_export: out of memory"), false;
    const tt_val v = tt_get_at(e->site, e->params, p->path);
    const int rank = tt_rank_at(e->site, v);
    p->stacked = stacked, p->count = 1;
    for (int d = stacked; d < rank; d++) p->count *= tt_dim_at(e->site, v, d);
    const bool layers = !stacked || (rank > 1 && tt_dim_at(e->site, v, 0) == e->c.layers);
    if (tt_ok() && layers && tt_dtype_kind(tt_dtype_of_at(e->site, v)) == 'f') return true;
    if (tt_ok())
        model_issue(s, "%s: \"%s\" is %s; expected floats%s", w->name, p->path, tt_type_text_at(e->site, v),
                    stacked ? " with a first dim of the layers" : "");
    return false;
}

/* True if the weight is of the second layer or a later one: what it lacks the first one lacks as well. */
static bool is_later(const model_weight *w)
{
    const char *const digit = strpbrk(w->name + strcspn(w->name, "."), "0123456789");
    return digit && digit[-1] == '.' && strtol(digit, NULL, 10) > 0;
}

/* The leaves of a weight; 0: an issue. */
static int parts_of(exporting *e, const model_weight *w, leaf_part *part, int64_t *layer, model_issues *s)
{
    bool bias = false;
    const char *child = "";
    name_pair *const a = pair_of(e, w, &bias, layer, &child);
    int n = 0;
    if (!a && !is_later(w)) model_issue(s, "%s: .names gives it no layer of params", w->name);
    if (!a) return 0;
    bool found = true;
    a->used = true;
    for (const char *p = a->ours; *p; n++) {
        const size_t all = strcspn(p, "+");
        char one[MODEL_PATH], module[2 * MODEL_PATH + 8];
        if (n == EXPORT_PARTS || !model_trimmed(p, p + all, one)) {
            model_issue(s, ".names: \"%s\" is not a list of at most %d layers", a->ours, EXPORT_PARTS);
            return 0;
        }
        model_numbered(one, *layer, child, module);
        found &= part_found(e, w, module, bias, strchr(a->theirs, '*') && !strchr(one, '*'), &part[n], s);
        p += all + (p[all] == '+');
    }
    return found ? n : 0;
}

/* The number of inputs of a matrix. */
static int64_t inputs_of(const exporting *e, const model_weight *w) { return w->dim[!(e->c.turned && w->lora)]; }

/* Adds to the issues if the leaves do not make the weight. */
static void fit_weight(exporting *e, const model_weight *w, model_issues *s)
{
    leaf_part part[EXPORT_PARTS];
    int64_t layer = 0, sum = 0, all = w->dim[0] * (w->rank > 1 ? w->dim[1] : 1);
    const int n = parts_of(e, w, part, &layer, s);
    bool same = n > 0;
    for (int i = 0; i < n; i++) {
        sum += part[i].count;
        if (w->rank > 1) same = same && part[i].count % inputs_of(e, w) == 0;
        if (part[i].table) {
            const tt_val v = tt_get_at(e->site, e->params, part[i].path);
            same = same && n == 1 && !part[i].stacked && tt_rank_at(e->site, v) == 2 && w->rank == 2 &&
                   tt_dim_at(e->site, v, 1) == w->dim[1];
        }
    }
    if (!tt_ok() || !n || (same && sum == all)) return;
    model_issue(s, "%s: \"%s\" is %s%s; config.json says [%lld%s%.0lld]", w->name, part[0].path,
                tt_type_text_at(e->site, tt_get_at(e->site, e->params, part[0].path)), n > 1 ? ", with others" : "",
                (long long)w->dim[0], w->rank > 1 ? ", " : "", (long long)w->dim[1]);
}

/* Of the layers of one pair the first issue is told. */
static void fits_weight(exporting *e, const model_weight *w, model_issues *s)
{
    bool bias;
    int64_t layer;
    const char *child = "";
    name_pair *const a = pair_of(e, w, &bias, &layer, &child);
    const int before = s->count;
    model_issues none = { .n = 0 };
    fit_weight(e, w, a && a->told && is_later(w) ? &none : s);
    if (a && s->count > before) a->told = true;
}

static tt_val part_value(const exporting *e, const model_weight *w, const leaf_part *p, int64_t layer)
{
    const int64_t flat[] = { p->count, TT_DIM_END }, in = w->rank > 1 ? inputs_of(e, w) : 1;
    const int64_t matrix[] = { in, p->count / in, TT_DIM_END };
    tt_val v = tt_get_at(e->site, e->params, p->path);
    if (p->stacked) v = tt_slice_at(e->site, v, 0, layer, layer + 1, 1);
    return p->table ? v : tt_reshape_at(e->site, v, w->rank > 1 ? matrix : flat);
}

/* In the type of the file. */
static tt_val weight_value(exporting *e, const model_weight *w)
{
    model_issues none = { .n = 0 };
    leaf_part part[EXPORT_PARTS];
    tt_val v[EXPORT_PARTS + 1];
    int64_t layer = 0;
    const int n = parts_of(e, w, part, &layer, &none);
    for (int i = 0; i < n; i++) v[i] = part_value(e, w, &part[i], layer);
    v[n] = tt_end;
    if (n < 1 || !tt_ok()) return tt_poison;
    tt_val y = n > 1 ? tt_concat_at(e->site, w->rank - 1, v) : v[0];
    if (w->rank > 1 && !part[0].table && !(e->c.turned && w->lora)) y = tt_transpose_at(e->site, y, NULL);
    const size_t length = strlen(w->name);
    if (e->c.plus_one && length > 11 && !strcmp(w->name + length - 11, "norm.weight"))
        y = tt_sub_at(e->site, y, tt_f(1));
    return tt_cast_at(e->site, y, e->c.dtype);
}

/* Leaves that are in no weight, and pairs that are of none. */
static void left_over(exporting *e, model_issues *s)
{
    for (int i = 0; i < e->names.n; i++)
        if (!e->names.pair[i].used)
            model_issue(s, ".names: config.json has no weight \"%s\"", e->names.pair[i].theirs);
    const int leaves = tt_tree_leaves_at(e->site, e->params, 0, NULL);
    for (int i = 0; i < leaves && tt_ok(); i++) {
        const char *const path = tt_leaf_path_at(e->site, e->params, i);
        if (path && !json_object_get(e->taken, path))
            model_issue(s, "params has \"%.180s\", which is in no weight", path);
    }
}

/* ---- files ---- */

static const char *type_in_file(tt_dtype t) { return t == TT_F32 ? "F32" : t == TT_BF16 ? "BF16" : "F16"; }

static bool write_header(const exporting *e, const model_folder *f, FILE *to)
{
    json_t *const header = json_pack("{s:{s:s}}", "__metadata__", "format", "pt");
    const int64_t each = e->c.dtype == TT_F32 ? 4 : 2;
    int64_t at = 0;
    for (int i = 0; i < e->n; i++) {
        const model_weight *const w = &e->w[i];
        const int64_t n = each * w->dim[0] * (w->rank > 1 ? w->dim[1] : 1);
        json_t *const dims = w->rank > 1 ? json_pack("[I, I]", (json_int_t)w->dim[0], (json_int_t)w->dim[1])
                                         : json_pack("[I]", (json_int_t)w->dim[0]);
        json_object_set_new(header, w->name, json_pack("{s:s, s:o, s:[I, I]}", "dtype", type_in_file(e->c.dtype),
                                                       "shape", dims, "data_offsets", (json_int_t)at,
                                                       (json_int_t)(at + n)));
        at += n;
    }
    char *const text = json_dumps(header, JSON_COMPACT);
    const size_t n = text ? strlen(text) : 0, all = (n + 7) / 8 * 8;     /* blanks up to the next eight bytes */
    uint8_t head[8];
    for (int i = 0; i < 8; i++) head[i] = (uint8_t)((uint64_t)all >> 8 * i);
    json_decref(header);
    if (!text) return tt_fail_at(e->site, TT_EMEM, "model_export: out of memory"), false;
    const bool ok = fwrite(head, 1, 8, to) == 8 && fwrite(text, 1, n, to) == n &&
                    fwrite("        ", 1, all - n, to) == all - n;
    free(text);
    return ok || model_file_failed(f, f->to, "model.safetensors");
}

static bool write_weight(exporting *e, const model_folder *f, const model_weight *w, FILE *to)
{
    const tt_scope own = tt_scope_open();
    const tt_val v = weight_value(e, w);
    const size_t n = tt_ok() ? tt_bytes_at(e->site, v) : 0;
    void *const bytes = tt_ok() ? malloc(n ? n : 1) : NULL;
    if (tt_ok() && !bytes) tt_fail_at(e->site, TT_EMEM, "model_export: out of memory");
    bool ok = tt_ok() && tt_read_at(e->site, v, bytes, n);
    ok = ok && (fwrite(bytes, 1, n, to) == n || model_file_failed(f, f->to, "model.safetensors"));
    tt_scope_close(own);
    free(bytes);
    return ok;
}

static bool write_weights(exporting *e, const model_folder *f)
{
    static const char name[] = "model.safetensors";
    FILE *const to = model_file_open(f, f->to, name, "wb");
    bool ok = to && write_header(e, f, to);
    for (int i = 0; i < e->n && ok; i++) ok = write_weight(e, f, &e->w[i], to);
    return to ? model_file_close(f, to, name) && ok : false;
}

static bool write_string(const model_folder *f, const char *name, const char *text)
{
    FILE *const to = model_file_open(f, f->to, name, "wb");
    const bool ok = to && (fputs(text, to) >= 0 || model_file_failed(f, f->to, name));
    return to ? model_file_close(f, to, name) && ok : false;
}

static bool write_tokenizer(const exporting *e, const model_folder *f, const tt_model_export_opts *o)
{
    char path[MODEL_FOLDER + 20];
    if (!o->tokenizer && !o->bytes) return true;
    snprintf(path, sizeof path, "%s/tokenizer.json", f->to);
    if (o->bytes) {
        if (!tt_tokenizer_bytes_at(e->site, path)) return false;
        FILE *const made = model_file_open(f, f->to, "tokenizer.json", "rb");
        if (!made || !model_file_close(f, made, "tokenizer.json")) return false;         /* to the disk */
    } else {
        FILE *const from = model_file_open(f, "", o->tokenizer, "rb");
        FILE *const to = from ? model_file_open(f, f->to, "tokenizer.json", "wb") : NULL;
        bool ok = to && model_file_copy(f, from, "", to, -1, "tokenizer.json");
        if (from) fclose(from);
        if (!to || !model_file_close(f, to, "tokenizer.json") || !ok) return false;
    }
    return write_string(f, "tokenizer_config.json", "{\n \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n"
                                                  " \"clean_up_tokenization_spaces\": false\n}\n");
}

/* ---- the call ---- */

static bool read_config(exporting *e, const tt_model_export_opts *o, model_issues *s)
{
    json_error_t why;
    model_stops stops = { .n = 0 };
    json_t *const config = json_loads(o->config, JSON_REJECT_DUPLICATES, &why);
    if (!config) model_issue(s, "config.json: line %d: %s", why.line, why.text);
    const bool ok = config && model_read_config(config, &e->c, &stops, s);
    json_decref(config);
    if (!ok) return false;
    strcpy(e->c.prefix, e->c.family == MODEL_GPT2 ? "transformer." : "model.");
    tt_tokenizer t = { 0 };
    const tt_tokenizer_opts usual = { .size = sizeof usual };
    if (o->tokenizer) t = tt_tokenizer_open_at(e->site, o->tokenizer, &usual);
    if (!tt_ok()) return false;
    model_compare_ids(&e->c, &stops, o->tokenizer ? tt_tokenizer_size_at(e->site, t) : o->bytes ? 256 : 0, s);
    return tt_ok();
}

static bool export_checked(exporting *e, const tt_model_export_opts *o)
{
    model_issues s = { .n = 0 };
    if (read_config(e, o, &s)) {
        model_read_names(&e->names, o->names, &s);
        e->n = model_weights(&e->c, &e->w);
        if (e->n < 0) return tt_fail_at(e->site, TT_EMEM, "model_export: out of memory"), false;
        for (int i = 0; i < e->n && tt_ok(); i++) fits_weight(e, &e->w[i], &s);
        if (tt_ok()) left_over(e, &s);
    }
    if (tt_ok() && s.count) {
        tt_fail_at(e->site, TT_EDATA, "model_export: %d thing%s not fit:%s%s", s.count, s.count == 1 ? " does" : "s do",
                   s.text, s.n < sizeof s.text ? "" : "\n  and more");
        tt_hint("the config, .names and the params must be of one model");
    }
    return tt_ok();
}

bool tt_model_export_at(const char *site, tt_val params, const char *path, const tt_model_export_opts *o)
{
    TT_ENTRY(site);
    model_folder f;
    if (!TT_CHECKED(tt_model_export_opts, site, "model_export", o)) return false;
    if (!o->config || !o->names)
        return tt_fail_at(site, TT_EARG, "model_export: no .%s is given", o->config ? "names" : "config"), false;
    if (o->tokenizer && o->bytes)
        return tt_fail_at(site, TT_EARG, "model_export: both .tokenizer and .bytes are given"), false;
    if (!model_folder_may(site, "model_export", path)) return false;
    exporting *const e = calloc(1, sizeof *e);
    if (!e || !(e->taken = json_object()))
        return free(e), tt_fail_at(site, TT_EMEM, "model_export: out of memory"), false;
    e->site = site, e->params = params;
    bool ok = export_checked(e, o);
    if (ok) {
        ok = model_folder_begin(&f, site, "model_export", path) && write_string(&f, "config.json", o->config) &&
             write_tokenizer(e, &f, o) && write_weights(e, &f);
        ok = model_folder_end(&f, ok);
    }
    json_decref(e->taken);
    free(e->w), free(e);
    return ok;
}
