/* ckpt/save/store.c - saves into an OCDBT store: each writer stores the chunks of its arrays in one file, under a name
 * that no other save uses; the first writer writes the index of all files after all of them are durable. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ckpt_values_open(ckpt_job *j, ckpt_err *e)
{
    char dir[2 * CKPT_PATH], name[33];
    if (j->data.fd >= 0) return true;
    if (!ckpt_random_name(name, e)) return false;
    if (!(j->values = json_array())) return ckpt_fail(e, TT_EMEM, "out of memory");
    snprintf(dir, sizeof dir, "%s/ocdbt.process_%d", j->item, j->writer);
    if (!ckpt_dir_make(dir, e)) return false;
    snprintf(dir, sizeof dir, "%s/ocdbt.process_%d/d", j->item, j->writer);
    snprintf(j->data_name, sizeof j->data_name, "ocdbt.process_%d/d/%s", j->writer, name);
    return ckpt_dir_make(dir, e) && ckpt_file_new(&j->data, dir, name, e);
}

bool ckpt_values_note(ckpt_job *j, const char *key, int64_t at, int64_t n, ckpt_err *e)
{
    json_t *const value = json_pack("[s, I, I]", key, (json_int_t)at, (json_int_t)n);
    return (value && !json_array_append_new(j->values, value)) || ckpt_fail(e, TT_EMEM, "out of memory");
}

bool ckpt_values_close(ckpt_job *j, ckpt_err *e)
{
    char file[200], dir[2 * CKPT_PATH];
    if (j->data.fd < 0) return true;                     /* nothing is here */
    snprintf(file, sizeof file, "%s%s", j->sub, j->data_name);
    if (!ckpt_file_hand(&j->data, j->sync, true) || !ckpt_row(j, file, j->data.n, j->data.crc, e)) return false;
    json_t *const row = json_array_get(j->files, json_array_size(j->files) - 1);
    if (json_object_set(row, "v", j->values)) return ckpt_fail(e, TT_EMEM, "out of memory");
    snprintf(dir, sizeof dir, "%s/ocdbt.process_%d/d", j->item, j->writer);
    if (!ckpt_dir_hand(dir, j->sync, e)) return false;
    snprintf(dir, sizeof dir, "%s/ocdbt.process_%d", j->item, j->writer);
    return ckpt_dir_hand(dir, j->sync, e);
}

bool ckpt_values_keep(ckpt_job *j, const char *key, json_t *doc, ckpt_err *e)
{
    char *const text = doc ? json_dumps(doc, JSON_COMPACT) : NULL;
    json_decref(doc);
    if (!j->docs) j->docs = json_object();
    const bool ok = text && !json_object_set_new(j->docs, key, json_string(text));
    free(text);
    return ok || ckpt_fail(e, TT_EMEM, "out of memory for %s", key);
}

/* ---- the index ---- */

/* Lists the documents and the values of all writers; takes the values out of the rows of the manifest. kept: keeps them
 * alive. Returns their number; -1: no memory. */
static int listed(const ckpt_job *j, ckpt_stored **list, json_t *kept)
{
    size_t all = json_object_size(j->docs), n = 0, i, k;
    const char *key;
    json_t *doc, *row, *value;
    json_array_foreach(j->files, i, row) all += json_array_size(json_object_get(row, "v"));
    ckpt_stored *const v = *list = calloc(all + 1, sizeof *v);
    if (!v || all > INT32_MAX) return -1;
    json_object_foreach(j->docs, key, doc)
        v[n++] = (ckpt_stored){ .key = key, .bytes = json_string_value(doc), .n = (int64_t)json_string_length(doc) };
    json_array_foreach(j->files, i, row) {
        json_t *const values = json_object_get(row, "v");
        const char *const file = json_string_value(json_object_get(row, "f"));
        if (!values) continue;
        if (json_array_append(kept, values)) return -1;
        json_array_foreach(values, k, value) {
            v[n] = (ckpt_stored){ .key = json_string_value(json_array_get(value, 0)), .file = file + strlen(j->sub),
                                  .at = (int64_t)json_integer_value(json_array_get(value, 1)),
                                  .n = (int64_t)json_integer_value(json_array_get(value, 2)) };
            if (!v[n++].key) return -1;
        }
        json_object_del(row, "v");
    }
    return (int)n;
}

static bool stored(ckpt_job *j, const char *sub, const char *name, ckpt_bytes b, ckpt_err *e)
{
    char dir[2 * CKPT_PATH], file[200];
    ckpt_file f = { .fd = -1 };
    snprintf(dir, sizeof dir, "%s%s%s", j->item, *sub ? "/" : "", sub);
    snprintf(file, sizeof file, "%s%s%s%s", j->sub, sub, *sub ? "/" : "", name);
    return ckpt_file_new(&f, dir, name, e) && ckpt_file_hand(&f, j->sync, ckpt_file_write(&f, b.p, b.n, e)) &&
           ckpt_row(j, file, f.n, f.crc, e);
}

bool ckpt_values_write(ckpt_job *j, ckpt_err *e)
{
    char dir[2 * CKPT_PATH], name[33], path[40];
    ckpt_bytes node = { NULL, 0 }, manifest = { NULL, 0 };
    ckpt_stored *list = NULL;
    json_t *const kept = json_array();
    bool ok = ckpt_values_keep(j, "zarr.json", ckpt_group_doc(&j->plan), e) && ckpt_random_name(name, e);
    const int n = ok && kept ? listed(j, &list, kept) : -1;
    ok = ok && (n >= 0 || ckpt_fail(e, TT_EMEM, "out of memory for the index"));
    if (ok) snprintf(path, sizeof path, "d/%s", name);
    snprintf(dir, sizeof dir, "%s/d", j->item);
    ok = ok && ckpt_ocdbt_index(n, list, path, &node, &manifest, e) && ckpt_dir_make(dir, e) &&
         stored(j, "d", name, node, e) && ckpt_dir_hand(dir, j->sync, e) &&
         stored(j, "", "manifest.ocdbt", manifest, e) && ckpt_sync_wait(j->sync, e);
    ckpt_free(&node);
    ckpt_free(&manifest);
    free(list);
    json_decref(kept);
    return ok;
}
