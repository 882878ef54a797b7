/* gen/llvm/rows.c - the scalar program of a group over rows as a function: for each row, several passes over its
 * elements.
 *
 * A pass computes the values that depend on reductions of earlier passes only, and reduces the operands of its
 * reductions (row_reduce.c). A full value that a later pass needs is recomputed if it is cheap, else stored in a buffer
 * of one row. A pass takes 32 elements per iteration; the elements after the last complete 32 are done once, under
 * masks. The length of a row is known, since reduced dims are never split (plan/fuse/rows.c): without a complete 32
 * there is no loop, and without a remainder no masked code. The length itself is an argument. While a pass computes, it
 * prefetches the lines that later rows read and write.
 *
 * Longer than 400 lines: all functions write parts of one LLVM function, and share its registers and buffers. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

enum { CHEAP = 6, MOST_BUFFERS = GEN_ROW_BYTES / 8, MOST_SUMS = 192 };
enum { AHEAD = 4096, MOST_PASSES = 8 };                  /* least bytes prefetched ahead */

/* ---- passes ---- */

static int rows_operands(const op_inst *i, op_reg x[3])
{
    const bool leaf = i->code == OP_CONST || i->code == OP_INPUT || i->code == OP_INDEX;
    const bool unary = i->code == OP_CONVERT || i->code == OP_BITCAST;
    x[0] = i->a, x[1] = unary ? 0 : i->b, x[2] = unary ? 0 : i->c;
    return leaf ? 0 : 3;
}

static void set_passes(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const gen_row_prog *t = s->t;
    for (int r = 1; r < w->c->prog->n; r++) {
        op_reg x[3];
        const int n = rows_operands(&w->inst[r], x);
        for (int k = 0; k < n; k++) if (x[k] && s->pass_of[x[k]] > s->pass_of[r]) s->pass_of[r] = s->pass_of[x[k]];
        for (int k = 0; k < t->nreduce; k++) if (t->reduce[k].y == r) s->pass_of[r] = s->pass_of[t->reduce[k].x] + 1;
    }
    for (int k = 0; k < t->nreduce; k++)
        if (s->pass_of[t->reduce[k].x] >= s->npass) s->npass = s->pass_of[t->reduce[k].x] + 1;
    for (int j = 0; j < w->c->nout; j++)
        if (t->full[j] && s->pass_of[w->c->out[j].reg] >= s->npass) s->npass = s->pass_of[w->c->out[j].reg] + 1;
}

/* Assigns buffers to the values that a later pass needs and that are not cheap to recompute. */
static void assign_buffers(llvm_writer *w)
{
    llvm_rows *s = w->rows;
    const int n = w->c->prog->n;
    int *cost = calloc((size_t)n, sizeof *cost);
    bool *later = calloc((size_t)n, sizeof *later);
    if (!cost || !later) w->why = "out of memory";
    for (int r = 1; r < n && !w->why; r++) {
        op_reg x[3];
        const int m = rows_operands(&w->inst[r], x);
        for (int k = 0; k < m; k++)
            if (x[k] && s->t->reach[x[k]] == GEN_FULL && s->pass_of[x[k]] < s->pass_of[r]) later[x[k]] = true;
    }
    for (int r = 1; r < n && !w->why; r++) {
        op_reg x[3];
        const int m = rows_operands(&w->inst[r], x);
        s->buffer[r] = -1;
        cost[r] = w->inst[r].code == OP_RANDOM32 || w->inst[r].code == OP_RANDOM64 ? 100 : 1;
        for (int k = 0; k < m; k++) if (x[k] && s->t->reach[x[k]] == GEN_FULL) cost[r] += cost[x[k]];
        if (cost[r] > 1000) cost[r] = 1000;
        if (!later[r] || cost[r] <= CHEAP || s->nbuffer == MOST_BUFFERS) continue;
        s->buffer[r] = s->nbuffer++;
        cost[r] = 1;
    }
    free(cost);
    free(later);
}

/* ---- a pass ---- */

