/* save.c - what is saved comes back: every dtype, layouts on meshes, trees with tags, several writers; and what must be
 * refused, each with its message.
 *
 * Longer than 400 lines: what is saved and what is refused share the values and the comparison. */
#include "folder.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

static bool same(tt_val a, tt_val b)                     /* bytes, types, and both are there */
{
    if (tt_rank(a) != tt_rank(b) || tt_dtype_of(a) != tt_dtype_of(b) || tt_bytes(a) != tt_bytes(b)) return false;
    for (int i = 0; i < tt_rank(a); i++) if (tt_dim(a, i) != tt_dim(b, i)) return false;
    const size_t n = tt_bytes(a);
    char *x = malloc(2 * n + 1);
    const bool ok = x && tt_read(a, x, n) && tt_read(b, x + n, n) && !memcmp(x, x + n, n);
    free(x);
    return ok;
}

static tt_val numbers(tt_dtype t, int64_t a, int64_t b)  /* any bits but for bools: NaN payloads too */
{
    static uint8_t bits[1 << 20];
    uint64_t s = 88172645463325252u + (uint64_t)t;
    for (size_t i = 0; i < sizeof bits; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        bits[i] = t == TT_BOOL ? s & 1 : t == TT_U2 ? s & 3 : t == TT_U4 ? s & 15
                  : t == TT_I2 ? (uint8_t)((s & 3) - 2) : t == TT_I4 ? (uint8_t)((s & 15) - 8) : (uint8_t)s;
    }
    return tt_array_at(0, t, bits, (int64_t[]){ a, b, TT_DIM_END });
}

