/* driver/driver.h - the pipeline as straight calls: simplify, decompose, partition, plan, bind, launch; and its caches.
 * The only room that includes the complete compiler. */
#ifndef TUTTI_DRIVER_H
#define TUTTI_DRIVER_H

#include "../op/op.h"
#include "../run/run.h"
#include "../spmd/spmd.h"

/* DRY: set by driver_flags(), see run_dry(). From bit ENGINE_AT on: the number of the engine in force. */
enum { DRIVER_REPRODUCIBLE = 1, DRIVER_DRY = 2, DRIVER_EVEN = 4, DRIVER_ENGINE_AT = 8 };
typedef struct {
    /* layouts of arguments, requested layouts of results; NULL: as they come */
    const mesh_layout *const *in, *const *out;
    const bool *donate;                                  /* [narg] or NULL */
    uint32_t flags;
    bool once;                                           /* not kept in the cache */
    bool piece;   /* part of an eager call: reports mention it only if it moves data */
    const char *const *in_name, *const *out_name;   /* names of arguments and results in reports; NULL: by number */
    const base_site *in_site;                            /* sites where the arguments were created */
    base_site site;                                      /* site of the transform, for messages about the function */
    int64_t strict;                                      /* as in spmd_opts; 0: TUTTI=strict; -1: no limit */
} driver_opts;
/* Compiles (cached by ir_hash, layouts, mesh, flags). The program belongs to the cache: it is valid until it is
 * released as often as it was compiled, or until driver_forget(). */
run_program *driver_compile(const ir_fn *, const driver_opts *);
void driver_release_program(run_program *);              /* NULL is allowed */
/* Runs the pipeline without binding, so that no device's memory is touched and the cost does not depend on the number
 * of devices: returns the partitioned function, the report of exchanges, and with `plan` the plan. All of it is
 * allocated in the arena. False with the error set. */
typedef struct {
    const ir_fn *fn; spmd_report report; const run_plan *plan;
    const char *needs;                                   /* what the library of the engine in force says of memory */
} driver_lowered;
bool driver_lower(base_arena *, const ir_fn *, const driver_opts *, bool plan, driver_lowered *);
/* Texts of a lowered function, at most 80 columns except for names: exchanges and their reasons (report.c); memory and
 * communication of a device (budget.c). */
const char *driver_explain_text(base_arena *, const driver_lowered *);
const char *driver_budget_text(base_arena *, const driver_lowered *);
/* Compiles and runs. in[] in order of fn's arguments; out[] new references. consumed as in run_launch. */
bool driver_run(const ir_fn *, const driver_opts *, run_array *const *in, const bool *consumed, run_array **out);
/* An eager call: one equation, cached by (primitive, attributes, types, layouts). out has space for nout arrays; *nout
 * is set. sub: regions (reducers). The primitive's type rule gives the result types. */
bool driver_one(base_site, const op_prim *, const void *attr, uint32_t n, run_array *const *in, uint32_t nsub,
                ir_fn *const *sub, run_array **out, uint32_t *nout);
void driver_forget(void);                                /* drops the caches; for tests and tt_done */
/* False with the error set if TUTTI=ir:NAME, hlo:NAME or plan:NAME was given and no function had the name. */
bool driver_names_met(void);
void driver_forget_idle(void);                           /* drops cached programs that are neither running nor held */
typedef struct { int64_t programs, hits, misses, eager_hits, eager_misses; double trace_s, compile_s; } driver_counts;
driver_counts driver_count(void);

#endif