/* The running values of all reductions of a pass: [part of 32 lanes][running value]. */
typedef struct { llvm_sum at[MOST_SUMS]; int n, stride; } sums;

static bool in_pass(const llvm_writer *w, op_reg r) { return w->rows->pass_of[r] == w->rows->pass; }

/* Writes the prefetches of a later row that this pass issues in part u of 32 lanes: those of the cache lines that begin
 * in the part. */
static void write_fetches(llvm_writer *w, int u)
{
    llvm_rows *s = w->rows;
    for (int v = 0; v < w->c->nread + w->c->nout; v++) {
        const bool read = v < w->c->nread;
        const op_reg r = read ? w->c->read[v].reg : w->c->out[v - w->c->nread].reg;
        const int slot = read ? r : w->c->nreg + v - w->c->nread;
        if (!s->ahead[slot] || s->fetch[slot] != s->pass) continue;
        if (read && s->npass < 3 && w->c->isa == GEN_AVX2) continue; /* the hardware prefetcher does as well */
        if (u * s->lanes * llvm_memory_bytes(w->inst[r].dtype) % BASE_CACHE_LINE) continue;
        const char *place = llvm_row_address(w, s->ahead[slot], w->inst[r].dtype);
        llvm_call_void(w, "prefetch.p0", "ptr, i32, i32, i32",
                       llvm_keep(w, "ptr %s, i32 %d, i32 3, i32 1", place, !read));
    }
}

/* Writes the work on 32 elements from `first` on: values stored in buffers, reductions, results. mask: [part], or
 * NULL. */
static void write_elements(llvm_writer *w, sums *all, const char *first, const char *const *mask)
{
    llvm_rows *s = w->rows;
    for (int u = 0; u < LLVM_ROW_LANES / s->lanes; u++) {
        llvm_sum *x = all->at + u * all->stride;
        s->element = llvm_line(w, "add i64 %s, %d", first, u * s->lanes);
        s->mask = mask ? mask[u] : NULL;
        for (int r = 1; r < w->c->prog->n; r++) {
            if (s->buffer[r] < 0 || !in_pass(w, (op_reg)r)) continue;
            llvm_row_store(w, llvm_value(w, (op_reg)r), llvm_row_buffer(w, s->buffer[r]), w->inst[r].dtype, false);
        }
        for (int k = 0; k < s->t->nreduce; k++) {
            const gen_row_reduce *f = &s->t->reduce[k];
            if (in_pass(w, f->x)) llvm_reduce_add(w, f, x), x += llvm_reduce_sums(w, f);
        }
        for (int j = 0; j < w->c->nout; j++) {
            const op_reg r = w->c->out[j].reg;
            if (!s->t->full[j]) continue;
            const char *base = s->at[w->c->nreg + j];
            if (!in_pass(w, r)) continue;
            if (s->t->down[j]) llvm_reduce_down(w, r, s->t->down[j], base);
            else llvm_row_store(w, llvm_value(w, r), base, w->inst[r].dtype, true);
        }
        if (!mask) write_fetches(w, u);
        llvm_row_forget(w);
    }
    s->mask = NULL;
}

/* Names the phi nodes of the running values; the phi nodes become the current values. */
static void name_phis(llvm_writer *w, sums *all)
{
    for (int i = 0; i < all->n; i++) all->at[i].phi = all->at[i].now = llvm_keep(w, "%%t%d", ++w->temps);
}

static void put_phis(FILE *f, const sums *to, const sums *x, int from_x, const sums *y, int from_y)
{
    for (int i = 0; i < to->n; i++)
        fprintf(f, "  %s = phi %s [ %s, %%b%d ], [ %s, %%b%d ]\n", to->at[i].phi, to->at[i].type, x->at[i].now, from_x,
                y->at[i].now, from_y);
}

/* begin_blocks and end_blocks write, for long sums, the beginning and the end of a loop over blocks of REDUCE_BLOCK
 * elements (reduce.h), around the loop over 32s. %o of a sum with blocks is the sum of the complete blocks before; %o
 * of another running value is that value, passed from block to block. At the end of a complete block the block's sum is
 * added to %o. */
