/* gen/tile/tile_run.h - shared by tile_run.c and tile_fused.c: a job of a tile program while it runs. Small functions
 * are inline, since tiles may be short. */
#ifndef TUTTI_GEN_TILE_RUN_H
#define TUTTI_GEN_TILE_RUN_H

#include "tile.h"

typedef struct {
    const gen_tile_code *c;
    const gen_line *line;                                /* the views of operands and results */
    char **start;                                        /* [view]: its first element */
    /* [out]: written in place at once; past the caches; in place if a complete line of the last dim is written */
    bool *direct, *streams, *lined;
    void **at; op_word *k; char *slots;
} gen_tile_state;

static inline const gen_view *gen_tile_out(const gen_tile_state *s, int j) { return &s->line->view[s->c->nread + j]; }
static inline char *gen_tile_at(const gen_tile_state *s, const gen_view *v) { return s->start[v - s->line->view]; }
static inline char *gen_tile_result(const gen_tile_state *s, int j, int64_t p)
{
    return gen_tile_at(s, gen_tile_out(s, j)) + p * gen_tile_out(s, j)->size;
}

/* In tile_run.c: gen_tile_walk moves elements [p, p + n) of the line from a view to a slot or back; gen_tile_store
 * stores n elements of result j, also past the caches. */
typedef enum { GEN_GATHER, GEN_SCATTER, GEN_INDICES } gen_tile_move;
void gen_tile_walk(const gen_tile_state *, const gen_view *, gen_tile_move, char *slot, int64_t p, int64_t n);
void gen_tile_store(const gen_tile_state *, int j, char *slot, int64_t p, int64_t n);

/* In tile_fused.c: runs the part [begin, end) of the line by a compiled loop. */
void gen_tile_fused(gen_tile_state *, gen_fused_loop *, int64_t begin, int64_t end);

#endif
