/* gen/conv/conv_matrix_unit.c - which convolutions go to the matrix unit (without a matrix unit: to the tiles of
 * conv_direct_isa.c that read through the window), and how they are split into tasks.
 *
 * A problem of conv.c is an im2col view (conv.h) in one of two ways:
 * - forward and input gradient: the summed features of lhs are adjacent; a task is some images, or bands of one;
 * - weight gradient: lhs's "batch" (the features of the convolved input) is adjacent and images are summed; a task is
 *   some of the images, with sums of its own, which finish adds up in order.
 * Whether the unit is worth using depends on the box's sizes alone, and so do the bits. Images with infinities or NaNs
 * are computed by register tiles. */
#include "conv.h"
#include "../../op/ops.h"

#include <string.h>

#include "batched_conv.h"
#include "../isa/isa.h"

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT, PARTS = 32, SUMS = 8 };
enum { NARROW = 8, CLEARLY = 2 };  /* lanes of AVX2; factor by which the direct tiles must be cheaper */
/* Cycles that a task should have; in the weight gradient this much more for each of its sums. */
static const double task = 60e3, sum_task = 12;
static const int64_t most_shared = BASE_CACHES;

GEN_ISA_DECLARE(const conv_matrix_unit, conv_amx);
GEN_ISA_DECLARE(const conv_matrix_unit, conv_direct);
GEN_ISA_DECLARE(const conv_matrix_unit, conv_winograd);
static const conv_matrix_unit *direct_here(void)
{
    const conv_matrix_unit *u = GEN_ISA_PICK(conv_direct);
    return u->run && gemm_here()->lanes[GEMM_F32] <= NARROW ? u : NULL;
}

const conv_matrix_unit *conv_matrix_unit_here(void)
{
    const conv_matrix_unit *u = GEN_ISA_PICK(conv_amx);
    return u->run && gemm_matrix_unit_here() ? u : direct_here();
}

const conv_matrix_unit *conv_matrix_unit_for(const ir_eqn *e) { return gemm_is_exact(e) ? direct_here()
    : conv_matrix_unit_here(); }

/* The unit for one view. Winograd's tiles replace the direct tiles where they need fewer products; the direct tiles
 * replace the matrix unit where a row's (tap, feature) and the columns are few. The choice does not depend on the
 * number of images or rows, so parts of a box are computed in the same way. */
static const conv_matrix_unit *unit_of(const conv *v, const conv_im2col *c)
{
    const conv_matrix_unit *u = v->matrix_unit, *fewer = GEN_ISA_PICK(conv_winograd),
        *direct = GEN_ISA_PICK(conv_direct);
    if (u != direct) {
        if (!direct->run || c->parts || direct->row(c) > u->row(c) / CLEARLY) return u;
        return direct->cycles(c) < 1e300 ? direct : u;
    }
    if (!fewer->run || gemm_is_exact(v->e) || base_switch("no-winograd")) return u;
    return fewer->cycles(c) < 1e300 ? fewer : u;
}

/* ---- cost ---- */

typedef struct { const conv *v; bool back; double unit, rows; int64_t scratch; } cost;

static bool add_unit(const conv_im2col *c, void *env)
{
    cost *t = env;
    double work = (double)(c->images * c->cols * c->features);
    for (int d = 0; d < c->n; d++) work *= (double)(c->d[d].rows * c->d[d].taps);
    if (work > 0) t->unit += unit_of(t->v, c)->cycles(c);
    return true;
}

static bool add_rows(conv_problem *p, const ir_box *arg, void *env)
{
    cost *t = env;
    const double m = (double)p->g.m, n = (double)p->g.n, k = (double)p->g.k;
    (void)arg;
    /* measured: products, packing, storing */
    if (m * n * k > 0) t->rows += m * n * k / (1.5 * p->g.isa->lanes[p->g.type]) + 2 * m * (n + k);
    return true;
}

/* Finds the cheaper of the two ways. Returns false unless its cost is below 0.9 of the register tiles' cost. */
static bool cost_of(const conv *v, const ir_box *arg, cost *best)
{
    *best = (cost){ .unit = 1e300 };
    if (!v->matrix_unit || !ir_box_count(&arg[OUT])) return false;
    for (int back = 0; back < 2; back++) {
        cost t = { .v = v, .back = back };
        if (conv_im2cols(v, arg, back, add_unit, &t) && t.unit < best->unit) *best = t;
    }
    conv_each(v, arg, add_rows, best);
    return best->rows > 0 && best->unit < 0.9 * best->rows;
}