static void begin_blocks(llvm_writer *w, FILE *out, const sums *start, const sums *turned, int outer, int end)
{
    const int p = w->rows->pass, before = w->rows->row_block;
    fprintf(out, "  br label %%b%d\nb%d:\n", outer, outer);
    fprintf(out, "  %%j%d = phi i64 [ 0, %%b%d ], [ %%stop%d, %%b%d ]\n", p, before, p, end);
    for (int i = 0; i < start->n; i++)
        fprintf(out, "  %%o%d_%d = phi %s [ %s, %%b%d ], [ %s, %%b%d ]\n", p, i, start->at[i].type, start->at[i].start,
                before, start->at[i].blocks ? llvm_keep(w, "%%p%d_%d", p, i) : turned->at[i].now, end);
    fprintf(out, "  %%far%d = add i64 %%j%d, %d\n", p, p, REDUCE_BLOCK);
    fprintf(out, "  %%short%d = icmp slt i64 %%far%d, %%whole\n", p, p);
    fprintf(out, "  %%stop%d = select i1 %%short%d, i64 %%far%d, i64 %%whole\n", p, p, p);
}

static void end_blocks(llvm_writer *w, FILE *out, const sums *turned, int outer, int end, int after)
{
    const int p = w->rows->pass;
    fprintf(out, "b%d:\n  %%full%d = icmp eq i64 %%stop%d, %%far%d\n", end, p, p, p);
    w->body = out, w->block = end;
    for (int i = 0; i < turned->n; i++) {
        const llvm_sum *x = &turned->at[i];
        const char *const was = llvm_keep(w, "%%o%d_%d", p, i), *t = x->type;
        if (!x->blocks) continue;
        const char *all = llvm_combine(w, x->reduce, x->dtype, was, x->now);
        fprintf(out, "  %%p%d_%d = select i1 %%full%d, %s %s, %s %s\n", p, i, p, t, all, t, was);
        fprintf(out, "  %%q%d_%d = select i1 %%full%d, %s %s, %s %s\n", p, i, p, t, x->start, t, x->now);
    }
    fprintf(out, "  %%on%d = icmp slt i64 %%stop%d, %%whole\n", p, p);
    fprintf(out, "  br i1 %%on%d, label %%b%d, label %%b%d\n", p, outer, after);
}

/* Sets the running values after the loop over blocks. */
static void name_blocks(llvm_writer *w, sums *x)
{
    for (int i = 0; i < x->n; i++) {
        if (!x->at[i].blocks) continue;
        x->at[i].now = llvm_keep(w, "%%q%d_%d", w->rows->pass, i);
        x->at[i].outer = llvm_keep(w, "%%p%d_%d", w->rows->pass, i);
    }
}

static void put_text(llvm_writer *w, FILE *from, char **text, FILE *to)
{
    if (llvm_written(w, from, text)) fputs(*text, to);
    free(*text);
    *text = NULL;
}

static void set_sums(llvm_writer *w, sums *all)
{
    llvm_rows *s = w->rows;
    const int parts = LLVM_ROW_LANES / s->lanes;
    all->n = all->stride = 0;
    for (int k = 0; k < s->t->nreduce; k++)
        if (in_pass(w, s->t->reduce[k].x)) all->stride += llvm_reduce_sums(w, &s->t->reduce[k]);
    if (all->stride * parts > MOST_SUMS) {
        w->why = "too many reductions at once";
        return;
    }
    for (int u = 0; u < parts; u++)
        for (int k = 0; k < s->t->nreduce; k++)
            if (in_pass(w, s->t->reduce[k].x)) all->n += llvm_reduce_begin(w, &s->t->reduce[k], all->at + all->n);
    for (int i = 0; i < all->n; i++) all->at[i].now = all->at[i].start;
}

