/* spmd/explicit/explicit.c - explicit mode: infers the layout of a result from the operands' by the factor rule,
 * forward only.
 *
 * - A factor that one operand shards and others replicate is sharded (elementwise: the replicated operand is sliced).
 * - A reduction factor that occurs in one operand only is reduced. One that occurs in two operands and that one of them
 *   shards is not sharded: this operand is gathered, as in JAX.
 * Errors, which the user must resolve: a reduction factor that both operands shard, operands that are sharded
 * differently, an axis that would shard two dims of the result, a dim that the equation cannot shard, a reshape whose
 * result dims do not determine a layout. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct {
    base_arena *a; const ir_eqn *e; const mesh *m; mesh_set keep;
    const mesh_layout *const *x;
    spmd_strictness how;
    op_rule *r;
    mesh_list atoms[OP_FACTORS];                         /* [factor]: atoms that shard it */
    int by[OP_FACTORS];                                  /* operand with these atoms */
} asking;

mesh_set spmd_explicit(const mesh *m)
{
    mesh_set s = 0;
    for (int i = 0; m && i < m->naxis; i++)
        if (m->axis[i].mode == MESH_EXPLICIT) s |= (mesh_set)(((1u << m->axis[i].natom) - 1) << m->axis[i].first);
    return s;
}

static mesh_list only(mesh_list l, mesh_set keep)
{
    mesh_list y = 0;
    for (int i = 0; i < mesh_list_n(l); i++)
        if (keep >> mesh_list_at(l, i) & 1) y = mesh_list_push(y, mesh_list_at(l, i));
    return y;
}

const mesh_layout *spmd_only(const mesh *m, int rank, const mesh_layout *l, mesh_set keep)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int d = 0; l && l->mesh == m && l->rank == rank && d < rank; d++) dim[d] = only(l->dim[d].atoms, keep);
    return mesh_layout_dims(m, rank, dim);
}

/* ---- errors ---- */

static const char *operand_text(base_arena *a, const ir_type *t, const mesh_layout *l)
{
    base_text s = { .arena = a };
    base_appendf(&s, "%s[", ir_dtype_of(t->dtype)->name);
    for (int d = 0; d < t->rank; d++) {
        const mesh_layout one = { .mesh = l->mesh, .rank = 1, .dim = &l->dim[d] };
        base_appendf(&s, "%s%lld", d ? ", " : "", (long long)t->dim[d]);
        if (l->dim[d].atoms) base_appendf(&s, "@%s", mesh_print(a, &one));
    }
    base_appendf(&s, "]");
    return s.s;
}

static base_site born(const ir_fn *f, ir_id id)          /* NULL: the value is an argument */
{
    const ir_eqn *const e = ir_definition(f, id);
    return e ? e->site : NULL;
}

/* Adds to the error the operands with their sites and layouts, and a hint. Returns false. */
static bool cite(const asking *q, const char *hint)
{
    for (uint32_t i = 0; i < q->e->nin && i < 4; i++)
        base_also(born(q->e->fn, q->e->in[i]), "%s", operand_text(q->a, IR_IN(q->e, i), q->x[i]));
    return base_hint("%s", hint);
}

static const char *explicit_axes_of(const asking *q, mesh_list l) { return mesh_set_text(q->a, q->m, mesh_list_set(l));
}

static bool explicit_plain(asking *, const mesh_layout **y);

/* Text of the result's layout after the sum is reduced; scattered: with the sum's atoms l added to the last dim. */
static const char *finished(const asking *q, mesh_list l, bool scattered)
{
    asking again = { .a = q->a, .e = q->e, .m = q->m, .keep = q->keep, .x = q->x, .how = SPMD_SETTLE };
    const mesh_layout **y = BASE_NEW(q->a, const mesh_layout *, q->e->nout + 1);
    mesh_list dim[IR_RANK + 1] = { 0 };
    if (!explicit_plain(&again, y)) return "";
    for (int d = 0; d < y[0]->rank; d++) dim[d] = y[0]->dim[d].atoms;
    for (int i = 0; scattered && y[0]->rank && i < mesh_list_n(l); i++)
        dim[y[0]->rank - 1] = mesh_list_push(dim[y[0]->rank - 1], mesh_list_at(l, i));
    return mesh_print(q->a, mesh_layout_dims(q->m, y[0]->rank, dim));
}

