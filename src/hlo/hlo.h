/* hlo/hlo.h - reads and writes StableHLO text: programs that other compilers print, and ours for other compilers.
 *
 * Reading takes two steps. A parser turns the text, in its generic and its pretty forms, into one small tree in which
 * every operation has the generic form; readers, found by name in tables, emit each operation's meaning into a build.
 * The text states all types, so the inferred types are compared with the stated ones. Loops, reducers and comparators
 * are raised to primitives that the transforms support: see read.c, sort.c and loops.c. An error names the line and
 * column of the text, shows the line with a caret, and names the line of the program that printed it if the text has
 * locations. */
#ifndef TUTTI_HLO_H
#define TUTTI_HLO_H

#include "../op/op.h"

/* Reads the function @main (else the only public one) of a module. name: name of the text in messages. NULL with the
 * error set. Only the function is allocated in the arena; all else of the reading is freed. */
ir_fn *hlo_read(base_arena *, base_site name, const char *text);
/* The same function with all passes below applied, in this order: patterns become the primitives that they spell out.
 * Values do not depend on it. NULL with the error set. */
ir_fn *hlo_raise(base_arena *, const ir_fn *);
/* One pass alone; returns f itself if its pattern does not occur. found: number of occurrences; may be NULL.
 *   hlo_axis_index: a device's number, divided and reduced modulo a size: axis_index.
 *   hlo_threefry: JAX's cipher, as a loop of five iterations or unrolled: threefry2x32.
 *   hlo_random_bits: the cipher over counters of all positions: random_bits.
 *   hlo_row_sums: sums over dims of size 1, which separate the rows of softmax and of norms in their gradients.
 *   hlo_one_hot: one element of each row added to zeros: an elementwise select.
 *   hlo_log_sums: logaddexp and logaddexp2: the same values, with JAX's derivative, which no text has.
 *   hlo_loops: counted loops: scan, so that they can be differentiated in reverse. Other loops are unchanged. */
typedef ir_fn *hlo_raising(base_arena *, const ir_fn *, int *found);
hlo_raising hlo_axis_index, hlo_threefry, hlo_random_bits, hlo_row_sums, hlo_one_hot, hlo_log_sums, hlo_loops;
/* The function as StableHLO text: one module with @main, in generic form. Primitives without a StableHLO operation are
 * lowered to others: scans to loops, sorts to sorts with comparators. NULL with the error set: a primitive has no
 * form. */
const char *hlo_write(base_arena *, const ir_fn *);
/* The same with what the caller knows in addition: layouts of arguments and results (NULL: unspecified), and which
 * arguments are donated. Each list, and each layout in it, may be NULL. by_axes: groups of devices are given by axes of
 * the mesh, as JAX prints them since 0.12; else by tables. spelled: for a compiler of an engine: linear algebra
 * is spelled out in operations of StableHLO, since it has no LAPACK, products of f32 have precision HIGHEST, and a mesh
 * has no list of devices, since the launch puts each partition on its device. */
typedef struct { const mesh_layout *const *in, *const *out; const bool *donate; bool by_axes, spelled; } hlo_borders;
const char *hlo_write_with(base_arena *, const ir_fn *, const hlo_borders *);

#endif
