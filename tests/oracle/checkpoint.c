/* oracle/checkpoint.c - kind `checkpoint`: files of other libraries, read and compared node by node; and values saved
 * under one layout and restored under another. */
#include "arrays.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ["a", 0] as a text that two paths are compared by. digits: the format has no sequences, their places are names. */
static const char *case_path(const json_t *keys, bool digits, char *to, size_t capacity)
{
    size_t n = 0;
    *to = 0;
    for (size_t i = 0; i < json_array_size(keys) && n < capacity; i++) {
        const json_t *k = json_array_get(keys, i);
        n += (size_t)(json_is_string(k) ? snprintf(to + n, capacity - n, "/s:%s", json_string_value(k))
                                        : snprintf(to + n, capacity - n, digits ? "/s:%lld" : "/i:%lld",
                                                   (long long)json_integer_value(k)));
    }
    return to;
}

static const char *item_path(const tt_ckpt_item *t, char *to, size_t capacity)
{
    size_t n = 0;
    *to = 0;
    for (int i = 0; i < t->nkey && n < capacity; i++)
        n += (size_t)(t->key[i].name ? snprintf(to + n, capacity - n, "/s:%s", t->key[i].name)
                                     : snprintf(to + n, capacity - n, "/i:%d", t->key[i].at));
    return to;
}

static int find(tt_ckpt k, const char *what, const json_t *keys)
{
    char want[4096], have[4096];
    case_path(keys, !strcmp(tt_ckpt_format(k), "flax-msgpack"), want, sizeof want);
    for (int i = 0; i < tt_ckpt_count(k); i++) {
        const tt_ckpt_item *t = tt_ckpt_at(k, i);
        if (!strcmp(t->what, what) && !strcmp(item_path(t, have, sizeof have), want)) return i;
    }
    return -1;
}

/* Strings and empty nodes. */
static void texts(oracle_case *c, tt_ckpt k)
{
    const json_t *strings = json_object_get(c->params, "strings"), *empties = json_object_get(c->params, "empties");
    for (size_t i = 0; i < json_array_size(strings); i++) {
        const json_t *s = json_array_get(strings, i);
        const int at = find(k, "string", json_array_get(s, 0));
        if (at < 0 || strcmp(tt_ckpt_at(k, at)->text, json_string_value(json_array_get(s, 1))))
            oracle_fail(c, "string %zu: %s", i, at < 0 ? "is not there" : tt_ckpt_at(k, at)->text);
    }
    for (size_t i = 0; i < json_array_size(empties); i++) {
        const json_t *s = json_array_get(empties, i);
        if (find(k, json_string_value(json_array_get(s, 1)), json_array_get(s, 0)) < 0)
            oracle_fail(c, "empty node %zu is not there", i);
    }
    const json_t *meta = json_object_get(c->params, "metadata");
    json_t *have = *tt_ckpt_metadata(k) ? json_loads(tt_ckpt_metadata(k), 0, NULL) : NULL;
    if (meta && !json_equal(meta, have))
        oracle_fail(c, "metadata: %s", *tt_ckpt_metadata(k) ? tt_ckpt_metadata(k) : "none");
    json_decref(have);
}

static void leaves(oracle_case *c, tt_ckpt k)
{
    const json_t *list = json_object_get(c->params, "leaves"), *specs = json_object_get(c->json, "out_specs");
    const char *mesh_text = oracle_text(c->json, "mesh", NULL);
    const tt_mesh mesh = mesh_text ? tt_mesh(oracle_notation(mesh_text)) : (tt_mesh){ NULL };
    const size_t nodes = json_array_size(list) + json_array_size(json_object_get(c->params, "strings")) +
                         json_array_size(json_object_get(c->params, "empties"));
    for (size_t i = 0; i < json_array_size(list) && tt_ok(); i++) {
        const int at = find(k, "array", json_array_get(list, i));
        char path[4096];
        if (at < 0) {
            oracle_fail(c, "leaf %s is not there", case_path(json_array_get(list, i), false, path, sizeof path));
            continue;
        }
        const char *spec = mesh_text ? oracle_notation(json_string_value(json_array_get(specs, i))) : NULL;
        const tt_val v = tt_ckpt_read(k, at, .mesh = mesh.p ? mesh : (tt_mesh){ 0 }, .spec = spec ? spec : NULL);
        if (!tt_ok()) return;
        if (spec && !tt_has_layout(v, mesh, spec))
            oracle_fail(c, "leaf %s is laid out otherwise: %s", tt_ckpt_at(k, at)->path, tt_type_text(v));
        oracle_expect(c, (int)i, v);
    }
    if (!c->failed && tt_ok() && nodes != (size_t)tt_ckpt_count(k))
        oracle_fail(c, "%d nodes, expected %zu", tt_ckpt_count(k), nodes);
}

