/* driver/driver.h - the pipeline as straight calls: simplify, partition, decompose, plan, bind, launch; and its caches.
 * The only room that includes all the compiler. */
#ifndef TUTTI_DRIVER_H
#define TUTTI_DRIVER_H

#include "../op/op.h"
#include "../run/run.h"
#include "../spmd/spmd.h"

enum { DRIVER_REPRODUCIBLE = 1, DRIVER_DRY = 2, DRIVER_EVEN = 4 };       /* DRY: set by drive itself, see run_dry() */
typedef struct {
    const mesh_layout *const *in, *const *out;  /* layouts of arguments and wanted of results; NULL: as they come */
    const bool *donate;                                  /* [narg] or NULL */
    uint32_t flags;
    bool once;                                           /* not worth keeping in the cache */
    bool piece; /* an eager call's: reports speak of it only when it moves something */
    const char *const *in_name, *const *out_name;        /* what reports call arguments and results; NULL: by number */
    const base_site *in_site;                            /* and where the arguments were made */
    base_site site;                                      /* of the transform, for what is said of the whole */
    int64_t strict;                                      /* as in spmd_opts; 0: as TUTTI=strict says */
} driver_opts;
/* Compiles (cached by ir_hash, layouts, mesh, flags). The program belongs to the cache: valid until it is let go as
 * often as it was compiled, or until driver_forget(). */
run_program *driver_compile(const ir_fn *, const driver_opts *);
void driver_release_program(run_program *);              /* NULL: nothing */
/* Runs the pipeline without binding, so that no device's memory is touched and the number of devices costs nothing: the
 * partitioned function, what moves, and with `plan` the plan. All of it lives in the arena. False with the error
 * set. */
typedef struct { const ir_fn *fn; spmd_report report; const run_plan *plan; } driver_lowered;
bool driver_lower(base_arena *, const ir_fn *, const driver_opts *, bool plan, driver_lowered *);
/* Texts of a view, at most 80 columns but for names: what moves and why (report.c); memory and communication of a
 * device (budget.c). And their lines by kind, for programs that ask. */
const char *driver_explain_text(base_arena *, const driver_lowered *);
const char *driver_budget_text(base_arena *, const driver_lowered *);
/* Compiles and runs. in[] in order of fn's arguments; out[] new references. consumed as in run_launch. */
bool driver_run(const ir_fn *, const driver_opts *, run_array *const *in, const bool *consumed, run_array **out);
/* An eager call: one equation, cached by (primitive, attributes, types, layouts). out has space for nout arrays; nout
 * returned by *nout. Regions (reducers) in sub. Types of results as the row infers. */
bool driver_one(base_site, const op_prim *, const void *attr, uint32_t n, run_array *const *in, uint32_t nsub,
                ir_fn *const *sub, run_array **out, uint32_t *nout);
void driver_forget(void);                                /* drops the caches; tests and tt_done use it */
/* False with the error set: TUTTI=ir:NAME, hlo:NAME or plan:NAME, and no function had the name. */
bool driver_names_met(void);
void driver_forget_idle(void);                           /* what nobody runs nor holds */
typedef struct { int64_t programs, hits, misses, eager_hits, eager_misses; double trace_s, compile_s; } driver_counts;
driver_counts driver_count(void);

#endif
