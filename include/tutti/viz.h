/* tutti/viz.h - pictures in the terminal: layouts as JAX's visualize_array_sharding draws them, images, curves; state
 * and timings as text. */
#include <tutti.h>
#ifndef TUTTI_VIZ_H
#define TUTTI_VIZ_H

#ifdef __cplusplus
extern "C" {
#endif

/* Draws the layout of a value of rank 1 or 2. form, by default "blocks" on a terminal with colours, else "plain":
 * - "plain": a table of box-drawing characters.
 * - "blocks": coloured blocks. Neighbours have different colours, corner to corner too, of eight that colour-blind
 *   people tell apart (Okabe and Ito, Color Universal Design, 2008); in 24 bits, 256 or 16 colours, by COLORTERM and
 *   TERM.
 * - "svg", for a file: the same colours.
 * - "color", "highlight": byte for byte what jax.debug.visualize_array_sharding prints. With many blocks, two may
 *   have the same colour.
 * min_width (default 9), max_width (80): the columns of a part; a min_width above max_width is an error.
 *     tt_draw(x), tt_draw(x, .form = "plain", .max_width = 60); fputs(tt_drawing_at(0, x, NULL), stdout); */
typedef struct tt_draw_opts {
    TT_OPTION_HEAD
    const char *form TT_DEFAULT; double scale TT_ABOVE_0; int min_width TT_FROM_1, max_width TT_FROM_1;
} tt_draw_opts;
#define tt_draw(...)         TT_DRAWING_(TT_AT("tt_draw(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_DRAWING_(at, v, ...) tt_draw_at(at, v, TT_OPTS(tt_draw_opts, __VA_ARGS__))
TT_API bool tt_draw_at(const char *site, tt_val v, const tt_draw_opts *);                /* to stdout */
/* returns the text; it lives until this thread draws the next, or ends */
TT_API const char *tt_drawing_at(const char *site, tt_val v, const tt_draw_opts *);
/* A tree of a program's state as Flax and optax print it: FrozenDict({...}) of dicts, records by their names,
 * (ScaleByAdamState(count=..., mu=..., nu=...), EmptyState()) for Adam. form, the text of a leaf: "spec" (default)
 * PartitionSpec(None, 'model') from its logical axes (tt_leaf's), "names" (None, 'model'), "box" Partitioned(value=(8,
 * 4), names=(None, 'model'), mesh=None), "logical" LogicallyPartitioned(...), "shape" (8, 4). rules: applied to the
 * axes first, by tt_logical_spec. Lives until the fourth call after this one; "": an error.
 *     puts(tt_state_text(opt, .form = "shape")); */
typedef struct tt_state_opts { TT_OPTION_HEAD const char *form TT_DEFAULT, *rules TT_DEFAULT; } tt_state_opts;
#define tt_state_text(...)   TT_STATE_(TT_AT("tt_state_text(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_STATE_(at, v, ...) tt_state_text_at(at, v, TT_OPTS(tt_state_opts, __VA_ARGS__))
TT_API const char *tt_state_text_at(const char *site, tt_val v, const tt_state_opts *);
/* Curves over steps, as text for the terminal (default: 64 x 10 cells, axes not counted) or as SVG for a file (640 x
 * 320); at most 1000 x 1000 cells, 100,000 x 100,000 pixels; at most 8 series.
 *
 *     puts(tt_curve(losses, .title = "loss", .log = 1, .smooth = 0.9));
 *     tt_val tests = tt_tuple(tt_arange(TT_I32, 0, 1000, 250), test_losses);
 *     puts(tt_curve(tt_dict("train", losses, "test", tests), .xlabel = "step"));
 *
 * v: one row of real numbers; or a dict of series, named in the legend; or a tuple of them. A series in it is a row
 * ys, at x = 0, 1, 2, ..., or a tuple (xs, ys) of two rows of one length, xs finite.
 * - log, log_x: logarithmic scales, with ticks at the powers of ten, or at 1, 2, 5 of them. title, xlabel, ylabel:
 *   texts.
 * - smooth: from 0 to below 1, a series is replaced by TensorBoard's smoothing with this weight: s_i = w s_(i-1) + (1
 *   - w) y_i, divided by 1 - w^i; the series itself is drawn pale behind it in SVG.
 * - Values that are not finite, or without a logarithm, are left out, and break the line; their number is printed
 *   under the curve. One point is a dot.
 * In the terminal several series have colours, or, without colours, letters of their own (a, b, ...). Lives until the
 * next call; "": an error. */
typedef struct tt_curve_opts {
    TT_OPTION_HEAD
    const char *form TT_DEFAULT, *title TT_DEFAULT; int width TT_FROM_1, height TT_FROM_1, log TT_DEFAULT;
    int log_x TT_DEFAULT; double smooth TT_DEFAULT; const char *xlabel TT_DEFAULT, *ylabel TT_DEFAULT;
} tt_curve_opts;
#define tt_curve(...)        TT_CURVE_(TT_AT("tt_curve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CURVE_(at, v, ...) tt_curve_at(at, v, TT_OPTS(tt_curve_opts, __VA_ARGS__))
TT_API const char *tt_curve_at(const char *site, tt_val v, const tt_curve_opts *);
/* The time of f(args...), as IPython's %timeit prints it: "57.6 ms ± 569 μs per loop (mean ± std. dev. of 7 runs, 10
 * loops each)". Waits for every call; f must not donate. Lives until the next call; "": an error. All processes of a
 * job call it; process 0's clock decides on the number of loops.
 *     puts(tt_timeit(f, x)); */
#define tt_timeit(...)       TT_TIMEIT_(TT_AT("tt_timeit(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_TIMEIT_(at, f, ...) tt_timeit_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const char *tt_timeit_at(const char *site, tt_fn f, const tt_val *args);
/* Prints a tree on stdout as Python's pprint does, 80 columns: {'name': ...}, (item, ...), Record(field=...). leaf: the
 * text of each leaf: "shape" (784, 512); "spec" PartitionSpec('data', None), from its own axes (tt_leaf's .axes);
 * "sharding" NamedSharding(...); "box" Partitioned(value=(784, 512), names=('data', None), mesh=None), or the shape if
 * the leaf has no axes; several words give a tuple: "shape, sharding".
 *     tt_pprint(params, "shape, sharding"); */
#define tt_pprint(tree, leaf) tt_pprint_at(TT_AT("tt_pprint(" #tree ", " #leaf ")"), tree, leaf)
TT_API bool tt_pprint_at(const char *site, tt_val tree, const char *leaf);
/* A greyscale image [H, W] in [0, 1] in half-block characters, one line of text per two rows; each line ends with a
 * newline. columns: at most so many; 0: as wide as the image.
 *     fputs(tt_image_text(image, 28), stdout); */
#define tt_image_text(image, columns) \
    tt_image_text_at(TT_AT("tt_image_text(" #image ", " #columns ")"), image, columns)
TT_API const char *tt_image_text_at(const char *site, tt_val image, int columns);
/* The terminal: its columns (80 if there is none), and 1 if colours are used (NO_COLOR, TUTTI=color).
 *     printf("%d columns, colours: %d\n", tt_columns(), tt_colors()); */
TT_API int tt_columns(void), tt_colors(void);

#ifdef __cplusplus
}
#endif
#endif
