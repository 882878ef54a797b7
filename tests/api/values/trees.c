/* Large and deep trees: what is made from paths, mapped and asked takes what its leaves take; depth has a bound. */
#include <tutti.h>

#include "base/base.h"
#include "check.h"

static char last[4096];
static void keep(const tt_error_info *e, void *env)
{
    (void)env;
    snprintf(last, sizeof last, "%s | %s", e->message, e->hint ? e->hint : "");
}

static bool failed(const char *with)
{
    const bool so = !tt_ok() && strstr(last, with);
    if (!so) printf("  said: %s\n", tt_ok() ? "nothing" : last);
    tt_clear();
    last[0] = 0;
    return so;
}

/* n names: "w000123", or as Hugging Face's mixtures of experts have them. */
static char **names(int n, bool deep)
{
    char **s = calloc((size_t)n + 1, sizeof *s);
    for (int i = 0; i < n; i++) {
        s[i] = malloc(96);
        if (deep) snprintf(s[i], 96, "model.layers.%d.mlp.experts.%d.w%d.weight", i / 96, i / 3 % 32, i % 3);
        else snprintf(s[i], 96, "w%06d", (i * 7919) % n);        /* not sorted */
    }
    return s;
}

static tt_val twice(void *env, const char *path, tt_val leaf)
{
    *(size_t *)env += strlen(path);
    return tt_add(leaf, leaf);
}

/* Makes a tree of n leaves, maps it, and asks for each leaf by its path. The bytes that it took. */
static size_t walked(int n, bool deep)
{
    char **name = names(n, deep);
    tt_val *v = calloc((size_t)n + 1, sizeof *v);
    const size_t before = base_live_bytes();
    tt_scope s = tt_scope_open();
    for (int i = 0; i < n; i++) v[i] = tt_i(i);
    const tt_val tree = tt_tree(n, (const char *const *)name, v);
    size_t letters = 0, wrong = 0;
    CHECK(tt_tree_leaves(tree, 0, NULL) == n, "%d leaves of %d", tt_tree_leaves(tree, 0, NULL), n);
    const tt_val other = tt_tree_map_with_path(twice, &letters, tree);
    for (int i = 0; i < n; i++) {
        wrong += tt_num(tt_get(other, name[i])) != 2. * i;
        const char *path = tt_leaf_path(tree, i);
        wrong += !path || (i && strcmp(tt_leaf_path(tree, i - 1), path) == 0);
    }
    CHECK(!wrong && letters > 6 * (size_t)n, "%zu wrong, %zu letters", wrong, letters);
    const size_t took = base_live_bytes() - before;
    tt_scope_close(s);
    for (int i = 0; i < n; i++) free(name[i]);
    free(name);
    free(v);
    return took;
}

static void large(void)
{
    walked(96, false);
    for (int deep = 0; deep < 2; deep++) {
        enum { MANY = 7680 };
        const size_t took = walked(MANY, deep);
        CHECK(took < 1000 * MANY, "%zu bytes a leaf", took / MANY);
    }
    CHECK(tt_ok(), "%s", last);
}

static void from_paths(void)
{
    const char *const p[] = { "b.x", "a-c.y", "a.z", "b.1" };
    const tt_val v[] = { tt_i(1), tt_i(2), tt_tuple(tt_i(3), tt_i(4)), tt_leaf(tt_ones(TT_F32, 2), .axes = "m") };
    const tt_val t = tt_tree(4, p, v);
    CHECK(!strcmp(tt_leaf_path(t, 0), "a.z.0") && !strcmp(tt_leaf_path(t, 2), "a-c.y") &&
          !strcmp(tt_leaf_path(t, 3), "b.1"), "%s, %s", tt_leaf_path(t, 2), tt_leaf_path(t, 3));
    CHECK(tt_num(tt_get(t, "a.z.1")) == 4 && !strcmp(tt_leaf_axes(tt_get(t, "b.1")), "m"), "values stand elsewhere");
    CHECK(!strcmp(tt_kind(t), "dict") && tt_items(t) == 3, "%s of %d", tt_kind(t), tt_items(t));
    const tt_val more = tt_leaf(tt_ones(TT_F32, 2), .axes = "embed, hidden");    /* as Flax's boxes do */
    CHECK(tt_ok() && !strcmp(tt_leaf_axes(more), "embed, hidden"), "names beyond the dims: %s", tt_error());
    tt_val slow = tt_dict_n(NULL, 0, NULL, NULL);
    for (int i = 0; i < 4; i++) slow = tt_set(slow, p[i], v[i]);
    CHECK(!strcmp(tt_leaf_path(slow, 2), "a-c.y") && tt_ok(), "tt_set makes another tree");
    tt_add(slow, t);
    CHECK(tt_ok(), "tt_set makes another structure: %s", last);
    tt_clear();
    CHECK(tt_num(tt_tree(1, (const char *[]){ "" }, v)) == 1, "one path of no part");
    CHECK(tt_tree_leaves(tt_tree(0, NULL, NULL), 0, NULL) == 0, "of nothing");
    tt_tree(2, (const char *[]){ "a.b", "a.b" }, v);
    CHECK(failed("two values at the path \"a.b\""), "a path given twice");
    tt_tree(2, (const char *[]){ "a.b", "a" }, v);
    CHECK(failed("a value at the path \"a\", and one below it: \"a.b\""), "a leaf and a branch");
    tt_tree(2, (const char *[]){ "a..b", "c" }, v);
    CHECK(failed("an empty name in the path"), "an empty part");
    tt_tree(2, (const char *[]){ "a.", "c" }, v);
    CHECK(failed("an empty name in the path"), "an empty last part");
    tt_tree(2, (const char *[]){ "a", NULL }, v);
    CHECK(failed("path 1 of 2 is NULL"), "a NULL path");
}

