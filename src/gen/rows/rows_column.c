/* gen/rows/rows_column.c - column sums in a kernel over rows: gradients of scales and shifts, computed with those of
 * the rows.
 *
 * The bits are gen_reduce's: row i of a part is added in lane i mod 32, lanes are joined as a tree of halves, parts
 * pair by pair, and the result is init op that sum (reduce.h). So lanes can be summed separately: a tile takes some
 * lanes of a part and goes through their rows; `finish` joins the lanes. Not used in reproducible mode, whose sums are
 * trees. */
#include "../copy.h"
#include "rows_stages.h"

#include <string.h>

enum { BLOCK = 1 << 14 };                                /* elements of a tile, and of a block of the stages */

rows_lanes rows_lanes_of(const rows_self *r, int64_t rows)
{
    rows_lanes l = { .rows = rows, .n = 1, .split = REDUCE_LANES };
    for (int d = r->kept; d < r->full->rank; d++) l.n *= r->full->dim[d];
    l.parts = rows && l.n ? reduce_parts_of(l.n, rows) : 1;
    while (l.split > 1 && rows * l.n < BLOCK * l.parts * l.split) l.split /= 2;
    return l;
}

int64_t rows_sum_bytes(tt_dtype d)
{
    return d == TT_BF16 || d == TT_F16 ? 4 : (int64_t)ir_dtype_of(d)->bytes;
}

static int64_t column_bytes(const rows_column *c, const rows_lanes *l)
{
    return base_round_up(l->parts * REDUCE_LANES * l->n * (int64_t)c->op->acc, BASE_CACHE_LINE);
}

int64_t rows_lanes_bytes(const rows_self *r, const rows_lanes *l)
{
    int64_t all = 0;
    for (uint32_t c = 0; c < r->ncolumn; c++) all += column_bytes(&r->column[c], l);
    return all;
}

static char *lane_at(const rows_self *r, const rows_lanes *l, char *shared, uint32_t column, int64_t part, int64_t lane)
{
    for (uint32_t c = 0; c < column; c++) shared += column_bytes(&r->column[c], l);
    return shared + (part * REDUCE_LANES + lane) * l->n * (int64_t)r->column[column].op->acc;
}

/* ---- adding rows to lanes ---- */

/* The elements of the row that begins at p, dense: in place, or copied to buffer. */
static const char *rows_column_dense(const rows_self *r, const ir_box *x, const char *p, int64_t n, char *buffer)
{
    const int last = r->full->rank - 1;
    const int64_t size = (int64_t)ir_dtype_of(x->dtype)->bytes, line = x->n[last];
    int64_t next = 1, i[IR_RANK] = { 0 };
    bool there = true;
    for (int d = last; d >= r->kept; next *= x->n[d--]) there &= x->n[d] == 1 || x->step[d] == next;
    if (there || !n) return p;
    for (int64_t k = 0; k < n; k += line) {
        int64_t at = 0;
        for (int d = r->kept; d < last; d++) at += i[d] * x->step[d];
        gen_copy_line(buffer + k * size, 1, p + at * size, x->step[last], line, (size_t)size);
        for (int d = last - 1; d >= r->kept && ++i[d] == x->n[d]; d--) i[d] = 0;
    }
    return buffer;
}

/* Adds the rows of a block of box x to consecutive lanes, the first of which is at `to`. */
static void add_down(const rows_self *r, const reduce_ops *op, const ir_box *x, const int64_t *lo, int64_t rows,
    char *to,
                     char *buffer)
{
    int64_t at = 0, n = 1;
    for (int d = 0; d < r->full->rank; d++) {
        if (d < r->kept) at += (lo[d] - x->lo[d]) * x->step[d];
        else at -= x->lo[d] * x->step[d], n *= r->full->dim[d];
    }
    for (int64_t i = 0; i < rows; i++, at += x->step[r->kept - 1]) {
        const char *p = (const char *)x->at + at * (int64_t)ir_dtype_of(x->dtype)->bytes;
        op->across(to + i * n * (int64_t)op->acc, rows_column_dense(r, x, p, n, buffer), n);
    }
}

void rows_lane_range(const rows_self *r, const rows_blocking *c, int64_t i, int64_t most, int64_t *lo, int64_t *n)
{
    int64_t inner = 1;
    for (int d = r->kept; d < r->full->rank; d++) inner *= r->full->dim[d];
    if (most * inner > BLOCK) most = inner < BLOCK ? BLOCK / inner : 1;
    for (int d = r->kept - 1; d >= 0; d--) {
        const int64_t size = c->instance.n[d] ? c->instance.n[d] : 1, k = i % size;
        lo[d] = c->instance.lo[d] + k, n[d] = 1, i /= size;
        if (d == r->kept - 1) n[d] = size - k < most ? size - k : most;
    }
}

/* sum: [result] capacity for the addresses of a lane's accumulators */
typedef struct {
    const rows_self *r; run_job job; const rows_blocking *c; gen_row_loop *loop;
    rows_lanes l; int64_t part, lane, lanes; char **sum;
} lane_tile;

static void set_sums(const lane_tile *t, int64_t lane)
{
    for (uint32_t j = 0; j < t->r->ncolumn; j++)
        t->sum[t->r->column[j].out] = lane_at(t->r, &t->l, t->job.shared, j, t->part, lane);
}

