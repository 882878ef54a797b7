/* op/local/windows.c - the elements of an operand that a device's part of a sharded window reads.
 *
 * A part of the factor reads a range that begins at first + by * place and has n elements, for every place the same
 * number: parts have one size, and a division in the window must divide the parts' distance. Elements outside of the
 * value are zeros, or what the rule says. If the operand is sharded as the factor is, each device gets the pieces of
 * other parts that it reads, by one permute for each part further; if one part is read by several devices at once, the
 * parts are gathered. A device that has the complete dim takes its range of it. */
#include "local.h"
#include "../build.h"
#include "../ops.h"

#include <string.h>

static int64_t windows_floor(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static const op_rule_at *windows_entry(const op_local_choice *c, int t, int d)
{
    const struct op_rule_dim *const dim = &c->rule->dim[t * IR_RANK + d];
    return dim->n == 1 && dim->at[0].windowed ? &dim->at[0] : NULL;
}

static int64_t windows_parts(const op_local_choice *c, const op_rule_at *at)
{
    return mesh_list_size(c->from, c->atoms[at->factor]);
}

bool op_local_windowed(const op_local_choice *c, int t, int d)
{
    const op_rule_at *const at = windows_entry(c, t, d);
    return at && windows_parts(c, at) > 1;
}

/* The distance of two parts' windows in the dilated operand. */
static int64_t windows_step(const op_local_choice *c, const op_rule_at *at)
{
    const int64_t mul = at->window.mul;
    return (mul < 0 ? -mul : mul) * (c->rule->factor[at->factor].size / windows_parts(c, at));
}

bool op_local_dilates(const op_local_choice *c, int t, int d)
{
    const op_rule_at *const at = windows_entry(c, t, d);
    return at && at->window.mul > 0 && windows_step(c, at) % at->window.div;
}

const char *op_local_span_of(const op_local_choice *c, int t, int d, op_local_span *s)
{
    const op_rule_at *const at = windows_entry(c, t, d);
    const op_window w = at->window;
    const int64_t parts = windows_parts(c, at), size = c->rule->factor[at->factor].size, each = size / parts,
                  step = windows_step(c, at);
    if (!IR_IN(c->e, t)->dim[d]) return "it reads windows of a dim without elements";
    if (size % parts) return "a dim that its windows run along is in parts of different sizes";
    if (step % w.div || (w.mul < 0 && w.div != 1)) return "parts of a dilated window do not begin alike";
    if (w.mul > 0) *s = (op_local_span){ -windows_floor(-w.lo, w.div), step / w.div, 0 };
    else *s = (op_local_span){ w.lo + w.mul * (each - 1), -step, 0 };
    const int64_t last = w.mul > 0 ? windows_floor(w.mul * (each - 1) + w.hi, w.div) : w.hi;
    s->n = last - s->first + 1;
    return s->n > 0 ? NULL : "a part reads no element";
}

/* ---- bringing the elements ---- */

typedef struct { op_local_fn *p; mesh_list atoms; int64_t parts; int d; op_local_span span; } reading;

static int64_t windows_begin(const reading *r, int64_t place) { return r->span.first + r->span.by * place; }

static ir_id windows_piece(op_local_fn *p, ir_id x, int d, int64_t lo, int64_t hi)   /* [lo, hi) of dim d */
{
    const ir_type *const t = ir_typeof(p->b, x);
    int64_t from[IR_RANK] = { 0 }, to[IR_RANK], one[IR_RANK];
    if (!t) return 0;
    if (!lo && hi == t->dim[d]) return x;
    for (int k = 0; k < t->rank; k++) to[k] = t->dim[k], one[k] = 1;
    from[d] = lo, to[d] = hi;
    return op_slice(p->b, x, (ir_dims){ t->rank, from }, (ir_dims){ t->rank, to }, (ir_dims){ t->rank, one });
}

/* Elements begin(place) + offset + [0, span.n) of the local x. */
static ir_id windows_range(const reading *r, ir_id x, int64_t offset)
{
    op_local_fn *const p = r->p;
    const ir_type *const t = ir_typeof(p->b, x);
    int64_t size[IR_RANK];
    ir_id start[IR_RANK];
    for (int k = 0; k < t->rank; k++) size[k] = t->dim[k], start[k] = op_int(p->b, TT_I32, 0);
    size[r->d] = r->span.n;
    start[r->d] = op_local_affine(p, r->atoms, r->span.first + offset, r->span.by);
    return op_dynamic_slice(p->b, x, start, (ir_dims){ t->rank, size });
}

/* From a device's complete dim: the range, with zeros around the dim where a range leaves it. */
static ir_id windows_of_all(const reading *r, ir_id x)
{
    const ir_type *const t = ir_typeof(r->p->b, x);
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, in[IR_RANK] = { 0 };
    if (!t) return 0;
    for (int64_t k = 0; k < r->parts; k++) {
        const int64_t a = windows_begin(r, k), b = a + r->span.n;
        if (-a > lo[r->d]) lo[r->d] = -a;
        if (b - t->dim[r->d] > hi[r->d]) hi[r->d] = b - t->dim[r->d];
    }
    const ir_id padded = lo[r->d] || hi[r->d] ? op_pad(r->p->b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi },
                                                       (ir_dims){ t->rank, in }) : x;
    return windows_range(r, padded, lo[r->d]);
}