void conv_only(const conv *v, const ir_box *arg, int64_t s, ir_box *one)
{
    int64_t at[3];
    batched_conv_one(IR_ATTR(v->e, op_conv_attr), arg, s, one, at);
    for (int t = 0; t < 3; t++)
        if (arg[t].at) one[t].at = (char *)arg[t].at + at[t] * (int64_t)ir_dtype_of(arg[t].dtype)->bytes;
}

bool conv_fits_unit(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    const conv_matrix_unit *u = g->neqn == 1 && e->op == &prim_convolution &&
        !g->reproducible ? conv_matrix_unit_for(e) : NULL;
    if (!u || IR_IN(e, 0)->dtype != TT_F32 || IR_IN(e, 1)->dtype != TT_F32 || IR_OUT(e, 0)->dtype != TT_F32)
        return false;
    const conv v = { e, GEMM_F32, gemm_here(), u };
    const ir_box arg[3] = { ir_box_dense(NULL, IR_IN(e, 0)), ir_box_dense(NULL, IR_IN(e, 1)),
                            ir_box_dense(NULL, IR_OUT(e, 0)) };
    ir_box one[3];
    cost c;
    if (!ir_count(IR_OUT(e, 0))) return false;
    conv_only(&v, arg, 0, one);
    return cost_of(&v, one, &c);
}

/* True if our own kernel is better than a plug-in's: on the matrix unit, or by register tiles where columns fill at
 * least 4/5 of their vectors' lanes. */
bool conv_on_unit(const gen_group *g)
{
    if (!conv_fits_unit(g)) return false;
    const ir_eqn *e = g->eqn[0];
    const op_conv_attr *a = IR_ATTR(e, op_conv_attr);
    const int64_t lanes = gemm_here()->lanes[GEMM_F32];
    const int64_t cols = IR_OUT(e, 0)->dim[a->output_feature_dimension] /
        (a->feature_group_count * a->batch_group_count);
    return gemm_matrix_unit_here() || (cols + lanes - 1) / lanes * lanes * 4 <= cols * 5;
}

/* ---- parts ---- */

typedef struct { bool back; int dim; int64_t n, bands, parts; double cycles; } share;   /* n: images */

static bool shares(const conv *v, const ir_box *arg, share *s)
{
    const op_conv_attr *a = IR_ATTR(v->e, op_conv_attr);
    cost c;
    if (!cost_of(v, arg, &c)) return false;
    *s = (share){ .back = c.back, .bands = 1, .cycles = c.unit };
    if (c.back) {
        const int64_t bytes = ir_box_count(&arg[OUT]) * (int64_t)sizeof(float);
        s->n = arg[RHS].n[a->kernel_input_feature_dimension];
        s->parts = (int64_t)(c.unit / (task + sum_task * (double)ir_box_count(&arg[OUT])));
        if (s->parts > SUMS) s->parts = SUMS;
        if (s->parts > most_shared / bytes) s->parts = most_shared / bytes;
        if (s->parts > s->n) s->parts = s->n;
    } else {
        const int64_t high = arg[OUT].n[a->output_spatial_dimensions.v[0]] / (4 * a->lhs_dilation.v[0]);
        s->n = arg[OUT].n[a->output_batch_dimension];
        s->parts = (int64_t)(c.unit / task);
        if (s->parts > PARTS) s->parts = PARTS;
        s->bands = (s->parts + s->n - 1) / s->n;
        s->bands = s->bands > high ? high : s->bands;
        s->parts = s->bands > 1 ? s->bands * s->n : s->parts > s->n ? s->n : s->parts;
    }
    if (s->bands < 1) s->bands = 1;
    if (s->parts < 1) s->parts = 1;
    return true;
}

void conv_narrow(ir_box *b, int64_t d, int64_t lo, int64_t n)
{
    b->at = b->at ? (char *)b->at + lo * b->step[d] * (int64_t)ir_dtype_of(b->dtype)->bytes : NULL;
    b->lo[d] += lo, b->n[d] = n;
}

/* The boxes of parts [first, first + count). With bands, `count` parts are full images or one band. Weight gradient:
 * the boxes of part `first`, with the part's sums dense at `sums`. */
