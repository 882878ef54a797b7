/* spmd/spmd.h - a global function on a mesh: which layout every value has, how every equation is sharded, what moves.
 *
 * Partitioning does not rewrite to local shapes: equations keep global types and get a cut of their factors; where an
 * operand is laid out otherwise than the sharding needs, a reshard equation is put before it.
 */
#ifndef TUTTI_SPMD_H
#define TUTTI_SPMD_H

#include "../op/op.h"

/* ---- what moves: the report that explain(), strict mode and the golden lists read ---- */

/* Why a value has an atom: the equation whose factor rule, wish or boundary brought it. */
typedef struct {
    base_site site;                                      /* the user's line */
    const char *cause;                                   /* "argument 0", "axes", "dot_general", "result 1", ... */
} spmd_origin;

typedef enum {
    SPMD_SLICE,                                          /* each device takes its part of what it has: nothing moves */
    SPMD_GATHER, SPMD_SCATTER, SPMD_REDUCE,              /* all-gather, reduce-scatter, all-reduce */
    SPMD_ALL_TO_ALL, SPMD_PERMUTE,                       /* an atom changes dims; owners change */
    SPMD_HALO,                                           /* a window's neighbours */
    SPMD_MIXED                                           /* several of these in one pass */
} spmd_kind;
extern const char *const spmd_kind_name[];               /* "slice", "all-gather", ...; NULL at the end */

typedef struct {                                         /* one exchange */
    spmd_kind kind;
    base_site site;                                      /* the user's line whose equation wants it */
    const char *why;                                     /* "operand 1 of dot_general" */
    const mesh_layout *from, *to; mesh_set over;         /* atoms that something crosses */
    int64_t bytes, moved;    /* of the global value; received by a device, at most, each time */
    int64_t times;                                       /* rounds of the loops around it; 0: not known */
    double seconds;                                      /* by the cost model, each time */
    bool left;                                           /* it stood in a loop that does not change it, and left it */
    bool requested; /* the user wrote this one: tt_shard, .out, a manual region's spec */
    spmd_origin from_origin, to_origin;                  /* who put the atoms there; who wants them otherwise */
    const char *fix;                                     /* what would avoid it, or NULL */
} spmd_note;

/* ---- the cost model: links by axis (mesh_axis.link names one) ---- */

typedef struct { double latency, per_byte; } spmd_link;  /* seconds per message, per byte received */
typedef struct {
    int nlink; const spmd_link *link;                    /* [mesh_axis.link]; NULL: all in process */
    double flop, byte;    /* seconds per floating operation, per byte touched, of a device */
} spmd_machine;
extern const spmd_machine spmd_in_process;

typedef struct {
    bool reproducible; /* floating sums are not sharded: bits do not depend on the mesh */
    bool even;    /* results left open are sharded as JAX's: whole axes, equal parts */
    int64_t strict;                                      /* an unasked gather of more bytes is an error; 0: none is */
    const char *const *in_name; const base_site *in_site;   /* [narg] what origins call arguments, and where; or NULL */
    const spmd_machine *machine;                         /* NULL: spmd_in_process */
} spmd_opts;
typedef struct { int n; const spmd_note *note; double propagate_s, choose_s; } spmd_report;

/* fn->layout of arguments is given: dims open or closed; NULL: open, nothing known. wanted[i] of returns, or NULL: as
 * propagation says. Fills every layout; arguments may have got one (the caller lays out what it passes). No partial is
 * returned. opts, report: or NULL. */
ir_fn *spmd_partition(base_arena *, const ir_fn *, const mesh_layout *const *wanted, const spmd_opts *, spmd_report *);

/* Explicit mode (explicit.c, explicit_regions.c): layouts of values from those of arguments, forward only, of the atoms
 * in `keep`; others are passed over. Where an equation's operands do not say how its result is laid out, the result is
 * open (NULL): a constraint may say it, and what else uses it is in error. SAY sets the error, which names the ways to
 * write it; TRY gives false without one; SETTLE, for equations that the user did not write (derivatives), leaves
 * nothing open: the first operand's word counts and sums are finished. */
typedef enum { SPMD_TRY, SPMD_REPORT, SPMD_SETTLE } spmd_strictness;
/* Equations [first, end) of f, in and out of l[id]. */
bool spmd_infer(base_arena *, const ir_fn *f, uint32_t first, uint32_t end, mesh_set keep, const mesh_layout **l,
                spmd_strictness);
/* False, with the error when it may be said: the value is open. */
bool spmd_infer_open(base_arena *, const ir_fn *f, mesh_set keep, const mesh_layout **l, ir_id, spmd_strictness);
bool spmd_infer_fn(base_arena *, const ir_fn *, mesh_set keep, const mesh_layout *const *in, const mesh_layout **ret,
                   spmd_strictness);
mesh_set spmd_explicit(const mesh *);                    /* atoms of explicit axes; mesh NULL: none */
const mesh_layout *spmd_only(const mesh *, int rank, const mesh_layout *, mesh_set keep);  /* those atoms of its dims */

#endif
