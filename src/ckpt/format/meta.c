/* ckpt/format/meta.c - the documents of a saved item, with the members that readers of Orbax and Zarr need.
 *
 * Tutti's own data (the tree with its tags, logical axes) is in `attributes`, which other readers ignore. Floats have
 * NaN as fill value, so that a lost file is visible in readers that tolerate missing files. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static json_t *dims(int rank, const int64_t *d)
{
    json_t *list = json_array();
    for (int i = 0; i < rank; i++) json_array_append_new(list, json_integer(d[i]));
    return list;
}

static json_t *bytes_codec(tt_dtype t)
{
    return ckpt_unit(t) == 1 ? json_pack("{s:s}", "name", "bytes")
                             : json_pack("{s:s, s:{s:s}}", "name", "bytes", "configuration", "endian", "little");
}

static json_t *fill_value(tt_dtype t)
{
    if (t == TT_BOOL) return json_false();
    if (t == TT_F16 || t == TT_BF16 || t == TT_F32 || t == TT_F64) return json_string("NaN");
    if (t == TT_C64 || t == TT_C128) return json_pack("[s, s]", "NaN", "NaN");
    return t >= TT_F4E2M1FN ? json_real(0) : json_integer(0);
}

static json_t *codecs(const ckpt_out *o)
{
    json_t *piece = json_pack("[o, {s:s}]", bytes_codec(o->dtype), "name", "crc32c");
    if (!o->rank) return piece;
    json_t *index = json_pack("[o, {s:s}]", bytes_codec(TT_U64), "name", "crc32c");
    return json_pack("[{s:s, s:{s:o, s:o, s:o, s:s}}]", "name", "sharding_indexed", "configuration", "chunk_shape",
                     dims(o->rank, o->inner), "codecs", piece, "index_codecs", index, "index_location", "end");
}

json_t *ckpt_leaf_doc(const ckpt_out *o)
{
    json_t *own = json_object();
    if (o->axes) json_object_set_new(own, "axes", json_string(o->axes));
    if (o->frozen) json_object_set_new(own, "frozen", json_true());
    if (o->mesh) json_object_set_new(own, "mesh", json_string(o->mesh));
    if (o->mesh) json_object_set_new(own, "spec", json_string(o->spec));
    json_t *attributes = json_object();
    if (json_object_size(own)) json_object_set(attributes, "tutti", own);
    json_decref(own);
    return json_pack("{s:i, s:s, s:o, s:s, s:{s:s, s:{s:o}}, s:{s:s, s:{s:s}}, s:o, s:o, s:o}", "zarr_format", 3,
                     "node_type", "array", "shape", dims(o->rank, o->dim), "data_type", ckpt_zarr3_name(o->dtype),
                     "chunk_grid", "name", "regular", "configuration", "chunk_shape", dims(o->rank, o->chunk),
                     "chunk_key_encoding", "name", "default", "configuration", "separator", ".", "fill_value",
                     fill_value(o->dtype), "codecs", codecs(o), "attributes", attributes);
}

json_t *ckpt_group_doc(const ckpt_plan *p)
{
    return json_pack("{s:i, s:s, s:{s:{s:i, s:O?}}}", "zarr_format", 3, "node_type", "group", "attributes", "tutti",
                     "version", 1, "tree", p->tree);
}

/* ('params', '0'): distinct, readable texts; readers use key_metadata. */
static void python_tuple(const ckpt_out *o, char *to, size_t capacity)
{
    size_t n = (size_t)snprintf(to, capacity, "(");
    char number[24];
    for (int i = 0; i < o->nkey && n < capacity; i++) {
        snprintf(number, sizeof number, "%d", o->key[i].at);
        const char *s = o->key[i].name ? o->key[i].name : number, *quote = strchr(s, '\'') ? "\"" : "'";
        n += (size_t)snprintf(to + n, capacity - n, "%s%s%s%s", i ? ", " : "", quote, s, quote);
    }
    if (n < capacity) snprintf(to + n, capacity - n, o->nkey == 1 ? ",)" : ")");
}

