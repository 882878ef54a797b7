/* driver/inner.h - what the files of this room share. */
#ifndef TUTTI_DRIVER_INNER_H
#define TUTTI_DRIVER_INNER_H

#include "driver.h"

#include <pthread.h>

/* compile.c: the pipeline itself. in[i], out[j]: layouts or NULL (in: whole; out: as it comes). NULL with the error
 * set. */
typedef struct {
    const mesh_layout *const *in, *const *out;
    const bool *donate;
    uint32_t flags;
    int64_t strict;
    const char *const *in_name, *const *out_name;
    const base_site *in_site;
    base_site site;
    bool eager, eager_piece;                             /* one equation; a few, of an eager call */
} driver_config;
/* ensemble.c: a plan of one device that runs member by member; NULL, without an error: the function is none for that.
 * It is simplified and, to be one, on no mesh. donate: as of ir_fn. least: bytes of the arenas; tests want less. */
run_plan *driver_ensemble(base_arena *, base_arena *keep, const ir_fn *, const bool *donate, bool reproducible);
extern int64_t driver_ensemble_least;
driver_config driver_config_of(const driver_opts *);     /* NULL: all by default */
run_program *driver_pipeline(const ir_fn *, const mesh *, const driver_config *);
int64_t driver_strict(int64_t bytes);                    /* or what TUTTI=strict says */
/* The mesh to run on: the function's, else that of the first argument that is on one. */
const mesh *driver_mesh(const ir_fn *, uint32_t n, const mesh_layout *const *in);

/* report.c, for budget.c too. Sums over a report; open: some exchange happens an unknown number of times. */
typedef struct { int count[SPMD_MIXED + 1], moving; double received, seconds; bool open; } driver_sum;
driver_sum  driver_sum_of(const spmd_report *);
const char *driver_bytes_text(base_arena *, double);     /* "12.5 KiB" */
const char *driver_time_text(base_arena *, double seconds);
const char *driver_truncate(base_arena *, const char *line, int columns); /* NULL: "an unknown line" */
void driver_name_met(const char *name, bool eager);      /* is compiled: does TUTTI=plan:NAME mean it? */

/* cache.c: programs by a key of words. Entries found or put are busy until released; of those that are not, `most` are
 * kept, and so many bytes: then the one goes that was released first. */
typedef struct driver_entry {
    struct driver_entry *next, *newer, *older;           /* newer, older: among those that are not busy */
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
/* NULL: error set */
driver_entry *driver_insert(driver_table *, uint64_t hash, const uint64_t *key, uint32_t nkey, run_program *);
void driver_release(driver_table *, driver_entry *);
void driver_clear(driver_table *);                       /* busy ones too: nobody runs them */
void driver_trim(driver_table *, size_t most, size_t most_bytes);
void driver_forget_eager(void), driver_trim_eager(void);
uint32_t driver_flags(uint32_t flags);                   /* with what the switches say */
/* Of all threads. */
extern struct driver_tally { _Atomic int64_t hits, misses, eager_hits, eager_misses, compile_ns; } driver_counted;
#define DRIVER_COUNT(what, n) atomic_fetch_add_explicit(&driver_counted.what, n, memory_order_relaxed)

#endif
