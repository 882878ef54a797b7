/* lines.c - each error of a query, and of a function that asks its operands for their properties, names the user's
 * line. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

/* The error of the call in `text` has a site in this file, with the text of the call in it. */
static void has_line(const char *text, const char *call)
{
    const tt_error_info *e = tt_error_record();
    CHECK(e->code, "%s: no error", text);
    CHECK(strstr(e->site, "lines.c:"), "%s: \"%s\" at \"%s\"", text, e->message, e->site);
    CHECK(strstr(e->site, call), "%s: at \"%s\"", text, e->site);
    tt_clear();
}
#define WRONG(call, x) ((void)(x), has_line(#x, #call "("))

/* Queries of a value that was never set, and of a tuple where an array is expected. */
static void queries(void)
{
    const tt_val none = { 0 };
    const tt_mesh m = tt_mesh("a:2");
    tt_val leaf[2];
    WRONG(tt_rank, tt_rank(none));
    WRONG(tt_dim, tt_dim(none, 0));
    WRONG(tt_dtype_of, tt_dtype_of(none));
    WRONG(tt_bytes, tt_bytes(none));
    WRONG(tt_count, tt_count(none));
    WRONG(tt_is_traced, tt_is_traced(none));
    WRONG(tt_has, tt_has(none, "w"));
    WRONG(tt_items, tt_items(none));
    WRONG(tt_kind, tt_kind(none));
    WRONG(tt_name, tt_name(none, 0));
    WRONG(tt_tree_leaves, tt_tree_leaves(none, 2, leaf));
    WRONG(tt_leaf_path, tt_leaf_path(none, 0));
    WRONG(tt_tag, tt_tag(none));
    WRONG(tt_tagged, tt_tagged("adam", none));
    WRONG(tt_leaf_axes, tt_leaf_axes(none));
    WRONG(tt_leaf_frozen, tt_leaf_frozen(none));
    WRONG(tt_spec, tt_spec(none));
    WRONG(tt_mesh_of, tt_mesh_of(none).p);
    WRONG(tt_has_layout, tt_has_layout(none, m, "a"));
    WRONG(tt_type_text, tt_type_text(none));
    WRONG(tt_value_text, tt_value_text(none));
    WRONG(tt_keep, tt_keep(none).slot);
    WRONG(tt_wait, (tt_wait(none), 0));
    const tt_val pair = tt_tuple(tt_f(1), tt_f(2)), row = tt_ones(TT_F32, 3);
    WRONG(tt_dim, tt_dim(pair, 0));
    WRONG(tt_dim, tt_dim(row, 1));
    WRONG(tt_dim, tt_dim(row, -2));
    WRONG(tt_dtype_of, tt_dtype_of(pair));
    WRONG(tt_spec, tt_spec(pair));
    WRONG(tt_has_layout, tt_has_layout(pair, m, "a"));
    WRONG(tt_has_layout, tt_has_layout(row, m, "b"));
    WRONG(tt_value_text, tt_value_text(pair));
    WRONG(tt_tagged, tt_tagged("adam", row));
}

/* Functions that ask for ranks, dims and dtypes before they compute. */
static void functions(void)
{
    const tt_val none = { 0 }, key = tt_key(0), row = tt_ones(TT_F32, 3);
    WRONG(tt_var, tt_var(none));
    WRONG(tt_softplus, tt_softplus(none));
    WRONG(tt_one_hot, tt_one_hot(none, 3, TT_F32));
    WRONG(tt_flatten, tt_flatten(none, 0));
    WRONG(tt_squeeze, tt_squeeze(none, 0));
    WRONG(tt_roll, tt_roll(none, 1, 0));
    WRONG(tt_median, tt_median(none));
    WRONG(tt_cov, tt_cov(none));
    WRONG(tt_kron, tt_kron(row, none));
    WRONG(tt_attention, tt_attention(none, none, none));
    WRONG(tt_einsum, tt_einsum("i, i ->", row, none));
    WRONG(tt_permutation, tt_permutation(key, none));
    WRONG(tt_save, tt_save("/nowhere/lines", none));
    WRONG(tt_save, tt_save("/nowhere/lines.npz", none));
    WRONG(tt_pprint, tt_pprint(tt_dict("a", row), "shape, spek"));
    WRONG(tt_local_mesh, tt_local_mesh((tt_mesh){ NULL }));
    WRONG(tt_pprint, tt_pprint(row, ""));
    WRONG(tt_pprint, tt_pprint(row, "shape,, spec"));
    WRONG(tt_pprint, tt_pprint(row, "shape , spec"));
}

int main(void)
{
    tt_on_error(quiet, NULL);
    queries();
    functions();
    return check_done();
}