/* Shows the type of the first operand, from t on, that an atom of l shards, with a caret at the sharded dim. */
static void show(const asking *q, uint32_t t, mesh_list l)
{
    for (; t < q->e->nin; t++)
        for (int d = 0; d < q->x[t]->rank; d++)
            if (mesh_list_set(q->x[t]->dim[d].atoms) & mesh_list_set(l)) {
                const char *text = operand_text(q->a, IR_IN(q->e, t), q->x[t]), *at = strchr(text, '[') + 1;
                for (int k = 0; k < d; k++) at = strstr(at, ", ") + 2;
                base_caret(text, (size_t)(at - text) + strcspn(at, "@") + 1);
                return;
            }
}

static bool sum_is_open(const asking *q, mesh_list l)
{
    base_fail(TT_ESPEC, q->e->site, "%s: both operands are sharded by %s along the dim that is summed: "
                                    "the layout of the sum is not determined",
              q->e->op->name, explicit_axes_of(q, l));
    show(q, 0, l);
    return cite(q, base_format(q->a, "put tt_shard(..., mesh, spec) around the call: \"%s\" gives every device the "
                                     "sum (all-reduce), \"%s\" each its part (reduce-scatter); or give one operand "
                                     "another layout", finished(q, l, false), finished(q, l, true)));
}

static bool differ(const asking *q, int f, int t, mesh_list l)
{
    const char *a = explicit_axes_of(q, q->atoms[f]), *b = explicit_axes_of(q, l);
    base_fail(TT_ESPEC, q->e->site, "%s: operands %d and %d are sharded differently along one dim: by %s and by %s",
              q->e->op->name, q->by[f], t, a, b);
    show(q, (uint32_t)t, l);
    return cite(q, "on explicit axes no layout is chosen: give one operand the other's layout with tt_shard");
}

static bool uncut(const asking *q, int t, int d, mesh_list l)
{
    base_fail(TT_ESPEC, q->e->site, "%s cannot shard dim %d of operand %d, which is sharded by %s", q->e->op->name, d,
        t,
              explicit_axes_of(q, l));
    show(q, (uint32_t)t, l);
    return cite(q, "gather the operand first, with tt_shard and \"_\" for that dim; or make the axis auto");
}

static bool no_dim(const asking *q, int t, mesh_list l)
{
    base_fail(TT_ESPEC, q->e->site, "%s: operand %d is sharded by %s, but the dim of the result to be sharded by it is "
                                    "not determined",
              q->e->op->name, t, explicit_axes_of(q, l));
    show(q, (uint32_t)t, l);
    return cite(q, "put tt_shard(..., mesh, spec) around the call, with the spec of the result");
}

static bool twice(const asking *q, int t, mesh_list l)
{
    const char *const axes = explicit_axes_of(q, l);
    base_fail(TT_ESPEC, q->e->site, "%s: %s %s would shard two dims of the result", q->e->op->name,
              strchr(axes, '+') ? "axes" : "axis", axes);
    show(q, (uint32_t)t, l);
    return cite(q, "put tt_shard(..., mesh, spec) around the call, with the spec of the result");
}

/* True if inference may continue past a conflict (SPMD_SETTLE). Otherwise false; if the strictness is SPMD_REPORT,
 * `report` sets the error first. */
#define OR_REPORT(q, report) ((q)->how == SPMD_SETTLE || ((q)->how == SPMD_REPORT && (report)))

/* ---- factors ---- */

