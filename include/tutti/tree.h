/* tutti/tree.h - trees of values: tuples, dicts, records, with functions on their leaves.
 *
 * A leaf's path joins the names from the root with dots, "params.layer.up.kernel"; a tuple's items have numbers. */
#include <tutti.h>
#ifndef TUTTI_TREE_H
#define TUTTI_TREE_H

#ifdef __cplusplus
extern "C" {
#endif

/*     tt_val pair = tt_tuple(x, y), empty = tt_none(); */
#define tt_tuple(...)        tt_tuple_at(TT_AT("tt_tuple(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_tuple_at(const char *site, const tt_val *v);
TT_API tt_val tt_none(void);                             /* the empty tuple */
/* tt_dict("loss", l, "accuracy", a): for names known when the program runs; sorted. A NULL name ends the list.
 *     tt_val metrics = tt_dict("loss", l, "accuracy", a);
 *     const char *names[] = { "x", "y" }; tt_val same = tt_dict_n(0, 2, names, (tt_val[]){ x, y });
 *     tt_val point = tt_record_n(0, "point", "x, y", 2, (tt_val[]){ x, y }), xy[2];
 *     tt_fields_n(0, point, "point", "x, y", 2, xy);
 *     tt_val first = tt_item(pair, 0), last = tt_item(pair, -1);
 *     if (tt_has(params, "layer.up.kernel")) w = tt_get(params, "layer.up.kernel");
 *     params = tt_set(params, "layer.up.kernel", w); */
#define tt_dict(...) \
    tt_dict_at(TT_AT("tt_dict(" #__VA_ARGS__ ")"), __VA_ARGS__, (const char *)0, (const char *)0, (const char *)0)
TT_API tt_val tt_dict_at(const char *site, const char *name, ...);   /* ends with three NULL names */
TT_API tt_val tt_dict_n(const char *site, int n, const char *const *name, const tt_val *v);
TT_API tt_val tt_record_n(const char *site, const char *tag, const char *fields, int n, const tt_val *v);
TT_API bool   tt_fields_n(const char *site, tt_val v, const char *tag, const char *fields, int n, tt_val *out);
#define tt_item(tuple, i)    tt_item_at(TT_AT("tt_item(" #tuple ", " #i ")"), tuple, i)
TT_API tt_val tt_item_at(const char *site, tt_val tree, int i);    /* negative i counts from the end */
#define tt_get(tree, path)   tt_get_at(TT_AT("tt_get(" #tree ", " #path ")"), tree, path)
/* "params.layer.up.kernel"; "": the tree itself, of tt_set: v itself */
TT_API tt_val tt_get_at(const char *site, tt_val tree, const char *path);
#define tt_has(tree, path)   tt_has_at(TT_AT("tt_has(" #tree ", " #path ")"), tree, path)
TT_API bool tt_has_at(const char *site, tt_val tree, const char *path);
#define tt_set(tree, path, v) tt_set_at(TT_AT("tt_set(" #tree ", " #path ", " #v ")"), tree, path, v)
/* a new tree; a dict may get a new name */
TT_API tt_val tt_set_at(const char *site, tt_val tree, const char *path, tt_val v);
/* A tree of dicts in one call: v[i], an array or a tree, is placed at paths[i] ("layer.0.kernel"). Errors: two equal
 * paths, a path that is the beginning of another, an empty name, more than 256 parts. One path "": v[0] itself.
 *     const char *paths[] = { "a.w", "a.b" }; tt_val nested = tt_tree(2, paths, ((tt_val[]){ x, y })); */
#define tt_tree(...)         tt_tree_at(TT_AT("tt_tree(" #__VA_ARGS__ ")"), __VA_ARGS__)   /* (n, paths, v) */
TT_API tt_val tt_tree_at(const char *site, int n, const char *const *paths, const tt_val *v);
/* The items of a tuple, or the rows of an array, v[0], v[1], ...: tt_unpack(tt_split(key, 2), &a, &b). The number of
 * items must be that of the slots; else false, with the error set, and poison in the slots.
 *     tt_unpack(tt_split(key, 2), &a, &b);
 *     for (int j = 0; j < tt_items(params); j++) printf("%s: %s\n", tt_name(params, j),
 *                                                       tt_kind(tt_item(params, j)));
 *     tt_val leaves[64]; const int n64 = tt_tree_leaves(params, 64, leaves);
 *     tt_val doubled = tt_tree_unflatten(params, n64, leaves); */
#define tt_unpack(tuple, ...) \
    tt_unpack_at(TT_AT("tt_unpack(" #tuple ", " #__VA_ARGS__ ")"), tuple, TT_LIST(tt_val *, __VA_ARGS__, NULL))
TT_API bool tt_unpack_at(const char *site, tt_val tuple, tt_val *const *slots);
#define tt_items(tree)       tt_items_at(TT_AT("tt_items(" #tree ")"), tree)
TT_API int tt_items_at(const char *site, tt_val tree);   /* number of children; 0: an array or an empty tree */
#define tt_kind(v)           tt_kind_at(TT_AT("tt_kind(" #v ")"), v)
TT_API const char *tt_kind_at(const char *site, tt_val v); /* "array", "tuple", "record", "dict" */
#define tt_name(tree, i)     tt_name_at(TT_AT("tt_name(" #tree ", " #i ")"), tree, i)
TT_API const char *tt_name_at(const char *site, tt_val tree, int i); /* of tt_item(tree, i); NULL: a tuple */
#define tt_tree_leaves(tree, n, out) \
    tt_tree_leaves_at(TT_AT("tt_tree_leaves(" #tree ", " #n ", " #out ")"), tree, n, out)
/* the number of leaves; fills at most n */
TT_API int tt_tree_leaves_at(const char *site, tt_val tree, int n, tt_val *out);
/*     puts(tt_leaf_path(params, 0)); */
#define tt_leaf_path(tree, i) tt_leaf_path_at(TT_AT("tt_leaf_path(" #tree ", " #i ")"), tree, i)
/* "a.b.c"; negative i counts from the end; lives as long as the program */
TT_API const char *tt_leaf_path_at(const char *site, tt_val tree, int i);
#define tt_tree_unflatten(like, n, leaves) tt_tree_unflatten_at(TT_AT("tt_tree_unflatten(" #like ")"), like, n, leaves)
TT_API tt_val tt_tree_unflatten_at(const char *site, tt_val like, int n, const tt_val *leaves);
/* True if the two trees match leaf by leaf: same structure, and for each leaf the same shape and kind: a leaf of b is a
 * float where a's is (any width; leaves that are frozen in a are skipped), and complex only where a's is. Otherwise
 * sets an error that names the first path that differs, after `what`: tt_match("weights and masks", w, m). A tt_hint
 * may follow, as after tt_fail_at.
 *     if (!tt_match("weights and masks", params, masks)) return tt_poison; */
#define tt_match(what, a, b) tt_match_at(TT_AT("tt_match(" #what ", " #a ", " #b ")"), what, a, b)
TT_API bool tt_match_at(const char *site, const char *what, tt_val a, tt_val b);
/* Applies f leafwise to trees of one structure: tt_tree_map(f, a, b).
 *     params = tt_tree_map(f2, params, grads); */
#define tt_tree_map(f, ...) \
    tt_tree_map_at(TT_AT("tt_tree_map(" #f ", " #__VA_ARGS__ ")"), TT_FN(f), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_tree_map_at(const char *site, tt_fn f, const tt_val *trees);
/* Applies f(env, path, leaf) to each leaf, with paths like "a.b.c"; returns a new tree of the results.
 *     tt_val frozen = tt_tree_map_with_path(by_path, NULL, params);
 *     tt_val state = tt_tagged("mine", params); puts(tt_tag(state)); */
typedef tt_val tt_path_f(void *env, const char *path, tt_val leaf);
#define tt_tree_map_with_path(f, env, tree) \
    tt_tree_map_with_path_at(TT_AT("tt_tree_map_with_path(" #f ", " #tree ")"), f, env, tree)
TT_API tt_val tt_tree_map_with_path_at(const char *site, tt_path_f *f, void *env, tt_val tree);
#define tt_tagged(tag, tree) tt_tagged_at(TT_AT("tt_tagged(" #tag ", " #tree ")"), tag, tree)
/* a tree with a tag ("adam"); arithmetic keeps the tag */
TT_API tt_val tt_tagged_at(const char *site, const char *tag, tt_val tree);
#define tt_tag(tree)         tt_tag_at(TT_AT("tt_tag(" #tree ")"), tree)
TT_API const char *tt_tag_at(const char *site, tt_val tree); /* NULL: no tag */
typedef struct tt_leaf_opts { TT_OPTION_HEAD const char *axes TT_DEFAULT; int frozen TT_DEFAULT; } tt_leaf_opts;
/* Annotates a leaf: its logical axes, and whether it is frozen, that is, not trained (batch statistics); .frozen = 0
 * unfreezes it. Annotations stay with the tree.
 *     w = tt_leaf(w, .axes = "embed, hidden", .frozen = 1);
 *     printf("%s %d\n", tt_leaf_axes(w), tt_leaf_frozen(w)); */
#define tt_leaf(...)         TT_LEAF_(TT_AT("tt_leaf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LEAF_(at, v, ...) tt_leaf_at(at, v, TT_OPTS(tt_leaf_opts, __VA_ARGS__))
TT_API tt_val tt_leaf_at(const char *site, tt_val v, const tt_leaf_opts *);
#define tt_leaf_axes(v)      tt_leaf_axes_at(TT_AT("tt_leaf_axes(" #v ")"), v)
TT_API const char *tt_leaf_axes_at(const char *site, tt_val v); /* NULL: none given */
#define tt_leaf_frozen(v)    tt_leaf_frozen_at(TT_AT("tt_leaf_frozen(" #v ")"), v)
TT_API bool tt_leaf_frozen_at(const char *site, tt_val v);

/* TT_RECORD(lin, w, b): declares struct lin { tt_val w, b; }; lin_of() unpacks a tree into it, lin_val() packs it.
 *     TT_RECORD(line, w, b);
 *     tt_val l = line_val((line){ x, y }); tt_show(line_of(l).w); */
#define TT_RECORD(T, ...)                                                                                              \
    typedef struct T { tt_val __VA_ARGS__; } T;                                                                        \
    TT_UNUSED static inline T T##_of(tt_val v)                                                                         \
    {                                                                                                                  \
        T r;                                                                                                           \
        tt_fields_n(TT_AT(#T "_of()"), v, #T, #__VA_ARGS__, (int)(sizeof(T) / sizeof(tt_val)), (tt_val *)&r);          \
        return r;                                                                                                      \
    }                                                                                                                  \
    TT_UNUSED static inline tt_val T##_val(T r)                                                                        \
    {                                                                                                                  \
        return tt_record_n(TT_AT(#T "_val()"), #T, #__VA_ARGS__, (int)(sizeof(T) / sizeof(tt_val)), (tt_val *)&r);     \
    }                                                                                                                  \
    struct T

#ifdef __cplusplus
}
#endif
#endif