static void replaced(void)
{
    const tt_val t = tt_dict("a", tt_i(1), "c", tt_tuple(tt_i(2), tt_i(3)));
    const tt_val grown = tt_set(tt_tagged("mine", t), "b.new", tt_i(9));
    CHECK(tt_num(tt_get(grown, "b.new")) == 9 && tt_num(tt_get(grown, "c.1")) == 3 && tt_num(tt_get(grown, "a")) == 1,
          "a grown dict");
    CHECK(tt_tag(grown) && !strcmp(tt_tag(grown), "mine"), "it keeps its tag");
    const tt_val cut = tt_set(grown, "c", tt_i(5));
    CHECK(tt_tree_leaves(cut, 0, NULL) == 3 && tt_num(tt_get(cut, "c")) == 5, "an array for a tuple");
    tt_set(t, "c.2", tt_i(0));
    CHECK(failed("no \"2\" in the tree"), "tuples do not grow");
    tt_set(t, "a.x", tt_i(0));
    CHECK(failed("no \"x\" in an array"), "below an array");
    tt_set(t, "d..x", tt_i(0));
    CHECK(failed("an empty name in the path"), "an empty name");
}

static void deep(void)
{
    enum { PARTS = 1000000 };
    char *path = malloc(2 * PARTS + 1);
    for (int i = 0; i < PARTS; i++) memcpy(path + 2 * i, "a.", 2);
    path[2 * PARTS - 1] = 0;
    const tt_val one = tt_i(1);
    tt_set(tt_dict("b", one), path, one);
    CHECK(failed("\"a.a.a."), "tt_set at a path of a million parts");
    tt_tree(2, (const char *[]){ "b", path }, (const tt_val[]){ one, one });
    CHECK(failed("parts; at most 256 are allowed | each '.' begins a level"), "tt_tree with such a path");
    tt_get(tt_dict("b", one), path);
    CHECK(failed("no \"a\" in the tree"), "tt_get at such a path");
    path[2 * 256 - 1] = 0;
    CHECK(tt_num(tt_get(tt_set(tt_dict("b", one), path, one), path)) == 1, "256 levels are fine: %s", last);
    tt_val nest = one;
    for (int i = 0; i < 300 && tt_ok(); i++) nest = tt_tuple(nest);
    CHECK(failed("a tree of 257 levels; at most 256 are allowed"), "tuples in tuples");
    free(path);
}

static void formulas(void)
{
    enum { LONG = 300000 };
    char *s = malloc(LONG + 2);
    const char *const open = "(-^", *const each[] = { "(", "-", "x^" };
    for (int k = 0; k < 3; k++) {
        const size_t n = strlen(each[k]);
        for (size_t i = 0; i + n < LONG; i += n) memcpy(s + i, each[k], n), s[i + n] = 0;
        strcat(s, "x");
        tt_formula_at(NULL, s, "x", (const tt_val[]){ tt_f(1), tt_end });
        CHECK(failed("nested more than 200 deep"), "%c in one another", open[k]);
    }
    s[0] = 0;
    for (int i = 0; i < 20000; i++) memcpy(s + 2 * i, "x.", 3);
    tt_formula_at(NULL, s, "x", (const tt_val[]){ tt_f(1), tt_end });
    CHECK(failed("no value \"x.x.x."), "a name of many parts");
    const tt_val y = tt_formula_at(NULL, "-((x))^2 - -1", "x", (const tt_val[]){ tt_f(3), tt_end });
    CHECK(tt_num(y) == -8, "signs and powers");
    free(s);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(keep, NULL);
    CHECK_RUN(large());
    CHECK_RUN(from_paths());
    CHECK_RUN(replaced());
    CHECK_RUN(deep());
    CHECK_RUN(formulas());
    tt_done();
    return check_done();
}