/* Writes the loop over complete 32s, whose body is `text`, from block l to block `last`. */
static void put_loop(llvm_writer *w, FILE *out, const char *text, const sums *begin, const sums *into,
                     const sums *turned, int l, int last, int after)
{
    const int p = w->rows->pass;
    const char *from = "0", *to = "%whole";
    int before = w->rows->row_block, end = after;
    sums first = *begin;
    bool blocks = false;
    for (int i = 0; i < begin->n; i++) blocks |= begin->at[i].blocks;
    if (blocks) {
        before = ++w->temps, end = ++w->temps;
        begin_blocks(w, out, begin, turned, before, end);
        from = llvm_keep(w, "%%j%d", p), to = llvm_keep(w, "%%stop%d", p);
        for (int i = 0; i < begin->n; i++)
            if (!begin->at[i].blocks) first.at[i].now = llvm_keep(w, "%%o%d_%d", p, i);
    }
    fprintf(out, "  br label %%b%d\nb%d:\n", l, l);
    fprintf(out, "  %%i%d = phi i64 [ %s, %%b%d ], [ %%next%d, %%b%d ]\n", p, from, before, p, last);
    put_phis(out, into, &first, before, turned, last);
    fprintf(out, "%s  %%next%d = add i64 %%i%d, %d\n", text, p, p, LLVM_ROW_LANES);
    fprintf(out, "  %%more%d = icmp slt i64 %%next%d, %s\n", p, p, to);
    fprintf(out, "  br i1 %%more%d, label %%b%d, label %%b%d\n", p, l, end);
    if (blocks) end_blocks(w, out, turned, before, end, after);
    fprintf(out, "b%d:\n", after);
}

/* Writes a loop over complete 32s, then the remainder under masks; either is left out if rows of this length lack
 * it. */
static void write_parts(llvm_writer *w, FILE *out, sums *x)
{
    llvm_rows *s = w->rows;
    char *loop = NULL, *rest = NULL;
    size_t n[2];
    const bool loops = s->t->n >= LLVM_ROW_LANES, rests = s->t->n % LLVM_ROW_LANES;
    const int l = ++w->temps, a = ++w->temps, t = ++w->temps, p = s->pass;
    FILE *const fl = base_open_memstream(&loop, &n[0]), *const ft = base_open_memstream(&rest, &n[1]);
    const sums begin = *x;
    sums into = begin;
    const char *mask[LLVM_ROW_LANES];
    int last = 0, end = a;
    if (!fl || !ft) w->why = "out of memory";
    if (loops && !w->why) {
        name_phis(w, x);
        into = *x;
        w->body = fl, w->block = l;
        write_elements(w, x, llvm_keep(w, "%%i%d", p), NULL);
        last = w->block;
    }
    const sums turned = *x;
    if (loops && !w->why) name_blocks(w, x);
    if (rests && !w->why) {
        w->body = ft, w->block = t;
        for (int u = 0; u < LLVM_ROW_LANES / s->lanes; u++) mask[u] = llvm_keep(w, "%%mask%d", u);
        write_elements(w, x, "%whole", mask);
        end = w->block;
    }
    llvm_written(w, fl, &loop);
    llvm_written(w, ft, &rest);
    put_text(w, s->row, &s->text, out);                     /* code that both wrote for the beginning of the row */
    if (loops && !w->why) put_loop(w, out, loop, &begin, &into, &turned, l, last, a);
    if (rests && !w->why) fprintf(out, "  br label %%b%d\nb%d:\n%s", t, t, rest);
    free(loop), free(rest);
    w->block = loops || rests ? end : s->row_block;
}