/* source[place]: whose part is the `ahead`-th one that the place reads; -1: none. False: a part is read twice. */
static bool windows_sources(const reading *r, int64_t each, int64_t ahead, int64_t *source, bool *own, bool *any)
{
    bool *const sends = BASE_NEW(r->p->a, bool, r->parts), once = true;
    *own = true, *any = false;
    for (int64_t k = 0; k < r->parts; k++) {
        const int64_t first = windows_floor(windows_begin(r, k), each),
                      last = windows_floor(windows_begin(r, k) + r->span.n - 1, each), s = first + ahead;
        source[k] = s <= last && s >= 0 && s < r->parts ? s : -1;
        *own &= source[k] == k;
        if (source[k] < 0) continue;
        *any = true;
        once &= !sends[source[k]];
        sends[source[k]] = true;
    }
    return once;
}

/* From parts by the same atoms: the pieces of each part that is read, one after the other. *again: a part is read by
 * several devices at once, and nothing was emitted. */
static ir_id windows_of_parts(const reading *r, ir_id x, bool *again)
{
    op_local_fn *const p = r->p;
    const ir_type *const t = ir_typeof(p->b, x);
    const int64_t each = t->dim[r->d];
    int64_t pieces = 1, lowest = each, highest = 0, *const offset = BASE_NEW(p->a, int64_t, r->parts);
    for (int64_t k = 0; k < r->parts; k++) {
        const int64_t a = windows_begin(r, k), b = a + r->span.n, first = windows_floor(a, each),
                      n = windows_floor(b - 1, each) - first + 1;
        if (n > pieces) pieces = n, highest = 0;
        offset[k] = a - first * each;
        if (offset[k] < lowest) lowest = offset[k];
        if (n == pieces && b - (first + n - 1) * each > highest) highest = b - (first + n - 1) * each;
    }
    ir_id *const piece = BASE_NEW(p->a, ir_id, pieces);
    int64_t *const source = BASE_NEW(p->a, int64_t, r->parts * pieces);
    bool *const own = BASE_NEW(p->a, bool, pieces), *const any = BASE_NEW(p->a, bool, pieces);
    *again = false;
    for (int64_t i = 0; i < pieces; i++)
        *again |= !windows_sources(r, each, i, source + i * r->parts, &own[i], &any[i]);
    if (*again) return 0;
    for (int64_t i = 0; i < pieces; i++) {
        const op_ppermute_attr a = { op_local_axes(p, r->atoms), { (int)r->parts, source + i * r->parts }, true };
        piece[i] = windows_piece(p, x, r->d, i ? 0 : lowest, i == pieces - 1 ? highest : each);
        if (!any[i]) piece[i] = op_zeros(p->b, ir_typeof(p->b, piece[i]));
        else if (!own[i]) piece[i] = ir_emit(p->b, &prim_ppermute, &a, 1, &piece[i], 0, NULL);
        if (!piece[i]) return 0;
    }
    const ir_id all = pieces > 1 ? op_concatenate(p->b, (int)pieces, piece, r->d) : piece[0];
    const ir_type *const u = ir_typeof(p->b, all);
    if (!u || u->dim[r->d] == r->span.n) return all;
    int64_t size[IR_RANK];
    ir_id start[IR_RANK];
    for (int64_t k = 0; k < r->parts; k++) offset[k] -= lowest;
    for (int k = 0; k < u->rank; k++) size[k] = u->dim[k], start[k] = op_int(p->b, TT_I32, 0);
    size[r->d] = r->span.n;
    start[r->d] = op_local_table(p, r->atoms, offset);
    return op_dynamic_slice(p->b, all, start, (ir_dims){ u->rank, size });
}