static bool explicit_note(asking *q, int t, int d, int f, mesh_list l)
{
    const op_factor_kind kind = q->r->factor[f].kind;
    if (kind == OP_NEED_REPLICATION) return OR_REPORT(q, uncut(q, t, d, l));
    if (!q->atoms[f]) {
        q->atoms[f] = l;
        q->by[f] = t;
        return true;
    }
    if (q->atoms[f] != l) return OR_REPORT(q, differ(q, f, t, l));
    return kind != OP_REDUCTION || q->by[f] == t || OR_REPORT(q, sum_is_open(q, l));
}

/* Splits the atoms of a dim over its factors, major to minor: a factor gets atoms only if all factors before it are
 * sharded to single elements. */
static bool explicit_split_factors(asking *q, int t, int d)
{
    const struct op_rule_dim *dim = &q->r->dim[t * IR_RANK + d];
    const mesh_list l = q->x[t]->dim[d].atoms;
    int at = 0;
    for (int i = 0; i < dim->n && at < mesh_list_n(l); i++) {
        const int f = dim->at[i].factor;
        mesh_list mine = 0;
        int64_t parts = 1;
        for (; at < mesh_list_n(l); at++) {
            const int64_t more = parts * q->m->atom[mesh_list_at(l, at)];
            if (dim->n > 1 && q->r->factor[f].size % more) break;
            mine = mesh_list_push(mine, mesh_list_at(l, at));
            parts = more;
        }
        if (mine && !explicit_note(q, t, d, f, mine)) return false;
        if (dim->n > 1 && parts != q->r->factor[f].size) break;
    }
    return at == mesh_list_n(l) || OR_REPORT(q, no_dim(q, t, l));
}

/* ---- results ---- */

static bool result_dim(asking *q, int t, int d, mesh_set *used, mesh_list *out)
{
    const struct op_rule_dim *dim = &q->r->dim[t * IR_RANK + d];
    bool open = true;                                    /* all factors before are sharded to single elements */
    for (int i = 0; i < dim->n; i++) {
        const int f = dim->at[i].factor;
        const mesh_list l = q->r->factor[f].kind == OP_REDUCTION ? 0 : q->atoms[f];
        if (l && !open) {
            if (!OR_REPORT(q, no_dim(q, q->by[f], l))) return false;
            continue;
        }
        if (mesh_list_set(l) & *used) {
            if (!OR_REPORT(q, twice(q, q->by[f], l))) return false;
            continue;
        }
        for (int k = 0; k < mesh_list_n(l); k++) *out = mesh_list_push(*out, mesh_list_at(l, k));
        *used |= mesh_list_set(l);
        open = mesh_list_size(q->m, l) == q->r->factor[f].size;
    }
    return true;
}

static bool explicit_plain(asking *q, const mesh_layout **y)
{
    const ir_eqn *e = q->e;
    bool cut = false;
    for (uint32_t i = 0; i < e->nin; i++) cut |= mesh_layout_vary(q->x[i]) != 0;
    if (cut && !op_rule_of(e, &q->r)) return false;
    for (uint32_t i = 0; cut && i < e->nin; i++)
        for (int d = 0; d < IR_IN(e, i)->rank; d++) if (!explicit_split_factors(q, (int)i, d)) return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        mesh_list dim[IR_RANK + 1] = { 0 };
        mesh_set used = 0;
        for (int d = 0; cut && d < IR_OUT(e, j)->rank; d++)
            if (!result_dim(q, (int)(e->nin + j), d, &used, &dim[d])) return false;
        y[j] = mesh_layout_dims(q->m, IR_OUT(e, j)->rank, dim);
    }
    return true;
}

/* The layout of a constraint's result: the given atoms; an open dim also has the operand's atoms, up to the first one
 * that the constraint uses or forbids. */
