/* marks.c - marks of leaves (tt_leaf) in single files: they come back without .like, the elements stay those that other
 * readers find, files of others load, damaged marks are errors with the file's name. And the lines of errors that begin
 * in a reader or a writer below the public call. */
#include "ckpt/folder.h"

#include <stdlib.h>
#include <unistd.h>

static const char *spill(const char *name, const void *p, size_t n)
{
    const char *const to = at(name);
    FILE *f = fopen(to, "wb");
    if (f) fwrite(p, 1, n, f), fclose(f);
    return to;
}

/* One tensor w, f32[2, 3], of a header that is given. */
static const char *tensor(const char *metadata)
{
    char text[4096], file[4200];
    const int n = snprintf(text, sizeof text, "{%s\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}",
                           metadata);
    memset(file, 0, sizeof file);
    file[0] = (char)(n & 255), file[1] = (char)(n >> 8);
    memcpy(file + 8, text, (size_t)n);
    return spill("one.safetensors", file, 8 + (size_t)n + 24);
}

static tt_val marked(void)
{
    const tt_val w = tt_reshape(tt_arange(TT_F32, 6), 2, 3);
    return tt_dict("w", tt_leaf(w, .axes = "embed, hidden"), "none", tt_add(w, tt_f(1)), "bn",
                   tt_dict("mean", tt_leaf(tt_ones(TT_F32, 3), .frozen = 1), "half",
                           tt_leaf(tt_cast(w, TT_BF16), .frozen = 1, .axes = "_, hidden")));
}

static bool has(tt_val tree, const char *leaf, int frozen, const char *axes)
{
    const tt_val v = tt_get(tree, leaf);
    const char *const a = tt_leaf_axes(v);
    return tt_ok() && tt_leaf_frozen(v) == frozen && (axes ? a && !strcmp(a, axes) : !a);
}

static tt_val one(tt_val x) { return tt_add(x, tt_f(1)); }

static void come_back(void)
{
    static const char *const to[] = { "m.safetensors", "m.npz", "m" };
    for (int i = 0; i < 3; i++) {
        CHECK(tt_save(at(to[i]), marked(), .force = 1), "%s: %s", to[i], tt_error());
        const tt_val t = tt_load(at(to[i]));
        CHECK(has(t, "w", 0, "embed, hidden") && has(t, "none", 0, NULL) && has(t, "bn.mean", 1, NULL)
              && has(t, "bn.half", 1, "_, hidden") && tt_dtype_of(tt_get(t, "bn.half")) == TT_BF16
              && tt_num(tt_sum(tt_get(t, "w"))) == 15, "%s: %s", to[i], tt_ok() ? "other marks" : tt_error());
        tt_val p = t, o = tt_sgd(p);                     /* what is frozen does not move */
        tt_opt_step(&p, &o, tt_tree_map(one, t));
        CHECK(tt_ok() && tt_num(tt_sum(tt_get(p, "bn.mean"))) == 3, "%s: a frozen leaf moves: %s", to[i], tt_error());
        const tt_ckpt c = tt_ckpt_open(at(to[i]));
        int axes = 0;
        for (int k = 0; k < tt_ckpt_count(c); k++) axes += tt_ckpt_at(c, k)->axes != NULL;
        CHECK(axes == 2 && tt_ckpt_verify(at(to[i]), NULL), "%s: %d items with axes: %s", to[i], axes, tt_error());
        tt_clear();
    }
    const tt_val plain = tt_dict("w", tt_ones(TT_F32, 2));
    CHECK(tt_save(at("p.safetensors"), plain) && !*tt_ckpt_metadata(tt_ckpt_open(at("p.safetensors"))), "no mark: %s",
          tt_error());
    const tt_val like = tt_get(tt_load(at("m.npz"), .like = tt_dict("w", tt_shape(TT_F32, 2, 3)), .extra = 1), "w");
    CHECK(tt_ok() && !tt_leaf_axes(like), "with .like the marks are those of it: %s", tt_error());
}