static void conv_matrix_unit_part_of(const conv *v, const ir_box *arg, const share *s, int64_t first, int64_t count,
    float *sums,
                                     ir_box *to)
{
    const op_conv_attr *a = IR_ATTR(v->e, op_conv_attr);
    for (int t = 0; t < 3; t++) to[t] = arg[t];
    if (s->back) {
        const int64_t lo = s->n * first / s->parts, n = s->n * (first + count) / s->parts - lo;
        if (s->parts == 1) return;
        to[OUT] = ir_box_of(sums, TT_F32, arg[OUT].rank, arg[OUT].lo, arg[OUT].n);
        /* Only rhs is narrowed: lhs's box may begin at another place than the window. */
        conv_narrow(&to[RHS], a->kernel_input_feature_dimension, lo, n);
        return;
    }
    if (s->bands == 1) {
        const int64_t lo = s->n * first / s->parts;
        conv_narrow(&to[OUT], a->output_batch_dimension, lo, s->n * (first + count) / s->parts - lo);
        return;
    }
    conv_narrow(&to[OUT], a->output_batch_dimension, first / s->bands, count < s->bands ? 1 : count / s->bands);
    if (count >= s->bands) return;
    const int64_t d = a->output_spatial_dimensions.v[0], all = arg[OUT].n[d], b = first % s->bands,
        even = 2 * a->lhs_dilation.v[0];
    const int64_t lo = all * b / s->bands / even * even, end = all * (b + 1) / s->bands / even * even;
    /* An even number of rows, so that Winograd's tiles are those of the full image. */
    conv_narrow(&to[OUT], d, lo, (b + 1 < s->bands ? end : all) - lo);
}

/* The number of parts, of the `left` parts from i on, that are computed at once: operands are prepared once per such
 * run. */
static int64_t conv_matrix_unit_together(const share *s, int64_t i, int64_t left)
{
    if (s->back) return 1;
    if (s->bands == 1) return left;
    return i % s->bands || left < s->bands ? 1 : left / s->bands * s->bands;
}

int64_t conv_matrix_unit_parts(const conv *v, const ir_box *arg)
{
    share s;
    return v->matrix_unit && shares(v, arg, &s) ? s.parts : 0;
}

static int64_t slot_of(const ir_box *y) { return (ir_box_count(y) + 15) / 16 * 16; }

int64_t conv_matrix_unit_shared(const conv *v, const ir_box *arg)
{
    share s;
    return shares(v, arg, &s) && s.back && s.parts > 1 ? s.parts * slot_of(&arg[OUT]) * (int64_t)sizeof(float) : 0;
}

static bool add_scratch(const conv_im2col *c, void *env)
{
    cost *t = env;
    const int64_t n = unit_of(t->v, c)->scratch(c);
    if (n > t->scratch) t->scratch = n;
    return true;
}

/* Enough for the box and for any part of the box: fewer images, rows or columns need no more. One mark per image
 * precedes the unit's scratch. */
int64_t conv_matrix_unit_scratch(const conv *v, const ir_box *arg)
{
    share s;
    if (!shares(v, arg, &s)) return 0;
    cost t = { .v = v, .back = s.back };
    conv_im2cols(v, arg, s.back, add_scratch, &t);
    return t.scratch + s.n + 128;
}

/* ---- running ---- */


/* A box in progress: marks of its images, the unit's scratch, and the next image to notify of. */
typedef struct {
    conv_listener own_listener; const conv *v; const run_job *job; const ir_box *arg; uint8_t *bad; char *scratch;
    int64_t next, each; bool notifies;  /* fewest images per notification; true if the unit itself notifies */
} runner;

static const gen_range whole = { 0, 0, 1 };

/* Recomputes by register tiles the marked ones of the images before n, and notifies of the images up to n
 * (exclusive). */
static void notify_up_to(runner *r, int64_t n)
{
    const int64_t d = IR_ATTR(r->v->e, op_conv_attr)->output_batch_dimension, lo = r->next;
    ir_box arg[3] = { r->arg[LHS], r->arg[RHS], r->arg[OUT] };
    for (int64_t i = lo; i < n; i++) {
        if (!r->bad[i]) continue;
        arg[OUT] = r->arg[OUT];
        conv_narrow(&arg[OUT], d, i, 1);
        conv_rows(r->v, arg, 0, 1, 1, (char *)r->job->scratch + base_round_up(conv_matrix_unit_scratch(r->v,
            r->job->arg), BASE_CACHE_LINE));
    }
    arg[OUT] = r->arg[OUT];
    conv_narrow(&arg[OUT], d, lo, n - lo);
    if (n > lo) gen_notify(r->job, &arg[OUT], 1, &whole);
    r->next = n;
}