/* Adds rows i .. i + n in consecutive lanes, from t's first lane on. */
static void add_rows(const lane_tile *t, gen_row_block *b, int64_t i, int64_t n)
{
    const rows_self *r = t->r;
    for (int64_t k, lane = t->lane; n > 0; i += k, n -= k, lane += k) {
        rows_lane_range(r, t->c, i, n, b->lo, b->n);
        k = b->n[r->kept - 1];
        set_sums(t, lane);
        if (t->loop) {
            gen_row_run(r->code, t->loop, b, t->job.arg, t->job.scratch);
            continue;
        }
        char *made = rows_do_stages(r, &t->job, t->c, b->lo, b->n);
        for (uint32_t j = 0; j < r->ncolumn; j++) {
            const ir_box x = rows_box_of(r, &r->column[j].x, t->job.arg, t->c, b->lo, b->n, made);
            add_down(r, r->column[j].op, &x, b->lo, k, t->sum[r->column[j].out],
                     made + rows_buffer_at(r, t->c, b->lo, b->n, r->nbuffer));
        }
    }
}

/* Adds all rows of a lane, from lo on, by one call. Returns false if the rows are not evenly spaced. */
static bool add_lane(const lane_tile *t, gen_row_block *b, int64_t lane, int64_t lo, int64_t hi)
{
    for (int d = 0; d < t->r->kept; d++) b->lo[d] = t->c->instance.lo[d], b->n[d] = t->c->instance.n[d];
    b->first = lo + lane, b->every = REDUCE_LANES;
    b->count = hi > b->first ? (hi - b->first + REDUCE_LANES - 1) / REDUCE_LANES : 0;
    set_sums(t, lane);
    return gen_row_run(t->r->code, t->loop, b, t->job.arg, t->job.scratch);
}

static void run_tiles(const lane_tile *t)
{
    const rows_self *r = t->r;
    const int64_t lo = reduce_part_at(t->l.rows, t->part, t->l.parts);
    const int64_t hi = reduce_part_at(t->l.rows, t->part + 1, t->l.parts);
    gen_row_block b = { .kept = r->kept, .sum = t->sum };
    for (int d = r->kept; d < r->full->rank; d++) b.n[d] = r->full->dim[d];
    for (uint32_t j = 0; j < r->ncolumn; j++)
        r->column[j].op->clear(lane_at(r, &t->l, t->job.shared, j, t->part, t->lane), t->lanes * t->l.n);
    bool even = t->loop != NULL;
    for (int64_t k = 0; k < t->lanes && even; k++) even = add_lane(t, &b, t->lane + k, lo, hi);
    if (even) return;
    b.every = 0, b.lanes = true;
    for (int64_t i = lo + t->lane; i < hi; i += REDUCE_LANES) add_rows(t, &b, i, hi - i < t->lanes ? hi - i : t->lanes);
}

void rows_run_lanes(const rows_self *r, const run_job *job, const rows_blocking *c, gen_row_loop *loop)
{
    int64_t rows = c->count ? 1 : 0;
    for (int d = 0; d < r->kept; d++) rows *= c->instance.n[d];
    lane_tile t = { .r = r, .job = *job, .c = c, .loop = loop, .l = rows_lanes_of(r, rows), .sum = job->scratch };
    t.job.scratch = (char *)job->scratch + base_round_up(r->nout * (int64_t)sizeof(char *), BASE_CACHE_LINE);
    const int64_t end = job->first + job->count;
    for (int64_t i = job->first, k; i < end; i += k) {   /* tiles of one part at once: their rows are adjacent */
        t.part = i / t.l.split, k = t.l.split - i % t.l.split;
        if (k > end - i) k = end - i;
        t.lane = i % t.l.split * (REDUCE_LANES / t.l.split), t.lanes = k * (REDUCE_LANES / t.l.split);
        run_tiles(&t);
    }
}

/* ---- joining lanes and parts ---- */

/* Stores n accumulators in a result's box, line by line. */
static void store_accumulators(const rows_column *c, const ir_box *y, const void *init, const char *acc, int64_t n)
{
    const int last = y->rank - 1;
    const int64_t line = y->n[last];
    int64_t i[IR_RANK] = { 0 };
    for (int64_t k = 0; k < n; k += line) {
        int64_t at = 0;
        for (int d = 0; d < last; d++) at += i[d] * y->step[d];
        c->op->finish((char *)y->at + at * (int64_t)ir_dtype_of(y->dtype)->bytes, y->step[last],
                      acc + k * (int64_t)c->op->acc, init, line);
        for (int d = last - 1; d >= 0 && ++i[d] == y->n[d]; d--) i[d] = 0;
    }
}

void rows_store_sums(const rows_self *r, const rows_lanes *l, const ir_box *arg, char *shared)
{
    for (uint32_t k = 0; k < r->ncolumn; k++) {
        const rows_column *c = &r->column[k];
        const void *init = c->init.space == ROWS_CONSTANT ? c->init.data : arg[c->init.at].at;
        char *const acc = lane_at(r, l, shared, k, 0, 0);
        const int64_t part = REDUCE_LANES * l->n * (int64_t)c->op->acc;
        for (int64_t p = 0; p < l->parts; p++) reduce_join(c->op, acc + p * part, l->n);
        reduce_merge_parts(c->op, acc, part, l->parts, l->n);
        store_accumulators(c, &arg[r->nin + c->out], init, acc, l->n);
    }
}
