/* oracle/distributed.c - the suite `distributed`: what JAX answers in several processes. A case is for `processes`
 * processes of `per` devices; in another job it is skipped. Every process runs this and compares what it sees.
 *
 * Longer than 400 lines: one suite of goldens: a function for each of its kinds. */
#include "arrays.h"
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 14, DEVICES = 64 };

/* What this process gives and sees. */
static json_t *own(const oracle_case *c)
{
    return json_array_get(json_object_get(c->json, "each"), (size_t)tt_process_index());
}

static const char *name_of(const json_t *list, size_t i) { return json_string_value(json_array_get(list, i)); }
static tt_val given(oracle_case *c) { return oracle_array(c, name_of(json_object_get(own(c), "in"), 0)); }

static void expect_own(oracle_case *c, tt_val got)       /* against this process's only output */
{
    const char *name = name_of(json_object_get(own(c), "out"), 0);
    if (tt_ok()) oracle_expect_array(c, "this process's", got, oracle_array(c, name));
}

static tt_val laid_out(oracle_case *c)                   /* input 0 by mesh and spec */
{
    return tt_shard(oracle_in(c, 0), oracle_mesh(c, "mesh"), oracle_spec(c->params, "spec"));
}

/* ---- blocks of devices ---- */

typedef struct { int64_t lo[DIMS], n[DIMS]; } box;

static bool box_at(tt_val v, int64_t place, box *b)
{
    memset(b, 0, sizeof *b);
    return tt_addressable_data(v, place, b->lo, b->n, NULL, 0);
}

static bool same_box(const json_t *want, const box *b, int rank)
{
    for (int d = 0; d < rank; d++) {
        const json_t *r = json_array_get(want, (size_t)d);
        if (b->lo[d] != json_integer_value(json_array_get(r, 0))) return false;
        if (b->lo[d] + b->n[d] != json_integer_value(json_array_get(r, 1))) return false;
    }
    return true;
}

static int64_t place_of(tt_mesh m, int64_t device)
{
    for (int64_t p = 0; p < tt_mesh_size(m, NULL); p++) if (tt_device_id(m, p) == device) return p;
    return -1;
}

static int64_t copies_before(tt_val v, int64_t place)    /* places before this one with the same block */
{
    box b, other;
    int64_t n = 0;
    box_at(v, place, &b);
    for (int64_t p = 0; p < place; p++) n += box_at(v, p, &other) && !memcmp(&b, &other, sizeof b);
    return n;
}

/* The block at a place, as an array. */
static tt_val block(tt_val v, int64_t place, const box *b)
{
    int64_t dim[DIMS + 1];
    const int rank = tt_rank(v);
    for (int d = 0; d < rank; d++) dim[d] = b->n[d];
    dim[rank] = TT_DIM_END;
    const tt_val like = tt_full_at(NULL, 0, tt_dtype_of(v), dim);
    const size_t bytes = tt_bytes(like);
    void *at = malloc(bytes + 1);
    tt_val y = tt_poison;
    if (at && tt_addressable_data(v, place, NULL, NULL, at, bytes)) y = tt_array_at(NULL, tt_dtype_of(v), at, dim);
    free(at);
    return y;
}

/* Compares what this process's devices hold: their boxes, numbers of copies and elements. */
static void expect_parts(oracle_case *c, tt_val v)
{
    const json_t *e = own(c), *devices = json_object_get(e, "devices"), *out = json_object_get(e, "out");
    const tt_mesh m = tt_mesh_of(v);
    for (size_t i = 0; i < json_array_size(devices) && tt_ok(); i++) {
        const int64_t device = json_integer_value(json_array_get(devices, i)), place = place_of(m, device);
        box b;
        if (device != tt_local_device((int64_t)i)) oracle_fail(c, "device %lld is not here", (long long)device);
        if (!box_at(v, place, &b) || !same_box(json_array_get(json_object_get(e, "box"), i), &b, tt_rank(v)))
            oracle_fail(c, "device %lld has another block", (long long)device);
        else if (copies_before(v, place) != json_integer_value(json_array_get(json_object_get(e, "replica"), i)))
            oracle_fail(c, "device %lld has another copy", (long long)device);
        else oracle_expect_array(c, "a block", block(v, place, &b), oracle_array(c, name_of(out, i)));
    }
    for (int d = 0; d < (int)json_array_size(json_object_get(e, "shape")); d++)
        if (tt_dim(v, d) != json_integer_value(json_array_get(json_object_get(e, "shape"), (size_t)d)))
            oracle_fail(c, "the shape is %s", tt_type_text(v));
    if (oracle_has(e, "whole") && tt_is_fully_addressable(v) != oracle_flag(e, "whole")) oracle_fail(c, "addressable");
    if (oracle_has(e, "same") && tt_is_fully_replicated(v) != oracle_flag(e, "same")) oracle_fail(c, "replicated");
}

