/* fuzz/texts.h - the texts that calls take, given to the calls themselves; a line's end parts the texts of one call.
 * What a call accepts must hold: it reads back as it was written, and nothing of it is left out.
 *
 * What the texts are said of are shapes, so that nothing is computed. */
#ifndef TUTTI_TESTS_FUZZ_TEXTS_H
#define TUTTI_TESTS_FUZZ_TEXTS_H

#include "base/option.h"
#include "ckpt/ckpt.h"
#include "ir/ir.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says what does not hold, by CHECK or, under libFuzzer, by the end of the program. */
static void must(bool holds, const char *what, const char *text);

#define TEXT_OPTS(T, ...)    (&(T){ .size = sizeof(T), __VA_ARGS__ })

static struct { tt_mesh mesh; tt_val x, y, row, square, tree, key; } with;

static void texts_begin(void)
{
    with.mesh = tt_mesh("data:2, model:2");
    with.x = tt_keep(tt_shape(TT_F32, 4, 6));
    with.y = tt_keep(tt_shape(TT_F32, 6, 4));
    with.row = tt_keep(tt_shape(TT_F32, 4));
    with.square = tt_keep(tt_shape(TT_F32, 4, 4));
    with.tree = tt_keep(tt_dict("layer", tt_dict("kernel", with.x, "bias", with.row), "rows",
                                tt_tuple(with.row, with.x)));
    with.key = tt_keep(tt_key(0));
    base_set_log_sink(NULL);                             /* notes are not printed */
}

/* Cuts the text at its first line's end: what is behind it. */
static char *rest(char *s)
{
    s += strcspn(s, "\n");
    if (*s) *s++ = 0;
    return s;
}

static char *words, *more;                               /* what a function under trace reads */

static void traced(tt_f1 *f, char *s, tt_val x)
{
    words = s;
    tt_eval_shape_at(0, tt_fn_of1("f", f), (tt_val[]){ x, tt_end });
}

static int count_of(const char *s, char c)
{
    int n = 0;
    for (; *s; s++) n += *s == c;
    return n;
}

/* ---- meshes, layouts, axes ---- */

static void as_mesh(char *s)
{
    const tt_mesh m = tt_mesh_at(0, s, TEXT_OPTS(tt_mesh_opts, .order = NULL));
    if (!m.p) return;
    const tt_mesh again = tt_mesh_at(0, tt_mesh_spec(m), TEXT_OPTS(tt_mesh_opts, .order = NULL));
    must(again.p == m.p, "a mesh's words are of another mesh", s);
}

static void as_spec(char *s)
{
    const tt_val v = tt_shard_at(0, with.x, with.mesh, s);
    if (tt_ok()) must(tt_has_layout(v, with.mesh, tt_spec(v)), "a spec does not read back", s);
}

static void as_layout(char *s)                           /* spec, form; without a spec: of the mesh */
{
    char *const form = rest(s);
    must(tt_text(with.x, form) != NULL, "no text at all", form);
    tt_clear();
    must((*s ? tt_layout_text_at(0, with.mesh, -1, s, form) : tt_mesh_text_at(0, with.mesh, form)) != NULL,
         "no text at all", form);
}

/* The axes of a value, and rules for them: by tt_logical_spec, and by a jit. */
static tt_val with_axes(tt_val v) { return tt_logical_constraint_at(0, v, words); }

static void as_rules(char *s)
{
    char *const rules = rest(s);
    for (int lookup = 0; lookup < 2; lookup++) {
        const char *const spec = tt_logical_spec_at(0, s, rules, TEXT_OPTS(tt_logical_opts, .lookup = lookup,
                                                                           .given = ".lookup"));
        must(spec != NULL, "no spec at all", rules);
        if (tt_ok()) must(!*s || count_of(spec, ',') == count_of(s, ','), "a spec of another rank", s);
        tt_clear();
    }
    const tt_mesh_context was = tt_set_mesh_at(0, with.mesh, TEXT_OPTS(tt_set_mesh_opts, .rules = rules));
    words = s;
    tt_eval_shape_at(0, tt_jit_at(0, tt_fn_of1("f", with_axes), NULL), (tt_val[]){ with.x, tt_end });
    tt_restore_mesh(was);
}