static void dtypes(void)
{
    for (int t = TT_BOOL; t <= TT_F8E8M0FNU; t++) {
        char name[32];
        snprintf(name, sizeof name, "dtype%d", t);
        const tt_val flat = numbers((tt_dtype)t, 5, 7), none = tt_zeros((tt_dtype)t, 0, 3);
        const tt_val one = tt_array_at(0, (tt_dtype)t, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", (int64_t[]){ TT_DIM_END });
        CHECK(tt_save(at(name), tt_dict("m", flat, "none", none, "one", one)), "%s", tt_error());
        const tt_val back = tt_load(at(name));
        CHECK(tt_ok() && same(tt_get(back, "m"), flat) && same(tt_get(back, "none"), none) &&
                  same(tt_get(back, "one"), one),
              "dtype %d comes back: %s", t, tt_ok() ? "other bytes" : tt_error());
        CHECK(tt_ckpt_verify(at(name), NULL), "%s", tt_error());
        tt_clear();
    }
}

static void layouts(void)
{
    static const char *const mesh[] = { "data:2, model:4", "data:8", "data:3, model:2", "x:1" };
    static const char *const spec[] = { "_, _", "data, _", "_, model", "data, model", "model, data", "data+model, _" };
    static const int64_t size[][2] = { { 64, 96 }, { 40, 200 }, { 13, 7 }, { 3, 301 }, { 257, 129 } };
    int n = 0;
    for (size_t s = 0; s < 5; s++) {
        const tt_val v = numbers(s % 2 ? TT_F32 : TT_BF16, size[s][0], size[s][1]);
        for (int m = 0; m < 4; m++)
            for (int k = (int)(s + (size_t)m) % 3; k < 6; k += 3) {      /* every pair, over all sizes */
                const tt_scope scope = tt_scope_open();
                const tt_mesh on = tt_mesh(mesh[m]), onto = tt_mesh(mesh[(m + 1 + k) % 4]);
                const char *from = spec[k], *to = spec[(k + s + 1) % 6];
                char name[32];
                if ((strstr(from, "model") && !tt_mesh_size(on, "model")) ||
                    (strstr(from, "data") && !tt_mesh_size(on, "data")))
                    from = "_, _";
                if ((strstr(to, "model") && !tt_mesh_size(onto, "model")) ||
                    (strstr(to, "data") && !tt_mesh_size(onto, "data")))
                    to = "_, _";
                snprintf(name, sizeof name, "lay%d", n++);
                CHECK(tt_save(at(name), tt_dict("w", tt_shard(v, on, from))), "%s", tt_error());
                const tt_val y = tt_get(tt_load(at(name), .like = tt_dict("w", tt_shard(tt_like(v), onto, to))), "w");
                const tt_val z = tt_get(tt_load(at(name)), "w");
                CHECK(tt_ok() && same(y, v) && tt_has_layout(y, onto, to), "%s on %s, then %s: %s", from, mesh[m], to,
                      tt_ok() ? tt_type_text(y) : tt_error());
                CHECK(tt_ok() && same(z, v) && tt_has_layout(z, on, from), "as saved: %s on %s: %s", from, mesh[m],
                      tt_ok() ? tt_type_text(z) : tt_error());
                tt_clear();
                tt_scope_close(scope);
            }
    }
}

/* Parts of axes come back; what propagation alone reads does not. */
static void layouts_of_parts(void)
{
    static const char *const mesh[] = { "k:4", "a:2, b:2" };
    static const struct { int on; const char *from, *as; } each[] = {
        { 0, "k.1.2", "k.1.2" }, { 0, "k.2.2", "k.2.2" }, { 0, "k.2.2+k.1.2", "k.2.2+k.1.2" }, { 1, "a?!2", "a" },
        { 1, "b+a", "b+a" }, { 1, "a? +closed(b)", "a" }, { 1, "?", "_" }
    };
    for (size_t big = 0; big < 2; big++)                 /* one file, and a file per part */
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            const tt_scope scope = tt_scope_open();
            const tt_mesh m = tt_mesh(mesh[each[i].on]);
            const tt_val v = tt_arange(TT_F32, big ? 40002 : 10);
            CHECK(tt_save(at("part"), tt_dict("w", tt_shard(v, m, each[i].from)), .force = 1), "%s", tt_error());
            const tt_val w = tt_get(tt_load(at("part")), "w");
            CHECK(tt_ok() && same(w, v) && tt_has_layout(w, m, each[i].as), "%s: %s", each[i].from,
                  tt_ok() ? tt_type_text(w) : tt_error());
            CHECK(tt_ckpt_verify(at("part"), NULL), "%s", tt_error());
            tt_clear();
            tt_scope_close(scope);
        }
    const tt_mesh k = tt_mesh("k:4"), other = tt_mesh("k:8");
    const tt_val v = tt_arange(TT_F32, 16);
    CHECK(tt_save(at("part"), tt_dict("w", tt_shard(v, k, "k.2.2")), .force = 1), "%s", tt_error());
    CHECK(tt_has_layout(tt_get(tt_load(at("part"), .mesh = k), "w"), k, "k.2.2"), "%s", tt_error());
    CHECK(tt_has_layout(tt_get(tt_load(at("part"), .mesh = other), "w"), other, "_"), "%s", tt_error());
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

static void without_rules(void)                          /* a mesh lays out leaves with logical axes too */
{
    const tt_mesh k = tt_mesh("k:4");
    const tt_val v = tt_arange(TT_F32, 8), t = tt_dict("o", tt_leaf(v, .axes = "emb"), "p", v);
    CHECK(tt_save(at("axes"), t), "%s", tt_error());
    const tt_val back = tt_get(tt_load(at("axes"), .mesh = k), "o");
    CHECK(tt_ok() && same(back, v) && tt_has_layout(back, k, "_"), "%s", tt_ok() ? tt_spec(back) : tt_error());
    tt_clear();
    for (TT_WITH(k, .rules = "emb:k")) CHECK(same(tt_get(tt_load(at("axes"), .mesh = k), "o"), v), "%s", tt_error());
    CHECK(tt_has_layout(tt_get(tt_load(at("axes"), .mesh = k, .rules = "emb:k"), "o"), k, "k"), "%s", tt_error());
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

static void large(void)                                  /* many pieces, files that hang over the end, a prime dim */
{
    const tt_val v = tt_normal(tt_key(1), TT_F32, 2003, 1501), w = tt_normal(tt_key(2), TT_F32, 3000017);
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    CHECK(tt_save(at("large"), tt_tuple(tt_shard(v, mesh, "model, data"), w)), "%s", tt_error());
    const tt_val back = tt_load(at("large"), .mesh = tt_mesh("data:8"));
    CHECK(tt_ok() && same(tt_item(back, 0), v) && same(tt_item(back, 1), w), "%s", tt_error());
    CHECK(tt_ckpt_verify(at("large"), NULL), "%s", tt_error());
}

/* Pieces are read by several threads; of several damaged ones the first is told. Files of 4 MiB pieces. */
static void damaged(void)
{
    const tt_val v = tt_normal(tt_key(3), TT_F32, 8192, 1024);
    char file[160];
    CHECK(tt_save(at("damaged"), tt_dict("w", v)), "%s", tt_error());
    snprintf(file, sizeof file, "%s/w/c.0.0", at("damaged"));
    FILE *f = fopen(file, "r+");
    CHECK(f != NULL, "%s", file);
    for (int piece = 2; f && piece < 8; piece++) {
        fseek(f, piece * (4L << 20) + 100000, SEEK_SET);
        fputs("damage", f);
    }
    if (f) fclose(f);
    for (int i = 0; i < 5; i++) {
        tt_load(at("damaged"));
        refused("pieces 2 to 7 are damaged", "c.0.0, inner piece 2: crc32c stored");
    }
}

TT_RECORD(pair, weight, bias);

static void trees(void)
{
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    const tt_val k = tt_leaf(tt_ones(TT_F32, 8, 16), .axes = "embed, hidden");
    const tt_val t = tt_dict("layer", pair_val((pair){ k, tt_zeros(TT_F32, 16) }), "state",
                             tt_tagged("adam", tt_dict("count", tt_i(3), "none", tt_none())), "list",
                             tt_tuple(tt_f(1), tt_tuple(tt_f(2), tt_b(true)), tt_dict_n(0, 0, NULL, NULL)));
    CHECK(tt_save(at("tree"), t), "%s", tt_error());
    const tt_val r = tt_load(at("tree"), .mesh = mesh, .rules = "embed:data, hidden:model");
    CHECK(tt_ok() && !strcmp(tt_type_text(r), tt_type_text(t)), "%s, then %s", tt_type_text(t), tt_type_text(r));
    CHECK(!strcmp(tt_tag(tt_get(r, "state")), "adam"), "a tag comes back");
    CHECK(tt_has_layout(pair_of(tt_get(r, "layer")).weight, mesh, "data, model"), "rules: %s",
          tt_type_text(tt_get(r, "layer.weight")));
    CHECK(tt_num(tt_get(r, "list.1.0")) == 2 && tt_items(tt_get(r, "list")) == 3, "a tuple in a tuple");
    CHECK(tt_save(at("bare"), tt_ones(TT_I32, 3)) && tt_rank(tt_load(at("bare"))) == 1, "an array by itself: %s",
          tt_error());
    tt_clear();
    const tt_ckpt c = tt_ckpt_open(at("tree"));
    int empty = 0;
    for (int i = 0; i < tt_ckpt_count(c); i++) empty += strcmp(tt_ckpt_at(c, i)->what, "array") != 0;
    CHECK(tt_ckpt_count(c) == 8 && empty == 2 && !strcmp(tt_ckpt_format(c), "orbax"), "%d items, %d empty",
          tt_ckpt_count(c), empty);
    CHECK(!*tt_ckpt_metadata(c) && tt_ok(), "an item of Orbax has no text of its own");
    CHECK(!*tt_ckpt_at(c, 99)->path && !*tt_ckpt_at(c, -1)->what, "no such item");
    refused("no such item", "has no item 99; there are 8");
}

static void other_files(void)
{
    const tt_val t =
        tt_dict("a", numbers(TT_BF16, 3, 5), "b", tt_dict("c", numbers(TT_F64, 2, 2), "d", tt_zeros(TT_I8, 0)));
    const tt_val plain =
        tt_dict("a", numbers(TT_F32, 3, 5), "b", tt_dict("c", numbers(TT_C64, 2, 2), "d", numbers(TT_BOOL, 2, 3)));
    CHECK(tt_save(at("t.safetensors"), t), "%s", tt_error());
    const tt_val s = tt_load(at("t.safetensors"));
    CHECK(tt_ok() && same(tt_get(s, "a"), tt_get(t, "a")) && same(tt_get(s, "b.c"), tt_get(t, "b.c")) &&
              tt_has(s, "b.d"),
          "%s", tt_ok() ? "safetensors: other bytes" : tt_error());
    CHECK(tt_save(at("t.npz"), plain), "%s", tt_error());
    const tt_val n = tt_load(at("t.npz"));
    CHECK(tt_ok() && same(tt_get(n, "a"), tt_get(plain, "a")) && same(tt_get(n, "b.d"), tt_get(plain, "b.d")),
          "npz: %s", tt_error());
    tt_clear();
    const tt_mesh mesh = tt_mesh("i:3");
    const tt_val part = tt_get(
        tt_load(at("t.safetensors"), .like = tt_dict("a", tt_shard(tt_like(tt_get(t, "a")), mesh, "_, i")), .extra = 1),
        "a");
    CHECK(tt_ok() && same(part, tt_get(t, "a")) && tt_has_layout(part, mesh, "_, i"), "a column each: %s", tt_error());
    tt_save(at("t.npz"), plain);
    refused("npz is there", "is there already");
    tt_save(at("c.safetensors"), tt_dict("c", numbers(TT_C128, 1, 1)));
    refused("no such type", "safetensors has no type for complex128");
}

/* Any name of a leaf is saved, and comes back; most are where Orbax looks for them. */
static void any_names(void)
{
    static const char *const name[] = { "d", "a", "a/b", "a/c", "a-b", "x/y/z", "_w", "~", "/top", "a//b", "end/",
                                        "_METADATA", "_METADATA/x", "c", "a/zarr", "%2Fa", "/", "writers",
                                        "manifest", "w orbax-checkpoint-tmp", "\xc3\xbc" };
    enum { N = sizeof name / sizeof *name };
    char longer[2][300];
    const char *all[N + 2];
    tt_val v[N + 2];
    memset(longer, 'l', sizeof longer);
    for (int i = 0; i < 2; i++) longer[i][298] = (char)('0' + i), longer[i][299] = 0;
    for (int i = 0; i < N + 2; i++) all[i] = i < N ? name[i] : longer[i - N], v[i] = numbers(TT_F32, 2, i + 1);
    const tt_val tree = tt_dict("t", tt_dict_n(0, N + 2, all, v), "zarr", tt_dict("json", v[0]));
    const tt_val flat = tt_dict_n(0, N + 2, all, v);
    static const char *const to[] = { "names", "names.safetensors", "names.npz" };
    for (int k = 0; k < 3; k++)
        for (int turn = 0; turn < 2; turn++) {
            const tt_val t = turn ? tree : flat;
            CHECK(tt_save(at(to[k]), t, .force = 1) && tt_ckpt_verify(at(to[k]), NULL), "%s: %s", to[k], tt_error());
            const tt_val back = tt_load(at(to[k]));
            for (int i = 0; tt_ok() && i < N + 2; i++) {
                const tt_val x = turn ? tt_get(tt_get(back, "t"), all[i]) : tt_get(back, all[i]);
                CHECK(tt_ok() && same(x, v[i]), "%s: \"%s\": %s", to[k], all[i], tt_ok() ? "other" : tt_error());
            }
            CHECK(tt_ok(), "%s: %s", to[k], tt_error());
            tt_clear();
        }
}

/* .force replaces checkpoints, and nothing else that a mistyped path may lead to. */
static void precious(void)
{
    const tt_val t = tt_dict("w", tt_zeros(TT_F32, 2));
    char command[600];
    static const char *const made[] = { "mkdir -p %s/p1/sub && echo x > %s/p1/sub/thesis",
                                        "mkdir %s/p1 && touch %s/p1/.git",
                                        "mkdir -p %s/p1/a && touch %s/p1/a/_METADATA && mkdir %s/p1/pictures",
                                        "echo x > %s/p1", "echo x > %s/p1.npz", "echo x > %s/p1.safetensors",
                                        "mkdir %s/p1.npz" };
    static const char *const name[] = { "p1", "p1", "p1", "p1", "p1.npz", "p1.safetensors", "p1.npz" };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(command, sizeof command, made[i], dir, dir, dir);
        CHECK(system(command) == 0, "%s", command);
        snprintf(command, sizeof command, "cp -r %s %s.as", at(name[i]), at(name[i]));
        CHECK(system(command) == 0, "%s", command);
        CHECK(!tt_save(at(name[i]), t, .force = 1), "%s", made[i]);
        refused(made[i], "so .force does not replace it");
        snprintf(command, sizeof command, "diff -r %s %s.as && rm -rf %s %s.as", at(name[i]), at(name[i]), at(name[i]),
                 at(name[i]));
        CHECK(system(command) == 0, "%s: something was lost", made[i]);
    }
    snprintf(command, sizeof command, "mkdir %s/p2; touch %s/p2.npz", dir, dir);
    CHECK(system(command) == 0 && tt_save(at("p2"), t, .force = 1) && tt_save(at("p2.npz"), t, .force = 1) &&
          tt_save(at("p2"), t, .force = 1) && tt_save(at("p2.npz"), t, .force = 1), "%s", tt_error());
    const tt_manager m = tt_manager_open(at("p3"));
    CHECK(tt_manager_save(m, 1, t) && tt_save(at("p3/1"), t, .force = 1), "a step is a checkpoint: %s", tt_error());
    CHECK(!tt_save(at("p3"), t, .force = 1), "a folder of steps");
    refused("a folder of steps", "is no checkpoint");
}

static void refusals(void)
{
    const tt_val v = tt_ones(TT_F32, 4, 6), t = tt_dict("w", v, "b", tt_zeros(TT_I32, 3));
    CHECK(tt_save(at("once"), t), "%s", tt_error());
    tt_save(at("once"), t);
    refused("twice", "is there already");
    CHECK(tt_save(at("once"), tt_dict("w", tt_zeros(TT_F32, 2)), .force = 1), "%s", tt_error());
    CHECK(tt_dim(tt_get(tt_load(at("once")), "w"), 0) == 2, "force replaces: %s", tt_error());
    CHECK(tt_save(at("once"), t, .force = 1), "%s", tt_error());
    tt_load(at("once"), .like = tt_dict("w", tt_shape(TT_F32, 6, 4), "x", tt_shape(TT_F32, 1)));
    CHECK(!tt_ok() && strstr(tt_error(), "missing in it: x") && strstr(tt_error(), "not requested: b") &&
              strstr(tt_error(), "w is float32[4, 6], expected f32[6, 4]"),
          "all in one message: %s", tt_ok() ? "none" : tt_error());
    tt_clear();
    tt_load(at("once"), .like = tt_dict("w", tt_shape(TT_F16, 4, 6), "b", tt_shape(TT_I32, 3)));
    refused("another dtype", "w is float32[4, 6], expected f16[4, 6]");
    const tt_val half =
        tt_load(at("once"), .like = tt_dict("w", tt_shape(TT_F16, 4, 6), "b", tt_shape(TT_I32, 3)), .cast = 1);
    CHECK(tt_dtype_of(tt_get(half, "w")) == TT_F16 && tt_num(tt_sum(tt_get(half, "w"))) == 24, "cast: %s", tt_error());
    tt_clear();
    tt_load(at("nothing"));
    refused("nothing there", "No such file");
    tt_save(at("no/such/folder"), t);
    refused("no such folder", "No such file");
    tt_save("", t);
    refused("no path", "the path is empty");
    tt_save(at("writer"), t, .writer = 2, .writers = 2);
    refused("no such writer", ".writer = 2, .writers = 2; expected 1 or more writers");
    tt_save(at("alone"), t, .writers = 2, .patience = 0.05);
    refused("alone", "writer 1 of 2 did not begin");
    CHECK(!unlink(at("once/_MANIFEST")), "a manifest");
    CHECK(!tt_ckpt_verify(at("once"), NULL), "without its manifest");
    refused("no manifest", "_MANIFEST is missing");
    CHECK(access(at("alone"), F_OK) && access(at("alone.orbax-checkpoint-tmp"), F_OK), "nothing is left");
}

/* ---- several processes ---- */

static tt_val shared_tree(bool other)
{
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    return tt_dict("w", tt_shard(tt_normal(tt_key(5), TT_F32, 256, 128), mesh, "data, model"), "b",
                   tt_shard(tt_normal(tt_key(6), TT_F32, other ? 4 : 8), mesh, "data"), "s", tt_f(2));
}

static int child(const char *self, const char *to, int writer, int writers, const char *how)
{
    const pid_t pid = fork();
    char w[16], n[16];
    snprintf(w, sizeof w, "%d", writer);
    snprintf(n, sizeof n, "%d", writers);
    if (!pid) {
        execl(self, self, "--write", to, w, n, how, (char *)NULL);
        _exit(99);
    }
    return pid;
}

static int ended(int pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int write_part(char **argv)
{
    tt_on_error(silent, NULL);
    const bool other = !strcmp(argv[5], "other");        /* refused, and nobody tells it: it waits in vain */
    return !tt_save(argv[2], shared_tree(other), .writer = atoi(argv[3]), .writers = atoi(argv[4]),
                    .patience = other ? 2 : 100);
}

static void several(const char *self)
{
    for (int n = 2; n <= 3; n++) {
        char name[32];
        int pid[3];
        snprintf(name, sizeof name, "shared%d", n);
        for (int w = n - 1; w >= 0; w--) pid[w] = child(self, at(name), w, n, "same");   /* the first comes last */
        int bad = 0;
        for (int w = 0; w < n; w++) bad |= ended(pid[w]);
        CHECK(!bad && tt_ckpt_verify(at(name), NULL), "%d writers: %s", n, tt_ok() ? "a failure" : tt_error());
        const tt_val r = tt_load(at(name)), t = shared_tree(false);
        CHECK(tt_ok() && same(tt_get(r, "w"), tt_get(t, "w")) && same(tt_get(r, "b"), tt_get(t, "b")),
              "what they wrote: %s", tt_error());
        tt_clear();
    }
    /* A dead save's folder is there: the second must wait for the first's own. */
    CHECK(tt_save(at("stale.orbax-checkpoint-tmp"), tt_dict("x", tt_f(1))), "%s", tt_error());
    const int late = child(self, at("stale"), 1, 2, "same");
    usleep(100000);
    const int first = child(self, at("stale"), 0, 2, "same");
    CHECK(!ended(first) && !ended(late) && tt_ckpt_verify(at("stale"), NULL), "after a dead save: %s", tt_error());
    tt_clear();
    const int a = child(self, at("differ"), 0, 2, "same"), b = child(self, at("differ"), 1, 2, "other");
    CHECK(ended(a) && ended(b) && access(at("differ"), F_OK), "two writers of two trees");
}

/* ---- arrays made block by block, boxes of them ---- */

typedef struct { int calls, fail; int64_t elements; } filled;

static bool fill(void *env, const int64_t *lo, const int64_t *n, void *to)       /* element = 100 row + column */
{
    filled *f = env;
    int32_t *x = to;
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t k = 0; k < n[1]; k++) *x++ = (int32_t)(100 * (lo[0] + i) + lo[1] + k);
    f->elements += n[0] * n[1];
    return ++f->calls != f->fail;
}

static bool fill_told(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    tt_fail_at("here", TT_EIO, "the disk is gone");
    return (void)env, (void)lo, (void)n, (void)to, false;
}
static bool fill_none(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    return (void)env, (void)lo, (void)n, (void)to, false;
}

static void blocks(void)
{
    static const char *const spec[] = { "_, _", "data, _", "_, model", "model, data" };
    static const int distinct[] = { 1, 2, 4, 8 };
    const int64_t dims[] = { 7, 10, TT_DIM_END }, lo[] = { 2, 3 }, n[] = { 3, 4 };
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    CHECK(!strcmp(tt_mesh_spec(mesh), "data:2, model:4"), "%s", tt_mesh_spec(mesh));
    for (int s = 0; s < 4; s++) {
        filled f = { 0 };
        int32_t part[12] = { 0 };
        const tt_val v = tt_array_from_callback(TT_I32, dims, mesh, spec[s], fill, &f);
        CHECK(f.calls == distinct[s] && f.elements == 70 && tt_has_layout(v, mesh, spec[s]), "%s: %d blocks", spec[s],
              f.calls);
        CHECK(tt_read_box(v, lo, n, part) && part[0] == 203 && part[11] == 406, "a box: %d, %d", part[0], part[11]);
        CHECK(tt_num(tt_sum(v)) == 21315, "the sum is %g", tt_num(tt_sum(v)));      /* 10 * 2100 + 7 * 45 */
    }
    filled bad = { .fail = 3 };
    tt_array_from_callback(TT_I32, dims, mesh, "model, _", fill, &bad);
    CHECK(bad.calls == 3, "%d calls", bad.calls);
    refused("a filler without an error", "false for device 2's block: i32[2, 10] at [4, 0] of i32[7, 10]");
    tt_array_from_callback(TT_I32, dims, mesh, "model, data", fill_told, NULL);
    refused("a filler with an error of its own", "the disk is gone");
    tt_array_from_callback(TT_I32, dims + 2, (tt_mesh){ 0 }, "", fill_none, NULL);
    refused("a scalar's filler", "false for device 0's block: i32[] at [] of i32[]");
    tt_read_box(tt_zeros(TT_F32, 2, 2), lo, n, &bad);
    refused("a box outside", "were requested");
    CHECK(!strcmp(tt_kind(tt_tuple(tt_f(1))), "tuple") && !strcmp(tt_kind(tt_f(1)), "array"), "kinds");
}

/* ---- for tests/ckpt_orbax.py: an item and a folder of steps, and what is in them ---- */

static int for_orbax(const char *to)
{
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    char name[300];
    const tt_val t = tt_dict("w", tt_shard(numbers(TT_F32, 32, 12), mesh, "data, model"), "bf",
                             tt_shard(numbers(TT_BF16, 24, 20), mesh, "model, _"), "h",
                             tt_shard(numbers(TT_F16, 13, 7), mesh, "data+model, _"), "flags",
                             tt_shard(numbers(TT_BOOL, 8, 8), mesh, "_, model"), "list",
                             tt_tuple(numbers(TT_I8, 3, 3), tt_dict("u", numbers(TT_U32, 5, 2), "n", tt_none())),
                             "scalar", tt_shard(tt_f(2.5), mesh, ""), "big",
                             tt_shard(tt_normal(tt_key(3), TT_F32, 1501, 2003), mesh, "data, model"), "empty",
                             tt_zeros(TT_F32, 0, 4), "c", numbers(TT_C64, 2, 3), "d", numbers(TT_I8, 2, 2),
                             "a/b", numbers(TT_I8, 2, 3), "_w", numbers(TT_I8, 3, 3));
    snprintf(name, sizeof name, "%s/item", to);
    if (!tt_save(name, t)) return 1;
    snprintf(name, sizeof name, "%s/store", to);
    if (!tt_save(name, t, .ocdbt = 1)) return 1;
    snprintf(name, sizeof name, "%s/item.npz", to);
    if (!tt_save(name, t)) return 1;
    snprintf(name, sizeof name, "%s/steps", to);
    const tt_manager m = tt_manager_open(name, .keep = 2, .best = "min loss");
    for (int i = 1; i <= 4; i++)
        if (!tt_manager_save(m, i * 10, tt_dict("x", tt_shard(tt_arange(TT_I32, 8 * i), mesh, "data")),
                             .metrics = tt_dict("loss", tt_f(i == 2 ? 0.1 : 1))))
            return 1;
    return tt_done();
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--for-orbax FOLDER --write N [TEXT...]")) return check_done();
    char command[80];
    if (argc > 2 && !strcmp(argv[1], "--for-orbax")) return for_orbax(argv[2]);
    if (argc > 5 && !strcmp(argv[1], "--write")) return write_part(argv);
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    blocks();
    dtypes();
    layouts();
    layouts_of_parts();
    without_rules();
    large();
    damaged();
    trees();
    other_files();
    refusals();
    any_names();
    precious();
    several("/proc/self/exe");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