/* Compares boxes that this process's devices hold, each of which is listed once, and their elements. */
static void expect_boxes(oracle_case *c, tt_val v, const json_t *boxes, const json_t *out)
{
    const tt_mesh m = tt_mesh_of(v);
    for (size_t k = 0; k < json_array_size(boxes) && tt_ok(); k++) {
        int64_t d = 0, place = 0;
        box b;
        for (; d < tt_local_device_count(); d++) {
            place = place_of(m, tt_local_device(d));
            if (box_at(v, place, &b) && same_box(json_array_get(boxes, k), &b, tt_rank(v))) break;
        }
        if (d == tt_local_device_count()) oracle_fail(c, "no device here has part %zu", k);
        else oracle_expect_array(c, "a part", block(v, place, &b), oracle_array(c, name_of(out, k)));
    }
}

/* ---- kinds ---- */

static void topology(oracle_case *c)
{
    const json_t *e = own(c), *local = json_object_get(e, "local"), *where = json_object_get(e, "process_of"),
                 *axes = json_object_get(e, "local_mesh");
    const tt_mesh m = oracle_mesh(c, "mesh"), mine = tt_local_mesh(m);
    if (tt_process_index() != oracle_int(e, "index", -1) || tt_process_count() != oracle_int(e, "count", -1) ||
        tt_device_count() != oracle_int(e, "devices", -1))
        oracle_fail(c, "process %d of %d, %lld devices", tt_process_index(), tt_process_count(),
                    (long long)tt_device_count());
    for (size_t i = 0; i <= json_array_size(local); i++) {
        const int64_t want = i < json_array_size(local) ? json_integer_value(json_array_get(local, i)) : -1;
        if (tt_local_device((int64_t)i) != want) oracle_fail(c, "local device %zu is not %lld", i, (long long)want);
    }
    for (size_t p = 0; p < json_array_size(where); p++)
        if (tt_device_process(tt_device_id(m, (int64_t)p)) != json_integer_value(json_array_get(where, p)))
            oracle_fail(c, "place %zu is of another process", p);
    if (!axes || json_is_null(axes)) {
        if (mine.p) oracle_fail(c, "the local mesh is %s, not none", tt_mesh_spec(mine));
        return;
    }
    for (size_t x = 0; x < json_array_size(axes); x++)
        if (tt_mesh_size(mine, name_of(json_array_get(axes, x), 0)) !=
            json_integer_value(json_array_get(json_array_get(axes, x), 1)))
            oracle_fail(c, "the local mesh is %s", tt_mesh_spec(mine));
}

typedef struct { const uint8_t *from; size_t size; int rank; int64_t dim[DIMS]; box asked[DEVICES]; int n; } source;

static bool fill(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    source *s = env;
    int64_t at[DIMS] = { 0 }, count = 1;
    box *b = &s->asked[s->n++];
    for (int d = 0; d < s->rank; d++) b->lo[d] = lo[d], b->n[d] = n[d], count *= n[d];
    for (int64_t k = 0; k < count; k++) {
        int64_t offset = 0;
        for (int d = 0; d < s->rank; d++) offset = offset * s->dim[d] + lo[d] + at[d];
        memcpy((uint8_t *)to + (size_t)k * s->size, s->from + (size_t)offset * s->size, s->size);
        for (int d = s->rank - 1; d >= 0 && ++at[d] == n[d]; d--) at[d] = 0;
    }
    return true;
}