/* Every array of it, for what must be refused. */
static void read_all(tt_ckpt k)
{
    for (int i = 0; i < tt_ckpt_count(k) && tt_ok(); i++)
        if (!strcmp(tt_ckpt_at(k, i)->what, "array")) tt_ckpt_read(k, i);
}

/* A manager's folder: its steps and its best, then the step that is asked for. */
static tt_ckpt opened(oracle_case *c, const char *path)
{
    const json_t *steps = json_object_get(c->params, "steps");
    int64_t have[64];
    if (strcmp(oracle_text(c->params, "format", ""), "orbax-manager")) return tt_ckpt_open(path);
    const tt_manager m = tt_manager_open(path, .best = "min loss");
    const int n = tt_manager_steps(m, 64, have);
    for (size_t i = 0; i < json_array_size(steps) && !c->failed; i++)
        if (n != (int)json_array_size(steps) || have[i] != json_integer_value(json_array_get(steps, i)))
            oracle_fail(c, "%d steps, or others", n);
    if (oracle_has(c->params, "best") && tt_manager_best(m) != oracle_int(c->params, "best", -1))
        oracle_fail(c, "best: %lld", (long long)tt_manager_best(m));
    const char *step = tt_manager_path(m, oracle_int(c->params, "step", -1));
    return step ? tt_ckpt_open(step) : (tt_ckpt){ 0 };
}

static void restore(oracle_case *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", oracle_suite_dir(c->suite), oracle_text(c->params, "path", ""));
    const tt_ckpt k = opened(c, path);
    if (oracle_has(c->json, "error")) {
        read_all(k);
        return;
    }
    if (!tt_ok()) return;
    const char *format = oracle_text(c->params, "format", "");
    if (strcmp(tt_ckpt_format(k), strcmp(format, "orbax-manager") ? format : "orbax"))
        oracle_fail(c, "was taken for %s", tt_ckpt_format(k));
    texts(c, k);
    leaves(c, k);
}

/* ---- saved under one layout, restored under another, and onto the fourth device alone ---- */

static tt_val loaded(const char *path, tt_val form)
{
    return tt_get(tt_load(path, .like = tt_dict("x", form)), "x");
}

static void save_restore(oracle_case *c, bool twice)
{
    char dir[] = "/tmp/tutti-golden-XXXXXX", path[64], text[600];
    const tt_mesh mesh = tt_mesh(oracle_notation(oracle_text(c->params, "mesh", "")));
    const tt_val x = oracle_in(c, 0), v = tt_shard(x, mesh, oracle_notation(oracle_text(c->params, "save_spec", "")));
    if (!mkdtemp(dir)) {
        oracle_fail(c, "no folder in /tmp");
        return;
    }
    snprintf(path, sizeof path, "%s/run", dir);
    tt_save(path, tt_dict("x", v));
    if (twice) tt_save(path, tt_dict("x", v));
    else if (tt_ok()) {
        const char *spec = oracle_notation(oracle_text(c->params, "restore_spec", ""));
        const int64_t fourth = 3;
        const tt_val y = loaded(path, tt_shard(tt_like(x), mesh, spec));
        const tt_val z = loaded(path, tt_shard(tt_like(x), tt_mesh("one:1", .order = &fourth), ""));
        if (tt_ok() && !tt_has_layout(y, mesh, spec)) oracle_fail(c, "is laid out otherwise: %s", tt_type_text(y));
        if (tt_ok()) {
            snprintf(text, sizeof text, "%s\n%s\n", tt_text(y, "spec"), tt_text(z, "device"));
            oracle_expect(c, 0, y);
            oracle_expect_array(c, "on one device", z, x);
            oracle_expect_text(c, text);
        }
    }
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command)) oracle_fail(c, "%s is not removed", dir);
}

void oracle_checkpoint(oracle_case *c)
{
    if (!strcmp(c->fn, "restore")) restore(c);
    else if (!strcmp(c->fn, "save_restore") || !strcmp(c->fn, "save_twice")) save_restore(c, c->fn[5] == 't');
    else oracle_unknown(c, c->fn);
}