/* Elements outside of the dim, of `size`, become `fill`. */
static ir_id windows_filled(const reading *r, ir_id x, int64_t size, ir_id fill)
{
    const ir_type *const t = ir_typeof(r->p->b, x);
    bool leaves = false;
    for (int64_t k = 0; k < r->parts; k++) leaves |= windows_begin(r, k) < 0 || windows_begin(r, k) + r->span.n > size;
    if (!t || !leaves) return x;
    const ir_id first = op_local_affine(r->p, r->atoms, r->span.first, r->span.by),
                at = op_local_positions(r->p, t, r->d, first);
    return op_select(r->p->b, op_local_inside(r->p, at, size), x, op_broadcast(r->p->b, fill, t, 0, NULL));
}

/* Parts of a dilated operand that begin between its elements: each device dilates the complete dim with zeros. */
static bool windows_dilated(op_local *e, int t, int d, mesh_list has)
{
    op_local_fn *const p = e->p;
    const op_rule_at *const at = windows_entry(&e->c, t, d);
    const op_window w = at->window;
    const int64_t parts = mesh_list_size(p->from, e->need[t][d]), step = windows_step(&e->c, at);
    const reading r = { p, e->need[t][d], parts, d, { w.lo, step, step - w.mul + w.hi - w.lo + 1 } };
    const ir_id all = has ? op_local_all_gather(p, e->x[t], has, d) : e->x[t];
    int64_t none[IR_RANK] = { 0 }, in[IR_RANK] = { 0 };
    const int rank = IR_IN(e->e, t)->rank;
    in[d] = w.div - 1;
    const ir_id wide = all ? op_pad(p->b, all, (ir_dims){ rank, none }, (ir_dims){ rank, none }, (ir_dims){ rank, in })
                           : 0;
    return wide && (e->x[t] = windows_of_all(&r, wide)) != 0;
}

static bool windows_dim(op_local *e, int t, int d, mesh_list has, ir_id fill)
{
    if (!fill && op_local_dilates(&e->c, t, d)) return windows_dilated(e, t, d, has);
    op_local_fn *const p = e->p;
    reading r = { p, e->need[t][d], mesh_list_size(p->from, e->need[t][d]), d, { 0, 0, 0 } };
    const int64_t size = IR_IN(e->e, t)->dim[d];
    bool gather = false;
    ir_id x = e->x[t];
    const char *const why = op_local_span_of(&e->c, t, d, &r.span);
    if (why) return op_local_none(e->e, why);
    if (has) {
        const ir_id y = windows_of_parts(&r, x, &gather);
        if (!gather) x = y;
        else x = windows_of_all(&r, op_local_all_gather(p, x, has, d));
    } else x = windows_of_all(&r, x);
    if (x && fill) x = windows_filled(&r, x, size, fill);
    return (e->x[t] = x) != 0;
}

bool op_local_windows(op_local *e, int t, ir_id fill)
{
    const ir_type *const type = IR_IN(e->e, t);
    mesh_list to[IR_RANK];
    bool any = false;
    for (int d = 0; d < type->rank; d++) {
        to[d] = e->need[t][d];
        if (!op_local_windowed(&e->c, t, d)) continue;
        any = true;
        const int64_t parts = mesh_list_size(e->p->from, to[d]);
        if (mesh_list_size(e->p->from, e->has[t][d]) == 1 || type->dim[d] % parts) to[d] = 0;
    }
    if (!any) return true;
    if (!e->bring(e, t, to)) return false;
    for (int d = 0; d < type->rank; d++)
        if (op_local_windowed(&e->c, t, d) && !windows_dim(e, t, d, to[d], fill)) return false;
    return true;
}

void op_local_padding(const op_taps *t, const op_local_span *s, int64_t out, int64_t *low, int64_t *high)
{
    *low = s->first * t->base + t->lo;
    *high = (out - 1) * t->stride + (t->n - 1) * t->step + 1 - *low - ((s->n - 1) * t->base + 1);
}