static void callback(oracle_case *c)
{
    const array *a = array_of(c->suite, name_of(json_object_get(c->json, "in"), 0));
    const json_t *asked = json_object_get(own(c), "asked");
    source s = { .n = 0 };
    if (!a) {
        oracle_fail(c, "no input");
        return;
    }
    s.from = a->data, s.rank = a->rank;
    memcpy(s.dim, a->dim, sizeof s.dim);
    s.size = tt_bytes(tt_full_at(NULL, 0, a->dtype, (const int64_t[]){ TT_DIM_END }));
    int64_t dim[DIMS + 1];
    memcpy(dim, a->dim, sizeof s.dim);
    dim[a->rank] = TT_DIM_END;
    const tt_val v = tt_array_from_callback_at(NULL, a->dtype, dim, oracle_mesh(c, "mesh"),
                                               oracle_spec(c->params, "spec"), fill, &s);
    if (!tt_ok()) return;
    if ((size_t)s.n != json_array_size(asked)) oracle_fail(c, "%d boxes were asked for", s.n);
    for (size_t i = 0; i < json_array_size(asked); i++) {
        bool found = false;
        for (int k = 0; k < s.n; k++) found |= same_box(json_array_get(asked, i), &s.asked[k], s.rank);
        if (!found) oracle_fail(c, "box %zu was not asked for", i);
    }
    expect_parts(c, v);
}

static const char *shape_text(const json_t *dims, char to[200])
{
    size_t n = 0;
    *to = 0;
    for (size_t i = 0; i < json_array_size(dims); i++)
        n += (size_t)snprintf(to + n, 200 - n, "%s%lld", i ? ", " : "",
                              (long long)json_integer_value(json_array_get(dims, i)));
    return to;
}

static void local_data(oracle_case *c)
{
    char shape[200];
    const bool is_given = oracle_flag(c->params, "given");
    const char *whole = is_given ? shape_text(json_object_get(c->params, "shape"), shape) : NULL, *spec;
    spec = oracle_spec(c->params, "spec");
    const tt_val v = tt_array_from_process_local_data(given(c), oracle_mesh(c, "mesh"), spec,
                                                      .global_shape = whole ? whole : NULL);
    if (!tt_ok()) return;
    expect_parts(c, v);
    oracle_expect(c, 0, tt_process_allgather(v));
}

static void local_data_bad(oracle_case *c)
{
    char shape[200];
    const json_t *dims = json_object_get(c->params, "shape");
    const int64_t rows = 1 + json_integer_value(json_array_get(dims, 0)) / tt_process_count(),
                  columns = json_integer_value(json_array_get(dims, 1));
    tt_array_from_process_local_data(tt_zeros(TT_F32, rows, columns), oracle_mesh(c, "mesh"),
                                     oracle_spec(c->params, "spec"), .global_shape = shape_text(dims, shape));
}

static void allgather(oracle_case *c)
{
    const bool host = !strcmp(oracle_text(c->params, "of", ""), "host");
    expect_own(c, tt_process_allgather(host ? given(c) : laid_out(c), .tiled = oracle_flag(c->params, "tiled")));
}

static void sync(oracle_case *c)
{
    char name[200];
    const char *given_name = oracle_text(c->params, "name", "");
    snprintf(name, sizeof name, "%s", given_name);
    if (!oracle_flag(c->params, "same")) snprintf(name, sizeof name, "%s %d", given_name, tt_process_index());
    tt_sync_global_devices(name);
}

static void assert_equal(oracle_case *c)
{
    const bool same = oracle_flag(c->params, "same");
    tt_assert_equal(tt_dict("a", tt_arange(TT_I32, 3), "b", tt_f(same || !tt_process_index() ? 1 : 2)));
}