static void of_others(void)
{
    static const char *const fine[] = {
        "", "\"__metadata__\":{\"format\":\"pt\"},", "\"__metadata__\":{\"tutti.leaves\":\"{}\"},",
        "\"__metadata__\":{\"tutti.leaves\":\"{\\\"gone\\\":{\\\"frozen\\\":true}}\"},",
    };
    static const struct { const char *metadata, *says; } bad[] = {
        { "{\"tutti.leaves\":\"frozen\"}", "its metadata \"tutti.leaves\" does not read" },
        { "{\"tutti.leaves\":7}", "__metadata__: is no object of texts" }, { "[]", "is no object of texts" },
        { "{\"format\":{}}", "is no object of texts" }, { "null", "is no object of texts" },
        { "{\"tutti.leaves\":\"[]\"}", "its metadata \"tutti.leaves\" does not read" },
        { "{\"tutti.leaves\":\"{\\\"w\\\":1}\"}", "its marks in \"tutti.leaves\" do not read" },
        { "{\"tutti.leaves\":\"{\\\"w\\\":{\\\"frozen\\\":1}}\"}", "its marks in \"tutti.leaves\" do not read" },
        { "{\"tutti.leaves\":\"{\\\"w\\\":{\\\"axes\\\":[7]}}\"}", "its marks in \"tutti.leaves\" do not read" },
        { "{\"tutti.leaves\":\"{\\\"w\\\":{},\\\"w\\\":{}}\"}", "does not read" },
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        const tt_val v = tt_get(tt_load(tensor(fine[i])), "w");
        CHECK(tt_ok() && !tt_leaf_frozen(v) && !tt_leaf_axes(v), "%s: %s", fine[i], tt_error());
        tt_clear();
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        snprintf(text, sizeof text, "\"__metadata__\":%s,", bad[i].metadata);
        tt_load(tensor(text));
        CHECK(!tt_ok() && strstr(tt_error(), bad[i].says) && strstr(tt_error(), "tt_load(tensor(text))"), "%s: %s",
              bad[i].metadata, tt_ok() ? "taken" : tt_error());
        tt_clear();
    }
}

/* The comment of an entry, spoiled: the text is in the file once, in the directory. */
static void spoiled_comments(void)
{
    static const struct { const char *from, *to; bool reads; } each[] = {
        { "tutti:frozen", "tutti:frozem", false }, { "tutti:frozen", "tutti: rozen", false },
        { "axes=embed, hidden", "exes=embed, hidden", false },
        { "tutti:axes=embed, hidden", "Tutti:axes=embed, hidden", true },
    };
    static char b[8192];
    CHECK(tt_save(at("c.npz"), marked()), "%s", tt_error());
    FILE *f = fopen(at("c.npz"), "rb");
    const size_t n = f ? fread(b, 1, sizeof b, f) : 0;
    if (f) fclose(f);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        char c[sizeof b];
        memcpy(c, b, sizeof c);
        char *const p = memmem(c, n, each[i].from, strlen(each[i].from));
        if (p) memcpy(p, each[i].to, strlen(each[i].to));
        tt_load(spill("d.npz", c, n));
        CHECK(p && tt_ok() == each[i].reads, "%s for %s: %s", each[i].to, each[i].from,
              tt_ok() ? "reads" : tt_error());
        CHECK(tt_ok() || strstr(tt_error(), "spoiled") || strstr(tt_error(), "marks.c:"), "no line: %s", tt_error());
        tt_clear();
    }
}

static void line(const char *what, bool failed, const char *text)
{
    const tt_error_info *const e = tt_error_record();
    CHECK(failed && !tt_ok() && strstr(e->site, "marks.c:") && strstr(e->message, text), "%s: \"%s\" at \"%s\"", what,
          e->message, e->site);
    tt_clear();
}

/* Errors that a reader or a writer sets, which knows no line, have that of the call. */
static void lines(void)
{
    const char *const bad = spill("bad.npz", "garbage", 7);
    const tt_val none = tt_dict("w", tt_shape(TT_F32, 3));
    line("load", (tt_load(bad), true), "is no zip file");
    line("open", !tt_ckpt_open(bad).p, "is no zip file");
    line("verify", !tt_ckpt_verify(bad, NULL), "is no zip file");
    line("folder", !tt_save(at("abs"), none), "an abstract value has no elements");
    line("npz", !tt_save(at("abs.npz"), none), "an abstract value has no elements");
    line("safetensors", !tt_save(at("abs.safetensors"), none), "an abstract value has no elements");
    for (int background = 0; background < 2; background++) {
        const tt_manager m = tt_manager_open(at("steps"), .background = background);
        line("a step", !tt_manager_save(m, 1, none) || !tt_manager_wait(m), "an abstract value has no elements");
    }
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--write FOLDER")) return check_done();
    if (argc > 2 && !strcmp(argv[1], "--write")) {       /* for other readers: tests/ckpt_orbax.py */
        snprintf(dir, sizeof dir, "%.60s", argv[2]);
        tt_save(at("marks.safetensors"), marked());
        tt_save(at("marks.npz"), marked());
        return tt_done();
    }
    char command[100];
    if (!check_folder(dir)) return 1;
    tt_on_error(silent, NULL);
    CHECK_RUN(come_back());
    CHECK_RUN(of_others());
    CHECK_RUN(spoiled_comments());
    CHECK_RUN(lines());
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
