/* driver/inner.h - declarations shared by the files of src/driver. */
#ifndef TUTTI_DRIVER_INNER_H
#define TUTTI_DRIVER_INNER_H

#include "driver.h"

#include <pthread.h>
#include <stdatomic.h>

/* compile.c: the pipeline itself. in[i], out[j]: layouts or NULL (in: replicated; out: chosen by propagation). NULL
 * with the error set. */
typedef struct {
    const mesh_layout *const *in, *const *out;
    const bool *donate;
    uint32_t flags;
    int64_t strict;
    const char *const *in_name, *const *out_name;
    const base_site *in_site;
    base_site site;
    bool eager, eager_piece;                             /* one equation; a few equations of an eager call */
} driver_config;
/* ensemble.c: a single-device plan that runs member by member; NULL, without an error, if the function does not suit.
 * The function is simplified and, to suit, on no mesh. donate: as in ir_fn. driver_ensemble_least: bytes of the arenas;
 * tests lower it. */
run_plan *driver_ensemble(base_arena *, base_arena *keep, const ir_fn *, const bool *donate, bool reproducible);
extern int64_t driver_ensemble_least;
driver_config driver_config_of(const driver_opts *);     /* NULL: all defaults */
run_program *driver_pipeline(const ir_fn *, const mesh *, const driver_config *);
/* constants.c: the function's large constants become arguments behind its own, replicated, for an engine outside this
 * process; the configuration is extended by them. False with the error set. */
typedef struct { uint32_t n; const void *const *data; } driver_constants;    /* data: dense elements, interned */
bool driver_constants_out(base_arena *, const ir_fn **, const driver_config **, driver_constants *);
/* there.c: for engines outside this process. The plan has arguments and results, in the layouts of the partitioned
 * function `placed`, and no step. NULL with the error set. */
/* False with the error set, of an equation's line: the engine's library lacks the elements of one of its values. */
bool driver_there_types(run_engine *, base_site, const ir_fn *);
run_plan *driver_there_plan(base_arena *, base_arena *keep, const mesh *, const ir_fn *placed);
const char *driver_there_text(base_arena *, base_site, const mesh *, const ir_fn *traced, const ir_fn *placed,
                              const char *why);
/* The partitioned function itself as text: one manual computation with its collectives. NULL: it is on one device, or,
 * with a note in the log, an equation has no local form: *why is set, which the other form's errors tell. */
const char *driver_there_planned(base_arena *, base_site, const ir_fn *placed, const char **why);
/* hosts.c: the machine to plan for; NULL: one host. A word that is another one where the machine is. */
const spmd_machine *driver_machine(base_arena *, const mesh *);
uint64_t driver_machine_key(void);
/* True unless TUTTI=hosts:N does not divide the devices of the mesh (NULL: one device); else sets the error. */
bool driver_hosts_divide(const mesh *);
int64_t driver_strict(int64_t bytes);                    /* bytes, or if 0 the value of TUTTI=strict */
/* The mesh to run on: the function's, otherwise that of the first argument that is on one. */
const mesh *driver_mesh(const ir_fn *, uint32_t n, const mesh_layout *const *in);

/* report.c, for budget.c too. Sums over a report; open: some exchange is executed an unknown number of times. */
typedef struct {
    int count[SPMD_MIXED + 1], moving; double received, seconds, between, between_seconds; bool open;
} driver_sum;
/* ", 441.0 KiB of them in 95.0 us from other hosts"; "": none */
const char *driver_between_text(base_arena *, double bytes, double seconds);
driver_sum  driver_sum_of(const spmd_report *);
const char *driver_time_text(base_arena *, double seconds);
const char *driver_truncate(base_arena *, const char *line, int columns); /* NULL: "an unknown line" */
/* records that the function is compiled, for names in TUTTI=plan:NAME and the like */
void driver_name_met(const char *name, bool eager);

/* cache.c: programs by a key of words. Entries that were found or inserted are busy until released; of the idle ones,
 * at most `most` are kept, and at most `most_bytes` bytes: beyond that the least recently released is evicted. */
typedef struct driver_entry {
    struct driver_entry *next, *newer, *older;           /* newer, older: list of idle entries */
    uint64_t hash, *key; uint32_t nkey;
    int busy;
    run_program *program;
} driver_entry;
typedef struct {
    pthread_mutex_t lock;
    driver_entry **slot; size_t cap, used, most, most_bytes;
    size_t idle, idle_bytes;
    driver_entry *oldest, *newest;
} driver_table;
driver_entry *driver_find(driver_table *, uint64_t hash, const uint64_t *key, uint32_t nkey);
/* NULL with the error set */
driver_entry *driver_insert(driver_table *, uint64_t hash, const uint64_t *key, uint32_t nkey, run_program *);
void driver_release(driver_table *, driver_entry *);
void driver_clear(driver_table *);                       /* busy entries too; none may be running */
void driver_trim(driver_table *, size_t most, size_t most_bytes);
void driver_forget_eager(void), driver_trim_eager(void);
/* Adds the flags of the switches: those of driver.h, and checks that name the user's line. */
enum { DRIVER_BOUNDS = 8, DRIVER_NAN = 16, DRIVER_INF = 32, DRIVER_PLANNED = 64,
       DRIVER_CHECKS = DRIVER_BOUNDS | DRIVER_NAN | DRIVER_INF };
uint32_t driver_flags(uint32_t flags);
/* For keys of caches: a hash of the lines of all equations, if an error may name one of them while the program runs;
 * else 0. */
uint64_t driver_lines(const ir_fn *, uint32_t flags);
/* Totals over all threads. */
extern struct driver_tally { _Atomic int64_t hits, misses, eager_hits, eager_misses, compile_ns; } driver_counted;
#define DRIVER_COUNT(what, n) atomic_fetch_add_explicit(&driver_counted.what, n, memory_order_relaxed)

#endif