static void reading(oracle_case *c)
{
    const tt_val v = laid_out(c);
    if (!strcmp(c->fn, "asarray") || !strcmp(c->fn, "device_get")) {
        const size_t bytes = tt_bytes(v);
        int64_t dim[DIMS + 1];
        void *at = malloc(bytes + 1);
        for (int d = 0; d < tt_rank(v); d++) dim[d] = tt_dim(v, d);
        dim[tt_rank(v)] = TT_DIM_END;
        if (at && tt_read(v, at, bytes)) expect_own(c, tt_array_at(NULL, tt_dtype_of(v), at, dim));
        free(at);
    } else if (!strcmp(c->fn, "float_of_element"))
        expect_own(c, tt_f(tt_num(tt_slice(tt_slice(v, 0, 0, 1, 1), 1, 0, 1, 1))));
    else if (!strcmp(c->fn, "sum")) expect_own(c, tt_f(tt_num(tt_sum(v))));
    else if (!strcmp(c->fn, "repr")) {
        if (!strstr(tt_value_text(v), tt_type_text(v))) oracle_fail(c, "its text is %s", tt_value_text(v));
    } else if (!strcmp(c->fn, "index_local")) {
        box b;
        const int64_t place = place_of(tt_mesh_of(v), tt_local_device(0));
        if (box_at(v, place, &b)) expect_own(c, block(v, place, &b));
    } else oracle_unknown(c, c->fn);
}

/* ---- programs ---- */

typedef struct { const char *fn, *axis; char perm[200]; } exchange;

static tt_val exchanged(void *env, int n, const tt_val *x)
{
    const exchange *e = env;
    (void)n;
    if (!strcmp(e->fn, "psum")) return tt_psum(x[0], e->axis);
    if (!strcmp(e->fn, "pmax")) return tt_pmax(x[0], e->axis);
    if (!strcmp(e->fn, "all_gather")) return tt_all_gather(x[0], e->axis);
    if (!strcmp(e->fn, "psum_scatter")) return tt_psum_scatter(x[0], e->axis);
    if (!strcmp(e->fn, "all_to_all")) return tt_all_to_all(x[0], e->axis, .split = 1, .concat = 0);
    if (!strcmp(e->fn, "ppermute")) return tt_ppermute_at(NULL, x[0], e->axis, e->perm);
    return tt_fail_at(NULL, TT_EARG, "no collective %s", e->fn);
}

static void collective(oracle_case *c)
{
    exchange e;
    memset(&e, 0, sizeof e);                             /* its bytes are part of the function's identity */
    e.fn = c->fn, e.axis = oracle_text(c->params, "axis", "");
    const json_t *perm = json_object_get(c->params, "perm");
    for (size_t i = 0, n = 0; i < json_array_size(perm); i++)
        n += (size_t)snprintf(e.perm + n, sizeof e.perm - n, "%s%lld>%lld", i ? ", " : "",
                              (long long)json_integer_value(json_array_get(json_array_get(perm, i), 0)),
                              (long long)json_integer_value(json_array_get(json_array_get(perm, i), 1)));
    char in[100], out[100];
    const tt_mesh m = oracle_mesh(c, "mesh");
    snprintf(in, sizeof in, "%s", oracle_spec(c->params, "in_spec"));
    snprintf(out, sizeof out, "%s", oracle_spec(c->params, "out_spec"));
    const tt_fn f = tt_jit(tt_shard_map(tt_bind_env("exchanged", exchanged, &e, sizeof e, 1), .mesh = m, .in = in,
                                        .out = out, .unchecked = 1));
    const tt_val y = tt_call(f, tt_shard(oracle_in(c, 0), m, in));
    if (tt_ok()) expect_parts(c, tt_shard(y, m, out));
}

static tt_val loss(tt_val p, tt_val x, tt_val y)
{
    const tt_val h = tt_tanh(tt_add(tt_matmul(x, tt_item(p, 0)), tt_item(p, 1)));
    return tt_mean(tt_square(tt_sub(tt_add(tt_matmul(h, tt_item(p, 2)), tt_item(p, 3)), y)));
}

static tt_val momentum(tt_val v, tt_val g) { return tt_add(tt_mul(v, tt_f(0.5)), g); }
static tt_val moved(tt_val w, tt_val v) { return tt_sub(w, tt_mul(v, tt_f(0.125))); }

static tt_val train(tt_val p, tt_val v, tt_val x, tt_val y)
{
    const tt_val both = tt_call(tt_value_and_grad(loss), p, x, y), u = tt_tree_map(momentum, v, tt_item(both, 1));
    return tt_tuple(tt_tree_map(moved, p, u), u, tt_item(both, 0));
}