static void as_names(char *s)
{
    const char *const more = tt_names_with(s, 0, "a"), *const fewer = tt_names_without(s, 0);
    must(more && fewer, "no names at all", s);
    if (tt_ok() && *s && strcmp(s, "_")) must(count_of(more, ',') >= count_of(s, ','), "names are left out", s);
    tt_clear();
    const tt_val v = tt_leaf_at(0, tt_zeros(TT_F32, 1, 1, 1, 1), TEXT_OPTS(tt_leaf_opts, .axes = s));
    if (tt_ok()) must(tt_leaf_axes(v) != NULL, "axes are left out", s);
}

/* ---- dims ---- */

static tt_val largest(tt_val v) { return tt_argmax_at(0, v, TEXT_OPTS(tt_reduce_opts, .dims = words)); }
static tt_val summed(tt_val v) { return tt_sum_at(0, v, TEXT_OPTS(tt_reduce_opts, .dims = words)); }
static void as_over(char *s) { traced(largest, s, with.x), tt_clear(), traced(summed, s, with.x); }

static tt_val multiplied(tt_val v)
{
    return tt_dot_at(0, v, tt_transpose(v), TEXT_OPTS(tt_dot_opts, .sum = words, .batch = more));
}
static void as_dot(char *s) { more = rest(s), traced(multiplied, s, with.x); }           /* sum, batch */

static tt_val pooled(tt_val v)
{
    return tt_window_sum_at(0, v, TEXT_OPTS(tt_pool_opts, .window = { 2, 2 }, .pad = words));
}
static tt_val convolved(tt_val v)
{
    return tt_convolve_at(0, v, tt_zeros(TT_F32, 3, 3, 2, 4), TEXT_OPTS(tt_convolve_opts, .pad = words));
}
static void as_pad(char *s)
{
    const tt_val x = tt_shape(TT_F32, 1, 8, 8, 2);
    traced(pooled, s, x), tt_clear(), traced(convolved, s, x);
}

static tt_val einsum_of(tt_val v)                        /* more: a letter for each operand */
{
    tt_val x[5];
    int n = 0;
    for (; n < 4 && more[n]; n++) x[n] = tt_item(v, more[n] > 'a' && more[n] < 'e' ? more[n] - 'a' : 0);
    x[n] = tt_end;
    return tt_einsum_at(0, words, x);
}
static void as_einsum(char *s)
{
    more = rest(s), traced(einsum_of, s, tt_tuple(with.square, with.x, with.y, with.row));
}

/* ---- transforms ---- */

static tt_val both(tt_val a, tt_val b) { return tt_tuple(a, b); }
static tt_val first(tt_val a, tt_val b) { return (void)b, a; }

static void shaped(tt_fn f) { tt_eval_shape_at(0, f, (tt_val[]){ with.x, with.x, tt_end }); }

static void as_vmap(char *s)                             /* in, out, axis */
{
    char *const out = rest(s), *const axis = rest(out);
    shaped(tt_vmap_at(0, tt_fn_of2("f", both), TEXT_OPTS(tt_vmap_opts, .in = s, .out = out, .axis = axis)));
}

static void as_jit(char *s)                              /* in, out, donate, rules; then wrt */
{
    char *const out = rest(s), *const donate = rest(out), *const rules = rest(donate), *const wrt = rest(rules);
    shaped(tt_jit_at(0, tt_fn_of2("f", both), TEXT_OPTS(tt_jit_opts, .mesh = with.mesh, .in = s, .out = out,
                                                        .donate = donate, .rules = *rules ? rules : NULL)));
    tt_clear();
    tt_grad_at(0, tt_fn_of2("f", first), TEXT_OPTS(tt_grad_opts, .wrt = wrt));
}

static void as_manual(char *s)                           /* in, out, axes */
{
    char *const out = rest(s), *const axes = rest(out);
    shaped(tt_shard_map_at(0, tt_fn_of2("f", both), TEXT_OPTS(tt_shard_map_opts, .mesh = with.mesh, .in = s,
                                                              .out = out, .axes = *axes ? axes : NULL)));
}

static tt_val in_groups(tt_val v)
{
    return tt_psum_at(0, v, words, TEXT_OPTS(tt_reduce_axes_opts, .groups = more));
}
static tt_val in_pairs(tt_val v) { return tt_ppermute_at(0, v, "i", words); }

