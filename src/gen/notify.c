/* gen/notify.c - code shared by kernels that are fused part by part: a range of a box is reported as boxes to the other
 * kernel (run_callbacks), and a kernel runs over all of a part. */
#include "gen.h"

void gen_narrow(ir_box *y, int d, int64_t lo, int64_t n)
{
    if (y->at) y->at = (char *)y->at + lo * y->step[d] * (int64_t)ir_dtype_of(y->dtype)->bytes;
    y->lo[d] += lo, y->n[d] = n;
}

typedef void part_callback(const run_callbacks *, const ir_box *);

/* Reports the elements [lo, lo + n) of dims [d, end), which are the remaining dims of the first range, as boxes; the
 * other ranges r[1..nrange) are over the dims after `end`. */
static void notify_parts(const run_callbacks *callbacks, part_callback *part, int nrange, const gen_range *r, ir_box y,
                         int d, int end, int64_t lo, int64_t n)
{
    int64_t inner = 1;
    if (n <= 0) return;
    if (d == end) {
        if (nrange <= 1) part(callbacks, &y);
        else notify_parts(callbacks, part, nrange - 1, r + 1, y, end, end + r[1].dims, r[1].lo, r[1].n);
        return;
    }
    for (int k = d + 1; k < end; k++) inner *= y.n[k];
    const int64_t before = lo % inner, full = before ? 0 : n / inner;
    const int64_t left = inner - before < n ? inner - before : n, done = full ? full * inner : left;
    ir_box z = y;
    gen_narrow(&z, d, lo / inner, full ? full : 1);
    if (full) notify_parts(callbacks, part, nrange, r, z, end, end, 0, 1);
    else notify_parts(callbacks, part, nrange, r, z, d + 1, end, before, left);
    notify_parts(callbacks, part, nrange, r, y, d, end, lo + done, n - done);
}

void gen_notify(const run_job *job, const ir_box *y, int nrange, const gen_range *r)
{
    if (job->callbacks && job->callbacks->on_written && ir_box_count(y))
        notify_parts(job->callbacks, job->callbacks->on_written, nrange, r, *y, 0, r->dims, r->lo, r->n);
}

void gen_request(const run_job *job, const ir_box *x, int nrange, const gen_range *r)
{
    if (ir_box_count(x)) notify_parts(job->callbacks, job->callbacks->on_needed, nrange, r, *x, 0, r->dims,
                                       r->lo, r->n);
}

void gen_run_full(const run_kernel *k, int worker, const ir_box *arg, void *scratch)
{
    k->code(k->self, &(run_job){ worker, arg, 0, k->tiles ? k->tiles(k->self, arg) : 1, scratch, NULL, NULL, NULL });
}