static void step(oracle_case *c)
{
    const tt_mesh m = oracle_mesh(c, "mesh");
    const char *axis = strcmp(oracle_text(c->params, "layout", ""), "fsdp") ? "" : "data";
    tt_val w[4], v[4], losses[64];
    for (int i = 0; i < 4; i++) w[i] = tt_shard(oracle_in(c, i), m, axis), v[i] = tt_mul(w[i], tt_f(0));
    const tt_val x = tt_shard(oracle_in(c, 4), m, "data"), y = tt_shard(oracle_in(c, 5), m, "data");
    tt_val p = tt_tuple(w[0], w[1], w[2], w[3]), u = tt_tuple(v[0], v[1], v[2], v[3]);
    const int steps = (int)oracle_int(c->params, "steps", 0);
    const tt_fn f = tt_jit(train);
    for (int i = 0; i < steps && tt_ok(); i++) {
        const tt_val r = tt_call(f, p, u, x, y);
        p = tt_item(r, 0), u = tt_item(r, 1), losses[i] = tt_item(r, 2);
    }
    losses[steps] = tt_end;
    if (!tt_ok()) return;
    expect_own(c, tt_stack_values_at(NULL, 0, losses));
    for (int i = 0; i < 4 && tt_ok(); i++) {
        const json_t *part = json_array_get(json_object_get(own(c), "parts"), (size_t)i);
        expect_boxes(c, tt_shard(tt_item(p, i), m, axis), json_object_get(part, "box"), json_object_get(part, "out"));
    }
}

static void born(oracle_case *c)
{
    int64_t dim[DIMS];
    oracle_dims(c->params, "shape", dim);
    const tt_val key = tt_key(oracle_int(c->params, "seed", 0) % 1000);
    const tt_val x = tt_normal_at(NULL, key, TT_F32, dim);
    expect_parts(c, tt_shard(x, oracle_mesh(c, "mesh"), oracle_spec(c->params, "spec")));
}

static void rows(oracle_case *c)
{
    const json_t *e = own(c), *want = json_object_get(e, "rows");
    const tt_mesh m = oracle_mesh(c, "mesh");
    const tt_val v = tt_shard(tt_shape(TT_F32, oracle_int(c->params, "batch", 0)), m, oracle_spec(c->params, "spec"));
    for (size_t i = 0; i < json_array_size(want); i++) {
        json_t *one = json_pack("[O]", json_array_get(want, i));
        box b;
        if (!box_at(v, place_of(m, tt_local_device((int64_t)i)), &b) || !same_box(one, &b, 1))
            oracle_fail(c, "device %lld has other rows", (long long)tt_local_device((int64_t)i));
        json_decref(one);
    }
}

static void move(oracle_case *c)
{
    expect_parts(c, tt_shard(laid_out(c), oracle_mesh(c, "mesh"), oracle_spec(c->params, "to")));
}

static void put(oracle_case *c)
{
    const tt_val x = oracle_has(own(c), "in") ? given(c) : tt_full(tt_process_index(), TT_F32, 4, 3);
    const tt_val v = tt_shard(x, oracle_mesh(c, "mesh"), oracle_spec(c->params, "spec"));
    if (tt_ok()) expect_parts(c, v);
}

static void to_global(oracle_case *c)
{
    const char *spec = oracle_spec(c->params, "spec");
    const tt_val v = tt_host_local_array_to_global_array(given(c), oracle_mesh(c, "mesh"), spec);
    if (tt_ok()) expect_parts(c, v);
}

static void broadcast(oracle_case *c)
{
    expect_own(c, tt_broadcast_one_to_all(given(c), .source = (int)oracle_int(c->params, "source", 0)));
}

static void to_host(oracle_case *c) { expect_own(c, tt_global_array_to_host_local_array(laid_out(c))); }
static void shards(oracle_case *c) { expect_parts(c, laid_out(c)); }

/* ---- checkpoints ---- */