json_t *ckpt_metadata_doc(const ckpt_plan *p, bool ocdbt)
{
    json_t *tree = json_object();
    for (int i = 0; i < p->n; i++) {
        const ckpt_out *o = &p->out[i];
        char name[CKPT_PATH], number[24];
        json_t *keys = json_array(), *value;
        for (int k = 0; k < o->nkey; k++) {
            snprintf(number, sizeof number, "%d", o->key[k].at);
            json_array_append_new(keys, json_pack("{s:s, s:i}", "key", o->key[k].name ? o->key[k].name : number,
                                                  "key_type", o->key[k].name ? 2 : 1));
        }
        if (o->empty) value = json_pack("{s:s, s:b}", "value_type", o->empty, "skip_deserialize", 1);
        else if (!o->even) value = json_pack("{s:s, s:b}", "value_type", "np.ndarray", "skip_deserialize", 0);
        else
            value = json_pack("{s:s, s:b, s:o}", "value_type", "jax.Array", "skip_deserialize", 0, "write_shape",
                              dims(o->rank, o->chunk));
        python_tuple(o, name, sizeof name);
        json_object_set_new(tree, name, json_pack("{s:o, s:o}", "key_metadata", keys, "value_metadata", value));
    }
    return json_pack("{s:o, s:b, s:b, s:b, s:n}", "tree_metadata", tree, "use_ocdbt", (int)ocdbt, "use_zarr3", 1,
                     "store_array_data_equal_to_fill_value", 1, "custom_metadata");
}

/* ---- layouts ---- */

static json_t *mesh_axes(const char *text, json_t **shape)       /* "data:2, model:4"; an order of devices is dropped */
{
    json_t *names = json_array();
    *shape = json_array();
    for (const char *p = text; *p && *p != '@';) {
        char name[128];
        long long size = 0;
        p += strspn(p, " ,");
        if (sscanf(p, "%127[^: ,@]:%lld", name, &size) != 2) break;
        json_array_append_new(names, json_string(name));
        json_array_append_new(*shape, json_integer(size));
        p += strcspn(p, ",@");
    }
    return names;
}

static json_t *partition(const char *spec)               /* "data+model, _" as [["data", "model"], null] */
{
    json_t *list = json_array();
    for (const char *p = spec; *p;) {
        json_t *axes = json_array();
        while (*p && *p != ',') {
            p += strspn(p, " +?");
            const size_t n = strcspn(p, " ,+?");
            if (n && !(n == 1 && *p == '_')) json_array_append_new(axes, json_stringn(p, n));
            p += n;
        }
        p += *p == ',';
        const size_t n = json_array_size(axes);
        json_array_append(list, n > 1 ? axes : n ? json_array_get(axes, 0) : json_null());
        json_decref(axes);
    }
    return list;
}

json_t *ckpt_sharding_doc(const ckpt_plan *p)
{
    json_t *all = NULL;
    for (int i = 0; i < p->n; i++) {
        const ckpt_out *o = &p->out[i];
        char key[CKPT_PATH / 2];
        json_t *shape, *names;
        if (o->empty || !o->even) continue;
        if (!all) all = json_object();
        names = mesh_axes(o->mesh, &shape);
        json_t *doc = json_pack("{s:s, s:o, s:o, s:o}", "sharding_type", "NamedSharding", "shape", shape, "axis_names",
                                names, "partition_spec", partition(o->spec));
        char *text = doc ? json_dumps(doc, 0) : NULL;
        ckpt_base64url(o->name, key);
        json_object_set_new(all, key, json_string(text ? text : ""));
        free(text);
        json_decref(doc);
    }
    return all;
}

json_t *ckpt_step_doc(bool step, bool metrics, int64_t began)
{
    static const char item[] = "orbax.checkpoint._src.handlers.standard_checkpoint_handler.StandardCheckpointHandler";
    static const char json[] = "orbax.checkpoint._src.handlers.json_checkpoint_handler.JsonCheckpointHandler";
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    json_t *handlers = step ? json_pack("{s:s}", "default", item) : json_string(item);
    if (step && metrics) json_object_set_new(handlers, "metrics", json_string(json));
    return json_pack("{s:o, s:{}, s:{}, s:I, s:I, s:{}}", "item_handlers", handlers, "metrics", "performance_metrics",
                     "init_timestamp_nsecs", (json_int_t)began, "commit_timestamp_nsecs", (json_int_t)now,
                     "custom_metadata");
}
