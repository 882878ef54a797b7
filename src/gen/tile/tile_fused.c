/* gen/tile/tile_fused.c - runs a tile program by its compiled loop instead of the steps.
 *
 * A scalar program that has run over millions of elements is compiled in the background, if the plug-in is there
 * (tile_hot.c); the loop gives the same bits. The loop takes any number of elements at once, so dense operands and
 * results need no tiles; only those that must be gathered, or padded to a grain, pass through slots as in
 * tile_run.c. */
#include "tile_run.h"

/* The address of elements [p, p + m) if they are dense in place, for example a bias along a row; else NULL. */
static char *there(const gen_tile_state *s, const gen_view *v, int64_t p, int64_t m)
{
    const gen_line *l = s->line;
    const int last = l->rank - 1;
    int64_t at = 0;
    if (v->dense) return gen_tile_at(s, v) + p * v->size;
    if (last < 0 || v->step[last] != 1 || p % l->n[last] + m > l->n[last]) return NULL;
    for (int d = last; d >= 0; p /= l->n[d--]) at += p % l->n[d] * v->step[d];
    return gen_tile_at(s, v) + at * v->size;
}

/* Stores in slot a counter's first value and its step, for elements [p, ..) of the line as far as one step is
 * enough. */
static void *count_from(const gen_tile_state *s, const gen_view *v, int64_t p, char *slot)
{
    int64_t *const first = (int64_t *)(void *)slot;
    const gen_line *l = s->line;
    const int last = l->rank - 1;
    first[0] = v->first, first[1] = last < 0 ? 0 : v->step[last];
    for (int d = last; d >= 0; p /= l->n[d--]) first[0] += p % l->n[d] * v->step[d];
    return slot;
}

/* lines: a complete line of the last dim, or the end of one, whose length is a multiple of a grain. */
static void fused_tile(gen_tile_state *s, gen_fused_loop *loop, int64_t p, int64_t m, bool lines)
{
    const gen_tile_code *c = s->c;
    const int64_t n = base_round_up(m, GEN_GRAIN);
    for (int i = 0; i < c->nread; i++) {
        const gen_view *v = &s->line->view[i];
        const op_reg r = c->read[i].reg;
        if (c->read[i].uniform) continue;
        if (gen_is_counter(c, &c->read[i])) {
            s->at[r] = count_from(s, v, p, s->slots + c->own[r] * c->tile);
            continue;
        }
        char *const at = n == m && c->read[i].in >= 0 ? there(s, v, p, m) : NULL;
        s->at[r] = at ? at : s->slots + c->own[r] * c->tile;
        if (!at) gen_tile_walk(s, v, c->read[i].in < 0 ? GEN_INDICES : GEN_GATHER, s->at[r], p, m);
    }
    for (int j = 0; j < c->nout; j++) {
        const op_reg r = c->out[j].reg;
        s->at[r] = lines ? there(s, gen_tile_out(s, j), p, m) : s->direct[j] && n == m ? gen_tile_result(s, j, p)
                                                              : s->slots + c->own[r] * c->tile;
    }
    loop(s->at, s->k, n);
    for (int j = 0; j < c->nout && !lines; j++)
        if (!s->direct[j] || n != m) gen_tile_store(s, j, s->at[c->out[j].reg], p, m);
}

enum { LINE = 4 * GEN_GRAIN };                           /* least elements that are worth a call of the loop */

/* Takes the complete range at once if every view is dense, or complete lines of the last dim; else tile by tile. */
void gen_tile_fused(gen_tile_state *s, gen_fused_loop *loop, int64_t begin, int64_t end)
{
    const gen_tile_code *c = s->c;
    const int last = s->line->rank - 1;
    int64_t p = begin, most = (end - begin) / GEN_GRAIN * GEN_GRAIN, n;
    bool even = true;                                    /* false: counters restart with each line of the last dim */
    bool lines = last >= 0 && s->line->n[last] >= LINE && s->line->n[last] % GEN_GRAIN == 0;
    for (int i = 0; i < c->nread; i++) {
        const bool counter = gen_is_counter(c, &c->read[i]);
        if (!c->read[i].uniform && !s->line->view[i].dense && !counter)
            most = 0, lines &= c->read[i].in >= 0 && s->line->view[i].step[last] == 1;
        even &= !counter || s->line->view[i].even;
    }
    for (int j = 0; j < c->nout; j++) {
        if (!s->direct[j]) most = 0;
        lines &= s->lined[j];
    }
    if (most && even) fused_tile(s, loop, p, most, false), p += most;
    for (; p < end; p += n) {
        const bool cut = lines || !even;
        const int64_t line = cut ? s->line->n[last] : end, left = line - (cut ? p % line : p);
        n = end - p < left ? end - p : left;
        if (n > c->tile && !lines) n = c->tile;
        fused_tile(s, loop, p, n, lines);
    }
}
