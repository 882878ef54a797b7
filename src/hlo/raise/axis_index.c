/* hlo/raise/axis_index.c - recognises a device's coordinate along some axes: JAX prints axis_index as partition_id,
 * divided by the size of the minor axes, modulo the size of its own axes, and converted. Raised, it is axis_index over
 * those axes only. case, while and layouts then know that the value is equal on devices that differ along other axes
 * only. */
#include "../inner.h"
#include "raise.h"
#include "../../op/ops.h"

enum { DEEP = 16 };

/* number / below % size, where `number` is an axis_index; steps: divisions, remainders and conversions between. */
typedef struct { const ir_eqn *number; int64_t below, size; int steps; } part_of;

static int64_t axis_index_members(const mesh *m, base_name axis)
{
    for (int i = 0; i < m->naxis; i++) if (m->axis[i].name == axis) return m->axis[i].size;
    return 0;
}

static bool counts(tt_dtype d) { return d == TT_I32 || d == TT_U32 || d == TT_I64 || d == TT_U64; }

static bool axis_index_constant(const ir_fn *f, ir_id id, int64_t *k)
{
    const ir_eqn *const e = ir_definition(f, id);
    int64_t zero[1] = { 0 };
    if (!e || e->op != &prim_const || IR_OUT(e, 0)->rank || !counts(IR_OUT(e, 0)->dtype)) return false;
    const op_const_attr *const a = IR_ATTR(e, op_const_attr);
    const ir_box box = ir_box_of((void *)(uintptr_t)a->data.p, a->dtype, 0, NULL, NULL);
    *k = ir_load(&box, zero).i;
    return *k > 0;
}

static bool is_part(const ir_fn *f, ir_id id, part_of *p, int depth)
{
    const ir_eqn *const e = ir_definition(f, id);
    int64_t k;
    if (!e || depth == DEEP || !f->mesh || !counts(f->type[id]->dtype)) return false;
    if (e->op == &prim_axis_index) {
        const op_axis_attr *const a = IR_ATTR(e, op_axis_attr);
        *p = (part_of){ e, 1, 1, 0 };
        for (int i = 0; i < a->axes.n; i++) p->size *= axis_index_members(f->mesh, a->axes.v[i]);
        return p->size > 0;
    }
    if (e->op == &prim_convert) return is_part(f, e->in[0], p, depth + 1) && ++p->steps;
    if ((e->op != &prim_div && e->op != &prim_rem) || !axis_index_constant(f, e->in[1], &k) ||
        !is_part(f, e->in[0], p, depth + 1) ||
        p->size % k)
        return false;
    p->steps += 2;
    if (e->op == &prim_rem) return p->size = k, true;
    p->below *= k, p->size /= k;
    return true;
}

/* True if the part consists of complete axes: n of them from *first, with `below` members after them. */
static bool complete_axes(const part_of *p, int *first, int *n)
{
    const ir_names axes = IR_ATTR(p->number, op_axis_attr)->axes;
    const mesh *const m = p->number->fn->mesh;
    int64_t below = 1, size = 1;
    int at = axes.n;
    while (at && below < p->below) below *= axis_index_members(m, axes.v[--at]);
    const int end = at;
    while (at && size < p->size) size *= axis_index_members(m, axes.v[--at]);
    *first = at, *n = end - at;
    return below == p->below && size == p->size;
}

/* True if e spells a part of a device's number by more than one conversion, the shortest form. */
static bool longer(const ir_eqn *e, part_of *p, int *first, int *n)
{
    if (e->op != &prim_convert && e->op != &prim_div && e->op != &prim_rem) return false;
    return is_part(e->fn, e->out, p, 0) && p->steps > 1 && complete_axes(p, first, n);
}

static bool axis_index_applies(hlo_pass *p, const ir_fn *f)
{
    part_of q;
    int first, n;
    (void)p;
    for (uint32_t k = 0; k < f->neqn; k++) if (longer(&f->eqn[k], &q, &first, &n)) return true;
    return false;
}

static bool axis_index_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                              bool *failed)
{
    part_of q;
    int first, n;
    (void)in, (void)sub;
    if (!longer(e, &q, &first, &n)) return false;
    const op_axis_attr *const all = IR_ATTR(q.number, op_axis_attr);
    const op_axis_attr a = { { n, all->axes.v + first }, all->unchecked };
    const tt_dtype to = IR_OUT(e, 0)->dtype;
    out[0] = n ? op_convert(b, ir_emit(b, &prim_axis_index, &a, 0, NULL, 0, NULL), to) : op_int(b, to, 0);
    *failed = !out[0];
    p->found++;
    return true;
}

ir_fn *hlo_axis_index(base_arena *a, const ir_fn *f, int *found)
{
    hlo_pass p = { .arena = a, .applies = axis_index_applies, .equation = axis_index_raised };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