static void write_pass(llvm_writer *w, FILE *out)
{
    llvm_rows *s = w->rows;
    size_t n;
    sums all;
    s->row = base_open_memstream(&s->text, &n);
    if (!s->row) w->why = "out of memory";
    set_sums(w, &all);
    s->row_block = w->block;
    if (!w->why) write_parts(w, out, &all);
    else if (s->row) put_text(w, s->row, &s->text, out);
    s->row = NULL;
    w->body = out;
    for (int i = 0; i < all.n && !w->why; i++) {
        llvm_sum *const x = &all.at[i];
        if (x->outer) x->now = llvm_combine(w, x->reduce, x->dtype, x->now, x->outer);
    }
    const llvm_sum *x = all.at;
    for (int k = 0; k < s->t->nreduce && !w->why; k++) {
        const gen_row_reduce *f = &s->t->reduce[k];
        if (in_pass(w, f->x)) llvm_reduce_finish(w, f, x, all.stride), x += llvm_reduce_sums(w, f);
    }
}

/* ---- the function ---- */

/* True if v is a read, or a result, with full elements that differ from row to row. */
static bool is_fetched(const llvm_writer *w, int v)
{
    const llvm_rows *s = w->rows;
    if (v >= w->c->nread) return s->t->full[v - w->c->nread] && !s->t->down[v - w->c->nread];
    const gen_read *r = &w->c->read[v];
    bool moves = false;
    for (int d = 0; d < s->t->kept; d++) moves |= r->dim[d] >= 0;
    return moves && r->in >= 0 && s->t->reach[r->reg] == GEN_FULL;
}

/* The pass that prefetches the next value. Memory limits operands and results, the processor limits passes: picks the
 * pass with the most instructions per value that it already fetches. */
static int fetching_pass(const llvm_writer *w, int *share)
{
    const llvm_rows *s = w->rows;
    int work[MOST_PASSES] = { 0 }, best = 0;
    for (int r = 1; r < w->c->prog->n; r++)
        if (s->t->reach[r] == GEN_FULL && s->pass_of[r] < MOST_PASSES) work[s->pass_of[r]]++;
    for (int p = 1; p < s->npass && p < MOST_PASSES; p++)
        if (work[p] * (share[best] + 1) > work[best] * (share[p] + 1)) best = p;
    share[best]++;
    return best;
}

static void write_addresses(llvm_writer *w, FILE *out)
{
    llvm_rows *s = w->rows;
    int share[MOST_PASSES] = { 0 };
    w->body = out;
    for (int v = 0; v < w->c->nread + w->c->nout; v++) {
        const int slot = v < w->c->nread ? w->c->read[v].reg : w->c->nreg + v - w->c->nread;
        if (v < w->c->nread && w->c->read[v].uniform) continue;
        const char *base = llvm_before(w, "getelementptr ptr, ptr %%at, i64 %d", slot);
        const char *step = llvm_before(w, "getelementptr i64, ptr %%step, i64 %d", slot);
        base = llvm_before(w, "load ptr, ptr %s", base), step = llvm_before(w, "load i64, ptr %s", step);
        const char *by = llvm_line(w, "mul i64 %%r, %s", step);
        s->at[slot] = llvm_line(w, "getelementptr i8, ptr %s, i64 %s", base, by);
        if (!is_fetched(w, v)) continue;
        s->fetch[slot] = fetching_pass(w, share);
        const char *far = llvm_before(w, "icmp sgt i64 %s, %d", step, AHEAD);
        far = llvm_before(w, "select i1 %s, i64 %s, i64 %d", far, step, AHEAD);
        s->ahead[slot] = llvm_line(w, "getelementptr i8, ptr %s, i64 %s", s->at[slot], far);
    }
}

static void write_results(llvm_writer *w, FILE *out)     /* those with one element per row */
{
    llvm_rows *s = w->rows;
    s->row = out, s->row_block = w->block;
    const llvm_row_scope was = llvm_row_enter(w);
    for (int j = 0; j < w->c->nout && !w->why; j++) {
        const op_reg r = w->c->out[j].reg;
        const tt_dtype d = w->inst[r].dtype;
        if (s->t->full[j]) continue;
        const char *x = llvm_row_one(w, r);
        if (d == TT_BOOL) x = llvm_line(w, "zext i1 %s to i8", x);
        fprintf(w->body, "  store %s %s, ptr %s, align %d\n", llvm_memory_type(d), x, s->at[w->c->nreg + j],
            llvm_memory_bytes(d));
    }
    llvm_row_leave(w, was);
    w->block = s->row_block;
}

