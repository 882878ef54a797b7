/* hlo/hlo.h - StableHLO text in and out: programs that other people's compilers print, and ours for theirs.
 *
 * Reading takes two steps. A parser turns the text, in its generic and its pretty forms, into one small tree in which
 * every operation has the generic form; readers, found by name in tables, write each operation's meaning into a build.
 * Types are always printed, so ours are inferred and compared with what the text says. Loops, reducers and comparators
 * are raised to what the transforms understand: see read.c, sort.c and loops.c. An error names the line and column of
 * the text, shows the line with a caret, and the line of the program that printed it if the text has locations. */
#ifndef TUTTI_HLO_H
#define TUTTI_HLO_H

#include "../op/op.h"

/* The function @main (else the only public one) of a module. name: how messages call the text.
 * NULL with the error set. The function lives in the arena, and nothing else of the reading does. */
ir_fn *hlo_read(base_arena *, base_site name, const char *text);
/* The same function in the primitives that its parts stand for: all of the passes below, in this order. None is needed
 * for the values. NULL with the error set. */
ir_fn *hlo_raise(base_arena *, const ir_fn *);
/* Each alone; f itself where its pattern is not met. found: how often it was; may be NULL.
 *   places: a device's number, divided and cut: axis_index.
 *   threefry: JAX's cipher, as a loop of five iterations or written out: threefry2x32.
 *   draws: that cipher over counters of all places: random_bits.
 *   rows: sums over dims of size 1, which stand between the rows of softmax and of norms in their gradients.
 *   one_hot: one element of each row added to zeros, elementwise.
 *   loops: counted loops as scans, so that they differentiate backwards. Loops that are not counted stay as they
 * are. */
typedef ir_fn *hlo_raising(base_arena *, const ir_fn *, int *found);
hlo_raising hlo_axis_index, hlo_threefry, hlo_random_bits, hlo_row_sums, hlo_one_hot, hlo_loops;
/* The function as StableHLO text: one module with @main, in generic form. What has no form there is written in what has
 * one: scans as loops, sorts with comparators. NULL with the error set: it has none (collectives, effects). */
const char *hlo_write(base_arena *, const ir_fn *);
/* The same with what a caller knows beside the function: how arguments and results are on its mesh (NULL: nothing is
 * said), and which arguments are given away. Each list, and each layout in it, may be NULL. by_axes: groups of devices
 * by axes of the mesh, as JAX prints them since 0.12; else by tables. */
typedef struct { const mesh_layout *const *in, *const *out; const bool *donate; bool by_axes; } hlo_borders;
const char *hlo_write_with(base_arena *, const ir_fn *, const hlo_borders *);

#endif