static void mapped(tt_f1 *f, char *s)
{
    words = s;
    tt_eval_shape_at(0, tt_vmap_at(0, tt_fn_of1("f", f), TEXT_OPTS(tt_vmap_opts, .axis = "i")),
                     (tt_val[]){ with.x, tt_end });
}

static void as_groups(char *s) { more = rest(s), mapped(in_groups, s); }         /* axis, groups */
static void as_pairs(char *s) { mapped(in_pairs, s); }

/* ---- forms, formulas, numbers ---- */

static void as_schedule(char *s) { tt_schedule_at(0, s, tt_i(3)); }
static tt_val chained(tt_val v) { return tt_optimizer_at(0, v, words); }
static void as_chain(char *s) { traced(chained, s, with.tree); }
static void as_init(char *s) { tt_init_named_at(0, s, with.key, TT_F32, (int64_t[]){ 4, 6, TT_DIM_END }); }
static tt_val formula(tt_val v) { return tt_formula_at(0, words, "x, y", (tt_val[]){ v, tt_i(2), tt_end }); }
static void as_formula(char *s) { traced(formula, s, with.row); }

static void as_form(char *s)
{
    const char *at = s, *const end = s + strlen(s);
    tt_form f, in;
    char word[16];
    while (at < end && tt_form_read(0, s, &at, &f)) {
        must(at > s && at <= end, "a form ends outside of its text", s);
        if (!tt_form_keys(&f, "a b c")) break;
        tt_form_number(&f, "a", 1);
        must(strlen(tt_form_word(&f, "b", "", word, sizeof word)) < sizeof word, "a long word", s);
        if (tt_form_has(&f, "c")) tt_form_of(&f, "c", &in);
    }
}

static void as_number(char *s)
{
    char *end, *usual, word[64];
    const double x = tt_strtod(s, &end), y = strtod(s, &usual);
    must(end == usual && (x == y || (isnan(x) && isnan(y))), "a number is another", s);
    if (end == s) return;
    tt_snprintf(word, sizeof word, "%.17g", x);
    must(tt_strtod(word, NULL) == x || isnan(x), "a number does not read back", word);
}

/* ---- trees ---- */

static void as_path(char *s)
{
    char *const other = rest(s);
    const bool has = tt_has(with.tree, s);
    const tt_val v = tt_get_at(0, with.tree, s);
    must(has == tt_ok(), "it is there, and is not", s);
    (void)v, tt_clear();
    const tt_val set = tt_set_at(0, with.tree, s, with.row);
    if (tt_ok()) must(tt_rank(tt_get_at(0, set, s)) == 1, "what was set is not there", s);
    tt_clear();
    const tt_val both_there = tt_tree_at(0, 2, (const char *const[]){ s, other }, (tt_val[]){ with.x, with.row });
    if (tt_ok()) must(tt_has(both_there, s) && tt_has(both_there, other), "a path that was given is not there", s);
}

static void as_leaf(char *s)                             /* the folder of a leaf of that name */
{
    char *const to = ckpt_name_folder(s);
    must(to && (!*s || ckpt_key_good(to)) && strlen(to) < 256, "a leaf's folder is no relative path", s);
    free(to);
}

static tt_val named(tt_nn m, tt_val x)
{
    tt_param(m, "a", ((int64_t[]){ 2, TT_DIM_END }), .dtype = TT_F32);
    return tt_dense_at(0, m, words, x, 2, TEXT_OPTS(tt_dense_opts, .axes = more, .kernel_init = "zeros"));
}
static tt_val begun(tt_val key, tt_val x) { return tt_init(named, key, x); }

static void as_layer(char *s)                            /* a layer's name, the axes of its kernel */
{
    char path[400];
    words = s, more = rest(s);
    const tt_val vars = tt_eval_shape(begun, tt_shape(TT_U32, 2), with.x);
    if (!tt_ok()) return;
    if (!strcmp(s, ".")) snprintf(path, sizeof path, "kernel");
    else snprintf(path, sizeof path, "%s.kernel", *s ? s : "Dense_0");
    must(tt_has(vars, path) && tt_has(vars, "a"), "a layer without its name", s);
}