/* The form of the saved tree: each leaf laid out by specs[i], or as it was saved. */
static tt_val tree_form(oracle_case *c, const json_t *specs)
{
    const json_t *leaves = json_object_get(c->params, "leaves");
    tt_val form = tt_dict(NULL);
    for (size_t i = 0; i < json_array_size(leaves) && tt_ok(); i++) {
        const json_t *leaf = json_array_get(leaves, i), *dims = json_array_get(leaf, 1);
        int64_t dim[DIMS + 1];
        const int rank = (int)json_array_size(dims);
        for (int d = 0; d < rank; d++) dim[d] = json_integer_value(json_array_get(dims, (size_t)d));
        dim[rank] = TT_DIM_END;
        const char *spec = specs ? name_of(specs, i) : name_of(leaf, 3);
        const tt_val v = tt_shape_at(NULL, oracle_dtype(name_of(leaf, 2)), dim);
        form = tt_set(form, name_of(leaf, 0), tt_shard(v, oracle_mesh(c, "mesh"), oracle_notation(spec)));
    }
    return form;
}

static const char *saved_path(const oracle_case *c, char to[4096])
{
    snprintf(to, 4096, "%s/%s", oracle_suite_dir(c->suite), oracle_text(c->params, "path", ""));
    return to;
}

static void expect_leaves(oracle_case *c, tt_val tree)   /* whole, on every process */
{
    const json_t *leaves = json_object_get(c->params, "leaves");
    for (size_t i = 0; i < json_array_size(leaves) && tt_ok(); i++)
        oracle_expect(c, (int)i, tt_process_allgather(tt_get(tree, name_of(json_array_get(leaves, i), 0))));
}

/* Loads what Orbax has saved; saves the same by all processes, and loads that. */
static void checkpoint_save(oracle_case *c)
{
    char path[4096], own_path[64] = "/tmp/tutti-golden-XXXXXX", command[100];
    const tt_val form = tree_form(c, NULL), tree = tt_load(saved_path(c, path), .like = form);
    expect_leaves(c, tree);
    if (tt_process_index() == 0 && !mkdtemp(own_path)) oracle_fail(c, "no folder in /tmp");
    const tt_val name = tt_broadcast_one_to_all(tt_array(TT_U8, own_path, sizeof own_path));
    tt_read(name, own_path, sizeof own_path);
    snprintf(path, sizeof path, "%s/run", own_path);
    tt_save(path, tree);
    const int compared = c->compared;
    if (tt_ok()) expect_leaves(c, tt_load(path, .like = form));
    c->compared = compared;
    snprintf(command, sizeof command, "rm -rf %s", own_path);
    tt_sync_global_devices("loaded");
    if (tt_process_index() == 0 && system(command)) oracle_fail(c, "%s is not removed", own_path);
}

static void checkpoint_load(oracle_case *c)
{
    char path[4096];
    const tt_val tree = tt_load(saved_path(c, path), .like = tree_form(c, json_object_get(c->params, "specs")));
    const json_t *leaves = json_object_get(own(c), "leaves");
    for (size_t i = 0; i < json_array_size(leaves) && tt_ok(); i++) {
        const json_t *leaf = json_array_get(leaves, i);
        const tt_val v = tt_get(tree, oracle_text(leaf, "name", ""));
        expect_boxes(c, v, json_object_get(leaf, "box"), json_object_get(leaf, "out"));
    }
}

void oracle_distributed(oracle_case *c)
{
    static const oracle_kind kind[] = {
        { "topology", topology }, { "shards", shards }, { "callback", callback }, { "local_data", local_data },
        { "local_data_bad", local_data_bad }, { "allgather", allgather }, { "broadcast", broadcast }, { "sync", sync },
        { "assert_equal", assert_equal }, { "host_to_global", to_global }, { "global_to_host", to_host },
        { "read", reading }, { "put", put }, { "collective", collective }, { "step", step }, { "born", born },
        { "rows", rows }, { "move", move },
        { "checkpoint_save", checkpoint_save }, { "checkpoint_load", checkpoint_load }, { NULL, NULL }
    };
    const oracle_kind *k = kind;
    char job[80];
    const int64_t processes = oracle_int(c->params, "processes", 0), per = oracle_int(c->params, "per", 0);
    snprintf(job, sizeof job, "for %lld processes of %lld devices: tests/ranks.sh", (long long)processes,
             (long long)per);
    while (k->kind && strcmp(k->kind, c->kind)) k++;
    if (tt_process_count() != processes || tt_local_device_count() != per) oracle_skip(c, job);
    else if (!k->kind) oracle_unknown(c, c->fn);
    else k->run(c);
}