static bool wish(const asking *q, const mesh_layout **y)
{
    const mesh_layout *to = IR_ATTR(q->e, op_layout_attr)->sharding.v[0];
    mesh_list dim[IR_RANK + 1] = { 0 };
    mesh_set used = mesh_used(to) | to->closed;
    for (int d = 0; d < to->rank; d++) {
        const mesh_list has = q->x[0]->dim[d].atoms;
        dim[d] = only(to->dim[d].atoms, q->keep);
        for (int i = 0; to->dim[d].open && i < mesh_list_n(has) && !(used >> mesh_list_at(has, i) & 1); i++) {
            dim[d] = mesh_list_push(dim[d], mesh_list_at(has, i));
            used |= (mesh_set)(1u << mesh_list_at(has, i));
        }
    }
    y[0] = mesh_layout_dims(q->m, to->rank, dim);
    return true;
}

static bool infer(base_arena *a, const ir_eqn *e, mesh_set keep, const mesh_layout *const *x, const mesh_layout **y,
                  spmd_strictness how)
{
    asking q = { .a = a, .e = e, .m = e->fn->mesh, .keep = keep, .x = x, .how = how };
    if (e->op == &prim_constrain || e->op == &prim_reshard) return wish(&q, y);
    return e->op->edges ? spmd_infer_regions(a, e, keep, x, y, how) : explicit_plain(&q, y);
}

/* ---- functions ---- */

/* Sets the error of the equation at which the layout of value id became open, following open operands backwards. */
static bool explicit_report(base_arena *a, const ir_fn *f, mesh_set keep, const mesh_layout **l, ir_id id)
{
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *e = &f->eqn[k];
        const mesh_layout **x = BASE_NEW(a, const mesh_layout *, e->nin + 1);
        const mesh_layout **y = BASE_NEW(a, const mesh_layout *, e->nout + 1);
        if (id < e->out || id >= e->out + e->nout) continue;
        for (uint32_t i = 0; i < e->nin; i++) if (!(x[i] = l[e->in[i]])) return explicit_report(a, f, keep, l,
            e->in[i]);
        return infer(a, e, keep, x, y, SPMD_REPORT);
    }
    return base_bug(NULL, "the layout of an argument is open");
}

bool spmd_infer_open(base_arena *a, const ir_fn *f, mesh_set keep, const mesh_layout **l, ir_id id, spmd_strictness how)
{
    return l[id] || (how == SPMD_REPORT && explicit_report(a, f, keep, l, id));
}

bool spmd_infer(base_arena *a, const ir_fn *f, uint32_t first, uint32_t end, mesh_set keep, const mesh_layout **l,
                spmd_strictness how)
{
    uint32_t most = 0;
    for (uint32_t k = first; k < end; k++) if (f->eqn[k].nin > most) most = f->eqn[k].nin;
    const mesh_layout **x = BASE_NEW(a, const mesh_layout *, most + 1);
    for (uint32_t k = first; k < end; k++) {
        const ir_eqn *e = &f->eqn[k];
        const bool wished = e->op == &prim_constrain || e->op == &prim_reshard;
        bool waits = false;
        for (uint32_t i = 0; i < e->nin; i++) {
            x[i] = l[e->in[i]];
            if (!x[i] && (wished || how == SPMD_SETTLE)) x[i] = spmd_only(f->mesh, IR_IN(e, i)->rank, NULL, 0);
            if (!x[i] && e->nin > 1) return spmd_infer_open(a, f, keep, l, e->in[i], how);
            waits |= !x[i];
        }
        if (waits || infer(a, e, keep, x, &l[e->out], how == SPMD_SETTLE ? how : SPMD_TRY)) continue;
        for (uint32_t j = 0; j < e->nout; j++) l[e->out + j] = NULL;
    }
    return true;
}

bool spmd_infer_fn(base_arena *a, const ir_fn *f, mesh_set keep, const mesh_layout *const *in, const mesh_layout **ret,
                   spmd_strictness how)
{
    const mesh_layout **l = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) l[1 + i] = spmd_only(f->mesh, f->type[1 + i]->rank, in[i], keep);
    if (!spmd_infer(a, f, 0, f->neqn, keep, l, how)) return false;
    for (uint32_t i = 0; i < f->nret; i++)
        if (!spmd_infer_open(a, f, keep, l, f->ret[i], how)) return false;
        else ret[i] = l[f->ret[i]];
    return true;
}