static void write_head(const llvm_writer *w, FILE *f, const char *head)
{
    const int lanes = w->rows->lanes;
    fprintf(f, "define void @loop(ptr %%at, ptr %%step, ptr %%k, i64 %%rows, i64 %%n, ptr %%room) #0 {\nentry:\n");
    fprintf(f, "  %%whole = and i64 %%n, %d\n  %%rest = and i64 %%n, %d\n", -LLVM_ROW_LANES, LLVM_ROW_LANES - 1);
    fprintf(f, "  %%up = add i64 %%n, %d\n  %%wide = and i64 %%up, %d\n", GEN_GRAIN - 1, -GEN_GRAIN);
    for (int i = 0; i < w->rows->nbuffer; i++)
        fprintf(f, "  %%far%d = mul i64 %%wide, %d\n  %%room%d = getelementptr i8, ptr %%room, i64 %%far%d\n", i,
            8 * i, i, i);
    fprintf(f, "  %%left = trunc i64 %%rest to i32\n  %%left1 = insertelement <%d x i32> poison, i32 %%left, i64 0\n",
        lanes);
    fprintf(f, "  %%lefts = shufflevector <%d x i32> %%left1, <%d x i32> poison, <%d x i32> zeroinitializer\n", lanes,
        lanes, lanes);
    for (int u = 0; u < LLVM_ROW_LANES / lanes; u++) {
        fprintf(f, "  %%mask%d = icmp ult <%d x i32> <", u, lanes);
        for (int i = 0; i < lanes; i++) fprintf(f, "%si32 %d", i ? ", " : "", u * lanes + i);
        fprintf(f, ">, %%lefts\n");
    }
    fprintf(f, "%s  %%any = icmp sgt i64 %%rows, 0\n  br i1 %%any, label %%b0, label %%done\nb0:\n", head);
}

bool llvm_rows_text(llvm_writer *w, FILE *out)
{
    const size_t n = (size_t)w->c->prog->n, slots = n + (size_t)w->c->nout;
    llvm_rows s = { .t = w->c->rows, .lanes = w->lanes < LLVM_ROW_LANES ? w->lanes : LLVM_ROW_LANES };
    char *head = NULL, *body = NULL;
    size_t nhead, nbody;
    const char **names = calloc(3 * n + 2 * slots, sizeof *names);
    int *numbers = calloc(2 * n + slots, sizeof *numbers);
    FILE *rows = base_open_memstream(&body, &nbody);
    w->head = base_open_memstream(&head, &nhead);
    w->rows = &s, w->lanes = s.lanes;
    if (names && numbers && rows && w->head) {
        s.one = names, s.same_one = names + n, s.spread = names + 2 * n, s.at = names + 3 * n, s.ahead = s.at + slots;
        s.pass_of = numbers, s.buffer = numbers + n, s.fetch = numbers + 2 * n;
        set_passes(w);
        assign_buffers(w);
        write_addresses(w, rows);
        for (s.pass = 0; s.pass < s.npass && !w->why; s.pass++) write_pass(w, rows);
        if (!w->why) write_results(w, rows);
    } else w->why = "out of memory";
    llvm_written(w, rows, &body);
    llvm_written(w, w->head, &head);
    if (!w->why) {
        write_head(w, out, head);
        fprintf(out, "  %%r = phi i64 [ 0, %%entry ], [ %%below, %%b%d ]\n%s", w->block, body);
        fprintf(out, "  %%below = add i64 %%r, 1\n  %%again = icmp slt i64 %%below, %%rows\n");
        fprintf(out, "  br i1 %%again, label %%b0, label %%done\ndone:\n  ret void\n}\n");
        llvm_attributes(w, out);
    }
    free(names);
    free(numbers);
    free(head);
    free(body);
    return !w->why;
}
