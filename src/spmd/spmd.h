/* spmd/spmd.h - partitions a global function over a mesh: the layout of every value, the sharding of every equation,
 * the exchanges.
 *
 * Partitioning does not rewrite to local shapes: equations keep global types and get a factor sharding; where the
 * layout of an operand differs from the one that the factor sharding needs, a reshard equation is inserted. */
#ifndef TUTTI_SPMD_H
#define TUTTI_SPMD_H

#include "../op/op.h"

/* ---- notes on exchanges: the report that explain(), strict mode and the golden lists read ---- */

/* Why a value is sharded by an atom: the argument, constraint, result or equation where the atom was first given. */
typedef struct {
    base_site site;                                      /* the user's line */
    const char *cause;                                   /* "argument 0", "axes", "dot_general", "result 1", ... */
} spmd_origin;

typedef enum {
    SPMD_SLICE,                                          /* each device takes a part of its own shard: nothing moves */
    SPMD_GATHER, SPMD_SCATTER, SPMD_REDUCE,              /* all-gather, reduce-scatter, all-reduce */
    SPMD_ALL_TO_ALL, SPMD_PERMUTE,                       /* an atom changes dims; owners change */
    SPMD_HALO,                                           /* neighbours' elements that a window reads */
    SPMD_MIXED                                           /* several of these kinds in one pass */
} spmd_kind;
extern const char *const spmd_kind_name[];               /* "slice", "all-gather", ...; NULL at the end */

typedef struct {                                         /* one exchange */
    spmd_kind kind;
    base_site site;                                      /* the user's line whose equation needs the exchange */
    const char *why;                                     /* "operand 1 of dot_general" */
    const mesh_layout *from, *to; mesh_set over;         /* atoms along which data moves */
    int64_t bytes, moved;                                /* of the global value; most received by one device, each
                                                            time */
    int64_t times;                                       /* iterations of the enclosing loops; 0: not known */
    double seconds;                                      /* by the cost model, each time */
    int64_t between; double between_seconds;             /* of moved and seconds: from other hosts */
    bool left;                                           /* hoisted out of a loop in which it is invariant */
    bool requested;                                      /* by the user: tt_shard, .out, a manual region's spec */
    spmd_origin from_origin, to_origin;                  /* of an atom of the source and of the target layout */
    const char *fix;                                     /* a change that avoids the exchange, or NULL */
} spmd_note;

/* ---- the cost model: links by axis (mesh_axis.link names one) ---- */

typedef struct { double latency, per_byte; } spmd_link;  /* seconds per message, per byte received */
typedef struct {
    int nlink; const spmd_link *link;                    /* [mesh_axis.link]; NULL: all in process */
    mesh_set far;                                        /* atoms along which data leaves a host: link 1 */
    double flop, byte;                                   /* seconds per floating-point operation, per byte touched, of
                                                            a device */
} spmd_machine;
extern const spmd_machine spmd_in_process;

typedef struct {
    bool reproducible;                                   /* floating-point sums are not sharded: bits do not depend on
                                                            the mesh */
    bool even;                                           /* results without a requested layout are sharded as in JAX:
                                                            by complete axes, into equal parts */
    bool apart;                                          /* each device computes apart: equations are sharded only
                                                            so that spmd_localize has a form for them */
    int64_t strict;                                      /* a gather of more bytes not requested: error; 0: no limit */
    const char *const *in_name; const base_site *in_site;   /* [narg] names, sites of arguments in origins; or NULL */
    const spmd_machine *machine;                         /* NULL: spmd_in_process */
} spmd_opts;
typedef struct { int n; const spmd_note *note; double propagate_s, choose_s; } spmd_report;

/* Partitions fn. fn->layout of an argument: the given layout, dims open or closed; NULL: all dims open. requested[i]:
 * the layout of return i; NULL: propagation decides. Fills every layout; an argument without a given layout may get
 * one, and the caller then lays out the array that it passes in this layout. No result is a partial sum. opts and
 * report may be NULL. */
ir_fn *spmd_partition(base_arena *, const ir_fn *, const mesh_layout *const *requested, const spmd_opts *,
                      spmd_report *);

/* The partitioned function as what one device computes (local/): a function of the same types whose only equation is an
 * unchecked manual region over all axes of a mesh with one axis for each atom. layout is set for arguments and
 * results. A dim in parts of different sizes is as long as the blocks of all devices, each of the size of the largest
 * part. NULL with the error TT_EENGINE set: an equation has no local form. */
ir_fn *spmd_localize(base_arena *, const ir_fn *partitioned);

/* Explicit mode (explicit.c, explicit_regions.c): infers layouts from those of arguments, forward only, of the atoms in
 * `keep`; other atoms are ignored. If the layouts of an equation's operands do not determine the result's, the result
 * is open (NULL): a constraint may give its layout, any other use is an error.
 * - SPMD_REPORT sets the error, which names the ways to give the layout;
 * - SPMD_TRY returns false without an error;
 * - SPMD_SETTLE, for equations that the user did not write (derivatives), leaves nothing open: the first operand's
 *   layout is taken, and sums are reduced. */
typedef enum { SPMD_TRY, SPMD_REPORT, SPMD_SETTLE } spmd_strictness;
/* Infers the layouts of equations [first, end) of f; reads and writes l[id]. */
bool spmd_infer(base_arena *, const ir_fn *f, uint32_t first, uint32_t end, mesh_set keep, const mesh_layout **l,
                spmd_strictness);
/* Returns false if the value is open; if the strictness is SPMD_REPORT, the error is set. */
bool spmd_infer_open(base_arena *, const ir_fn *f, mesh_set keep, const mesh_layout **l, ir_id, spmd_strictness);
bool spmd_infer_fn(base_arena *, const ir_fn *, mesh_set keep, const mesh_layout *const *in, const mesh_layout **ret,
                   spmd_strictness);
mesh_set spmd_explicit(const mesh *);                    /* atoms of explicit axes; mesh NULL: none */
const mesh_layout *spmd_only(const mesh *, int rank, const mesh_layout *, mesh_set keep);  /* those atoms of dims */

#endif
