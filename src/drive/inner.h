/* drive/inner.h - what the files of this room share. */
#ifndef TUTTI_DRIVE_INNER_H
#define TUTTI_DRIVE_INNER_H

#include "drive.h"

#include <pthread.h>

/* compile.c: the road itself. in[i], out[j]: layouts or NULL (in: whole; out: as it comes). NULL with the error set. */
typedef struct {
    const mesh_layout *const *in, *const *out;
    const bool *donate;
    uint32_t flags;
    int64_t strict;
    const char *const *in_name, *const *out_name;
    const base_site *in_site;
    base_site site;
    bool eager, piece;                                   /* one equation; a few, of an eager call */
} drive_how;
/* members.c: a plan of one device that runs member by member; NULL, without an error: the function is none for that. It
 * is simplified and, to be one, on no mesh. donate: as of ir_fn. least: bytes of the arenas; tests want less. */
run_plan *drive_members(base_arena *, base_arena *keep, const ir_fn *, const bool *donate, bool reproducible);
extern int64_t drive_members_least;
drive_how drive_how_of(const drive_opts *);              /* NULL: all by default */
run_program *drive_road(const ir_fn *, const mesh *, const drive_how *);
int64_t drive_strict(int64_t bytes);                     /* or what TUTTI=strict says */
/* The mesh to run on: the function's, else that of the first argument that lies on one. */
const mesh *drive_mesh(const ir_fn *, uint32_t n, const mesh_layout *const *in);

/* report.c, for budget.c too. Sums over a report; open: some exchange happens an unknown number of times. */
typedef struct { int count[SPMD_MIXED + 1], moving; double received, seconds; bool open; } drive_sum;
drive_sum   drive_sum_of(const spmd_report *);
const char *drive_bytes_text(base_arena *, double);      /* "12.5 KiB" */
const char *drive_time_text(base_arena *, double seconds);
const char *drive_cut(base_arena *, const char *line, int columns);     /* NULL: "an unknown line" */
void drive_name_met(const char *name, bool eager);       /* is compiled: does TUTTI=plan:NAME mean it? */

/* cache.c: programs by a key of words. Entries found or put are busy until released; of those that are not, `most` are
 * kept, and so many bytes: then the one goes that was released first. */
typedef struct drive_entry {
    struct drive_entry *next, *newer, *older;            /* newer, older: among those that are not busy */
    uint64_t hash, *key; uint32_t nkey;
    int busy;
    run_program *program;
} drive_entry;
typedef struct {
    pthread_mutex_t lock;
    drive_entry **slot; size_t room, used, most, most_bytes;
    size_t idle, idle_bytes;
    drive_entry *oldest, *newest;
} drive_table;
drive_entry *drive_find(drive_table *, uint64_t hash, const uint64_t *key, uint32_t nkey);
/* NULL: error set */
drive_entry *drive_put(drive_table *, uint64_t hash, const uint64_t *key, uint32_t nkey, run_program *);
void drive_release(drive_table *, drive_entry *);
void drive_clear(drive_table *);                         /* busy ones too: nobody runs them */
void drive_trim(drive_table *, size_t most, size_t most_bytes);
void drive_forget_eager(void), drive_trim_eager(void);
uint32_t drive_flags(uint32_t flags);                    /* with what the switches say */
/* Of all threads. */
extern struct drive_tally { _Atomic int64_t hits, misses, eager_hits, eager_misses, compile_ns; } drive_counted;
#define DRIVE_COUNT(what, n) atomic_fetch_add_explicit(&drive_counted.what, n, memory_order_relaxed)

#endif