static void images_stand(conv_listener *listener, int64_t n)
{
    runner *r = (runner *)(void *)listener;
    if (n - r->next >= r->each) notify_up_to(r, n);
}

static bool run_one(const conv_im2col *c, void *env)
{
    runner *r = env;
    conv_im2col own = *c;
    const conv_matrix_unit *u = unit_of(r->v, c);
    if (r->notifies && r->job->callbacks) own.listener = &r->own_listener;
    if (u == GEN_ISA_PICK(conv_amx)) gemm_matrix_unit_use();
    return u->run(&own, r->scratch, r->bad);
}

static bool count_one(const conv_im2col *c, void *env)
{
    (void)c;
    ++*(int *)env;
    return true;
}

/* True if there are no callbacks, or if the unit itself can notify as images are completed. If false, the results
 * computed at once must fit in the cache. */
static bool notifies_itself(const conv *v, const run_job *job, const share *s)
{
    int views = 0;
    if (!job->callbacks) return true;
    if (s->back || s->bands > 1) return false;
    conv_im2cols(v, job->arg, false, count_one, &views);
    return views == 1;
}

static int64_t images_of(const conv *v, const ir_box *arg)
{
    return arg[OUT].n[IR_ATTR(v->e, op_conv_attr)->output_batch_dimension];
}

static void do_box(runner *r, bool back)
{
    const int64_t images = back ? 0 : images_of(r->v, r->arg);
    r->next = 0;
    memset(r->bad, 0, (size_t)images);
    if (!conv_im2cols(r->v, r->arg, back, run_one, r)) conv_rows(r->v, r->arg, 0, 1, 1, r->scratch);
    notify_up_to(r, images);
}

void conv_matrix_unit_run(const conv *v, const run_job *job)
{
    share s;
    ir_box arg[3];
    if (!shares(v, job->arg, &s) || !ir_box_count(&job->arg[OUT])) return;
    const int64_t bytes = ir_box_count(&job->arg[OUT]) / s.parts * (int64_t)sizeof(float) + 1;
    const int64_t n = images_of(v, job->arg);
    const bool notifies = notifies_itself(v, job, &s);
    const int64_t most = notifies ? job->count : bytes < CONV_NOTIFY_BYTES ? CONV_NOTIFY_BYTES / bytes : 1,
        end = job->first + job->count;
    runner r = { { images_stand },
                 v,
                 job,
                 arg,
                 job->scratch,
                 (char *)job->scratch + base_round_up(s.n, BASE_CACHE_LINE),
                 0,
                 bytes * s.parts < CONV_NOTIFY_BYTES * n ? CONV_NOTIFY_BYTES * n / (bytes * s.parts) : 1,
                 notifies };
    for (int64_t i = job->first, each; i < end; i += each) {
        each = conv_matrix_unit_together(&s, i, end - i < most ? end - i : most);
        float *sums = s.back && s.parts > 1 ? (float *)job->shared + i * slot_of(&job->arg[OUT]) : NULL;
        conv_matrix_unit_part_of(v, job->arg, &s, i, each, sums, arg);
        do_box(&r, s.back);
        if (s.back && !sums) gen_notify(job, &arg[OUT], 1, &whole);
    }
}

/* Adds up the sums of all parts, in the parts' order. */
void conv_matrix_unit_finish(const conv *v, const run_job *job)
{
    const ir_box *z = &job->arg[OUT];
    const int last = z->rank - 1;
    int64_t i[IR_RANK] = { 0 }, at = 0;
    share s;
    if (!shares(v, job->arg, &s) || !ir_box_count(z)) return;
    const float *from = job->shared;
    const int64_t slot = slot_of(z);
    for (int d = 0; d >= 0; from += z->n[last]) {        /* one line of the innermost dim each */
        float *to = (float *)z->at + at;
        for (int64_t k = 0; k < z->n[last]; k++) {
            float sum = from[k];
            for (int64_t q = 1; q < s.parts; q++) sum += from[q * slot + k];
            to[k * z->step[last]] = sum;
        }
        for (d = last - 1; d >= 0; d--) {
            at += z->step[d];
            if (++i[d] < z->n[d]) break;
            at -= i[d] * z->step[d], i[d] = 0;
        }
    }
}