/* ---- options, switches ---- */

static void as_given(char *s)
{
    static const char *const type[] = { "tt_reduce_opts", "tt_adam_opts", "tt_res_opts", "tt_load_opts" };
    union { max_align_t a; char room[1024]; tt_reduce_opts o; } u = { .room = "" };
    char to[64];
    for (int i = 0; i < 4; i++) {
        static const size_t size[] = { sizeof(tt_reduce_opts), sizeof(tt_adam_opts), sizeof(tt_res_opts),
                                       sizeof(tt_load_opts) };
        u.o.size = size[i], u.o.given = s;
        tt_options_at(0, "fuzz", type[i], &u.o);
        tt_clear();
    }
    tt_given(&u.o, "over");
    tt_given_in(&u.o, "norm", to, sizeof to);
    must(strlen(to) < sizeof to, "more than there is space for", s);
}

static void as_switches(char *s)
{
    const bool good = tt_config(s);
    must(good == tt_ok(), "switches are taken and refused", s);
    if (good) tt_mesh("data:2, model:4");
    for (const base_option_word *w = base_option_words; w->name; w++) {
        must(good || !base_switch(w->name), "a text that was refused has set a switch", s);
        base_switch_off(w->name);
    }
}

/* ---- pictures ---- */

static void as_picture(char *s)                          /* form, rules; without rules: a drawing */
{
    char *const rules = rest(s);
    if (*rules) must(tt_state_text_at(0, with.tree, TEXT_OPTS(tt_state_opts, .form = s, .rules = rules)) != NULL,
                     "no text at all", s);
    else must(tt_drawing_at(0, tt_shard(with.x, with.mesh, "data, model"), TEXT_OPTS(tt_draw_opts, .form = s)) != NULL,
              "no drawing at all", s);
}

/* ---- names of folders ---- */

static void as_steps(char *s)                            /* the best metric; the names in a manager's folder */
{
    enum { NAMES = 8 };
    char root[80], path[NAMES][400], mark[420];
    int n = 0;
    int64_t step[NAMES + 1];
    snprintf(root, sizeof root, "%s/steps", dir);
    for (char *name = rest(s), *end = name; *name && n < NAMES; name = end) {
        end = rest(name);
        if (!ckpt_key_good(name) || strchr(name, '/') || strlen(name) > 255) continue;
        snprintf(path[n], sizeof path[n], "%s/%s", root, name);
        if (mkdir(path[n], 0777)) continue;
        snprintf(mark, sizeof mark, "%s/_METADATA", path[n++]);
        fclose(fopen(mark, "w"));
    }
    const tt_manager m = tt_manager_open_at(0, root, TEXT_OPTS(tt_manager_opts, .best = *s ? s : NULL));
    const int have = tt_ok() ? tt_manager_steps(m, NAMES, step) : 0;
    must(have <= n, "more steps than folders", s);
    for (int i = 0; i < have; i++) {
        const char *const at = tt_manager_path_at(0, m, step[i]);
        must(at && !access(at, F_OK) && (!i || step[i] > step[i - 1]), "a step without a folder of its own", at);
    }
    if (tt_ok() && have) must(tt_manager_newest(m) == step[have - 1], "another is the newest", s);
    while (n-- > 0) snprintf(mark, sizeof mark, "%s/_METADATA", path[n]), unlink(mark), rmdir(path[n]);
}

/* ---- IR ---- */

typedef struct { base_arena *arena; const char *text, *printed, *again; } ir_trial;

static void read_ir(void *arg)
{
    ir_trial *const t = arg;
    const ir_fn *f = ir_parse(t->arena, NULL, t->text);
    if (f && ir_verify(f)) t->printed = ir_print(t->arena, f);
    if (t->printed && (f = ir_parse(t->arena, NULL, t->printed))) t->again = ir_print(t->arena, f);
}

static void as_ir(char *s)
{
    ir_trial t = { .arena = base_open(), .text = s };
    const bool whole = base_catch(read_ir, &t);
    must(!whole || !t.printed || (t.again && !strcmp(t.printed, t.again)), "IR does not read back", s);
    must(!whole || t.printed || base_failed(), "neither a function nor a message", s);
    base_close(t.arena);
}

#endif
