/* plan/joint.c - what the devices of a process compute of one thing, computed once: their instances lie in one arena at
 * one distance, so all of them are one box with a dim that counts them (run_value's `all`).
 *
 * all_gather of parts that lie one behind the other is such a view. A sum over devices of products, each over its own
 * rows, is one product over all rows: sum_i x_i^T y_i = X^T Y. It is made where the products were, through what is
 * linear between them and the sum (sums of minibatches, a mean's division, casts between floats), so that neither a
 * product per device nor the exchange is there. A reduce_scatter so becomes a product that is cut. Each result is a sum
 * of the same products in another order, rounded once where it was rounded per device: not in reproducible mode. A
 * product by a weight that is the same for all is marked for the engine to run as one (run/join.c).
 *
 * Not for products of few elements: parts of one are cut along rows and columns only, devices would lie idle. */
#include "inner.h"

#include <string.h>

enum { LEAST = 1 << 12, FEW = 128, CHAIN = 256 };        /* elements of a product; rows of a device; a sum's values */

/* ---- views of all instances ---- */

static mesh_set own(const plan_flat *f, const mesh_layout *l)
{
    return l ? plan_differ(f->mesh, mesh_layout_vary(l)) : 0;
}

/* Do the atoms follow one another among those that v varies over? */
static bool one_distance(const plan_value *v, mesh_set over)
{
    const mesh_set low = over & -over, top = (mesh_set)(~(low - 1) & v->vary);
    mesh_set rest = top & (mesh_set)~over;
    return over && !(over & ~v->vary) && (!rest || (rest & -rest) > over);
}

static bool plain(const plan_value *v, mesh_set over)
{
    return !v->halo && !v->row && !v->all && one_distance(v, over) && !(v->layout && v->layout->partial);
}

bool plan_dense(const plan_flat *f, plan_id all)
{
    const plan_value *x = &f->value[all];
    const int behind = x->vary & ~((x->all & -x->all) - 1) & ~x->all;
    int64_t bytes = (int64_t)ir_dtype_of(x->dtype)->bytes;
    for (int d = 0; d < x->rank; d++) bytes *= x->dim[d];
    return !behind && !x->layout && bytes == x->bytes * mesh_set_size(f->mesh, x->all);
}

plan_id plan_all(plan_flat *f, plan_id v, mesh_set over)
{
    const plan_value x = f->value[v];
    mesh_list cut[IR_RANK] = { 0 };
    int64_t dim[IR_RANK] = { f->mesh ? mesh_set_size(f->mesh, over) : 1 };
    mesh_set named = 0;
    if (x.rank == IR_RANK || !plain(&x, over) || (x.layout && !mesh_divides(x.layout, x.dim))) return 0;
    for (int d = 0; d < x.rank; d++) {
        const mesh_list l = x.layout ? x.layout->dim[d].atoms : 0;
        dim[d + 1] = x.dim[d];
        for (int i = 0; i < mesh_list_n(l); i++) {
            const int a = mesh_list_at(l, i);
            if (over >> a & 1) named |= (mesh_set)(1u << a), dim[d + 1] /= f->mesh->atom[a];
            else cut[d + 1] = mesh_list_push(cut[d + 1], a);
            if (over >> a & 1 && cut[d + 1]) return 0;  /* what stays is a part of each */
        }
    }
    if (named && named != over) return 0;
    const plan_id y = plan_new(f, x.dtype, x.rank + 1, dim, mesh_layout_dims(f->mesh, x.rank + 1, cut), 0);
    plan_value *z = &f->value[y];
    z->vary = x.vary & (mesh_set)~over, z->all = over, z->bytes = x.bytes;
    z->base = x.base, z->root = x.root, z->def = x.def, z->place = x.place;
    return y;
}

plan_id plan_gathered(plan_flat *f, plan_id v, int d, mesh_list order)
{
    const plan_value x = f->value[v];
    mesh_list l = 0;
    for (int i = 0; i < mesh_list_n(order); i++)
        if (f->mesh->atom[mesh_list_at(order, i)] > 1) l = mesh_list_push(l, mesh_list_at(order, i));
    const mesh_set over = mesh_list_set(l);
    int64_t dim[IR_RANK];
    if (!over || l != mesh_set_list(over)) return 0;
    for (int k = 0; k < d; k++) if (x.dim[k] != 1) return 0;
    for (int k = 0; x.layout && k < x.rank; k++)         /* cut along d, by these alone */
        if (x.layout->dim[k].atoms != (k == d ? order : 0)) return 0;
    const uint32_t before = f->nvalue;
    const plan_id y = plan_all(f, v, over);
    if (!y) return 0;
    plan_value *z = &f->value[y];
    memcpy(dim, x.dim, (size_t)x.rank * sizeof *dim);
    if (!x.layout) dim[d] *= mesh_set_size(f->mesh, over);
    z->rank = x.rank, z->dim = BASE_COPY(f->a, dim, x.rank), z->layout = NULL;
    if (plan_dense(f, y)) return y;
    f->nvalue = before;
    return 0;
}

/* ---- products ---- */

/* The product of e with a dim 0 more in the first operand, or in both: then it is summed over. */
static const ir_eqn *wider(plan_flat *f, const ir_eqn *e, const ir_type *lhs, const ir_type *rhs, bool sum)
{
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    ir_build *b = ir_begin(f->a, base_intern("joint"), f->mesh);
    const ir_id x[2] = { ir_arg(b, lhs), ir_arg(b, rhs) };
    const op_dot_attr w = { op_dims_shifted(b, a->lhs_batching, 1, 0, 0),
                            op_dims_shifted(b, a->rhs_batching, sum, 0, 0),
                            op_dims_shifted(b, a->lhs_contracting, 1, sum, 0),
                            op_dims_shifted(b, a->rhs_contracting, sum, sum, 0), a->result };
    ir_site(b, e->site);
    const ir_id out = ir_emit(b, e->op, &w, 2, x, 0, NULL);
    const ir_fn *fn = out ? ir_end(b, 1, &out) : NULL;
    return fn ? &fn->eqn[0] : NULL;
}

/* Which dim is cut by the atoms of `over` first, and by them alone or by others behind them; -1: none is. */
static int cut_by(const mesh_layout *l, mesh_set over)
{
    for (int d = 0; l && d < l->rank; d++) {
        mesh_set first = 0;
        for (int i = 0; i < mesh_list_n(l->dim[d].atoms) && first != over; i++)
            first |= (mesh_set)(1u << mesh_list_at(l->dim[d].atoms, i));
        if (first == over) return d;
    }
    return -1;
}

/* A dim 0 that counts the parts along `over`, and what is left of dim d, which they cut; d < 0: they cut none. */
static const mesh_layout *count_parts(const plan_flat *f, const mesh_layout *l, int rank, const int64_t *dim,
                                      mesh_set over, int d, int64_t *more)
{
    mesh_list cut[IR_RANK] = { d < 0 ? mesh_set_list(over) : 0 };
    more[0] = mesh_set_size(f->mesh, over);
    for (int k = 0; k < rank; k++) {
        const mesh_list all = l ? l->dim[k].atoms : 0;
        more[k + 1] = k == d ? dim[k] / more[0] : dim[k];
        for (int i = 0; i < mesh_list_n(all); i++) {
            const int a = mesh_list_at(all, i), to = over >> a & 1 ? 0 : k + 1;
            cut[to] = mesh_list_push(cut[to], a);
        }
    }
    return mesh_layout_dims(f->mesh, rank + 1, cut);
}

/* Do instances lie as one array cut along its outermost dim? Then the engine joins them as they are. */
static bool one_array(tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l, int d)
{
    int64_t bytes = (int64_t)ir_dtype_of(dtype)->bytes;
    for (int k = 0; k < rank; k++) bytes *= dim[k] / (l ? mesh_list_size(l->mesh, l->dim[k].atoms) : 1);
    for (int k = 0; k < d; k++) if (dim[k] != 1) return false;
    return d >= 0 && bytes % RUN_LINE == 0;
}

static bool even(const mesh_layout *l, const int64_t *dim) { return !l || (!l->partial && mesh_divides(l, dim)); }

/* Rows of one device, if they are few enough for the weight to be worth sharing. */
static bool few_rows(const plan_value *x, ir_dims sum)
{
    const mesh_layout *l = x->layout;
    int64_t rows = 1;
    for (int d = 0; d < x->rank; d++)
        if (!op_dims_has(sum, d)) rows *= x->dim[d] / (l ? mesh_list_size(l->mesh, l->dim[d].atoms) : 1);
    return rows && rows < FEW;
}

bool plan_one_weight(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    if (e->op != &row_dot_general || f->reproducible || !f->mesh) return false;
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const plan_value x = f->value[in[0]], w = f->value[in[1]];
    const ir_type *y = IR_OUT(e, 0);
    const mesh_layout *to = e->fn->layout ? e->fn->layout[e->out] : NULL;
    const mesh_set over = x.vary & (mesh_set)~w.vary, all = ((x.vary | w.vary) & f->manual) | own(f, to);
    if (!over || x.halo || x.row || x.all || w.halo || w.row || a->lhs_batching.n) return false;
    if (x.rank == IR_RANK || y->rank == IR_RANK || !even(x.layout, x.dim) || !even(to, y->dim)) return false;
    const int d = cut_by(x.layout, over), o = cut_by(to, over);
    int before = 0;                                      /* of the result's dims: free ones of x before d */
    for (int k = 0; k < d; k++) before += !op_dims_has(a->lhs_contracting, k);
    if (d < 0 ? over & (own(f, x.layout) | own(f, to)) || over & ~f->manual
              : o != before || op_dims_has(a->lhs_contracting, d)) return false;
    if (!few_rows(&x, a->lhs_contracting)) return false;
    if (over == all && one_array(x.dtype, x.rank, x.dim, x.layout, d) && one_array(y->dtype, y->rank, y->dim, to, o))
        return false;
    int64_t lhs[IR_RANK], made[IR_RANK];
    const mesh_layout *lx = count_parts(f, x.layout, x.rank, x.dim, over, d, lhs);
    const mesh_layout *ly = count_parts(f, to, y->rank, y->dim, over, o, made);
    const ir_eqn *one = wider(f, e, ir_type_of(x.dtype, x.rank + 1, lhs), ir_type_of(w.dtype, w.rank, w.dim), false);
    if (!one) return false;
    plan_item *t = plan_item_new(f, b, PLAN_EQN, one, 2, 1);
    t->vary = all;
    t->in[0] = plan_view(f, in[0], x.rank + 1, lhs, lx);
    t->in[1] = in[1];
    t->out[0] = plan_new(f, y->dtype, y->rank + 1, made, ly, all);
    f->value[t->out[0]].def = t;
    out[0] = plan_view(f, t->out[0], y->rank, y->dim, to);
    return true;
}

/* ---- sums over devices ---- */

typedef struct {
    plan_flat *f; const plan_item *move;
    const uint32_t *uses;                                /* [base] */
    mesh_set over; const plan_value *to; bool cut;       /* cut: what is summed is cut more then */
    uint32_t n, products; plan_id v[CHAIN];              /* what is to be summed before */
} chain;

static bool same_dims(const plan_value *x, const plan_value *y)
{
    if (x->rank != y->rank) return false;
    for (int d = 0; d < x->rank; d++) if (x->dim[d] != y->dim[d]) return false;
    return true;
}

static bool product(const chain *s, const plan_item *t)
{
    const op_dot_attr *a = IR_ATTR(t->eqn, op_dot_attr);
    const ir_dims *sum[2] = { &a->lhs_contracting, &a->rhs_contracting };
    if (ir_count(IR_OUT(t->eqn, 0)) < LEAST) return false;
    for (int k = 0; k < 2; k++) {
        const plan_value *x = &s->f->value[t->in[k]];
        if (x->rank == IR_RANK || !plain(x, s->over)) return false;
        if (x->layout && !mesh_divides(x->layout, x->dim)) return false;
        mesh_set named = 0;
        for (int d = 0; x->layout && d < x->rank; d++) {
            const mesh_list l = x->layout->dim[d].atoms;
            const mesh_set here = mesh_list_set(l) & s->over;
            if (here && !op_dims_has(*sum[k], d)) return false;
            if (s->cut && l && !op_dims_has(*sum[k], d)) return false;
            for (int i = 1; i < mesh_list_n(l); i++)
                if (here >> mesh_list_at(l, i) & 1 && !(here >> mesh_list_at(l, i - 1) & 1)) return false;
            named |= here;
        }
        if (named && named != s->over) return false;
    }
    return true;
}

static bool linear(chain *s, plan_id v);

static bool fixed(const chain *s, plan_id v) { return !(s->f->value[v].vary & s->over); }

/* What its operands' sums give its own sum. */
static bool passes(chain *s, const plan_item *t)
{
    const op_row *op = t->eqn->op;
    if (op == &row_add || op == &row_sub) return linear(s, t->in[0]) && linear(s, t->in[1]);
    if (op == &row_neg) return linear(s, t->in[0]);
    if (op == &row_div) return fixed(s, t->in[1]) && linear(s, t->in[0]);
    if (op == &row_mul) return fixed(s, t->in[1]) ? linear(s, t->in[0]) : fixed(s, t->in[0]) && linear(s, t->in[1]);
    if (op == &row_transpose) return !s->cut && !s->to->layout && linear(s, t->in[0]);
    if (op != &row_convert) return false;
    const tt_dtype x = s->f->value[t->in[0]].dtype;
    return ir_is_float(x) && ir_dtype_of(x)->bytes <= 4 && ir_dtype_of(s->f->value[t->out[0]].dtype)->bytes <= 4
           && linear(s, t->in[0]);
}

/* May v be summed over the devices where it is made? */
static bool linear(chain *s, plan_id v)
{
    const plan_value *x = &s->f->value[v];
    const plan_item *t = x->def;
    const bool view = x->base != v;
    if (s->n == CHAIN || !ir_is_float(x->dtype) || s->over & ~x->vary || x->row || x->halo || x->place || x->all)
        return false;
    if (s->uses[x->base] != 1 || !t || t->kind != PLAN_EQN || t->nout != 1 || t->block != s->move->block) return false;
    s->v[s->n++] = v;
    if (view && (s->cut || x->layout || s->n == CHAIN)) return false;
    if (view) s->v[s->n++] = x->base, x = &s->f->value[x->base];
    if (x->layout && s->over & ~x->layout->partial & own(s->f, x->layout)) return false;     /* cut along them */
    if (s->cut && !same_dims(x, s->to)) return false;
    if (t->eqn->op == &row_dot_general) return s->products++, product(s, t);
    return !t->cheap && passes(s, t);
}

/* The same value, summed: its instances along `over` are gone. */
static void summed(const chain *s, plan_id v)
{
    plan_flat *f = s->f;
    plan_value *x = &f->value[v];
    const mesh_layout *l = s->cut ? s->to->layout : x->layout;
    if (l && l->partial) {
        mesh_layout less = *l;
        less.partial &= (mesh_set)~s->over;
        if (!less.partial) less.how = MESH_NONE;
        l = mesh_intern(&less);
    }
    x->layout = own(f, l) ? l : NULL;
    x->vary = (x->vary & (mesh_set)~s->over) | own(f, l);
    if (s->cut) x->bytes = run_bytes(x->dtype, x->rank, x->dim, x->layout, NULL);
    if (x->base == v) x->def->vary = x->vary;
}

/* The instances of a product's operands, all of them. */
static bool join(const chain *s, plan_item *t)
{
    const plan_id x = plan_all(s->f, t->in[0], s->over), y = plan_all(s->f, t->in[1], s->over);
    if (!x || !y) return base_bug(t->site, "a product's devices do not lie together");
    const plan_value *l = &s->f->value[x], *r = &s->f->value[y];
    const ir_eqn *e = wider(s->f, t->eqn, ir_type_of(l->dtype, l->rank, l->dim), ir_type_of(r->dtype, r->rank, r->dim),
                            true);
    if (e) t->in[0] = x, t->in[1] = y, t->eqn = e;
    return e;
}

/* Is what the exchange gives laid out as what it sums, or only cut more, from whole dims? */
static bool lies(chain *s, const plan_value *x)
{
    const mesh_layout *l = s->to->layout;
    for (int d = 0; d < x->rank; d++) {
        const mesh_list from = x->layout ? x->layout->dim[d].atoms : 0, to = l ? l->dim[d].atoms : 0;
        if (from == to) continue;
        if (from) return false;
        s->cut = true;
    }
    return same_dims(x, s->to) && (l ? !l->partial : true);
}

static bool together(plan_flat *f, plan_item *t, const uint32_t *uses)
{
    const plan_value *x = &f->value[t->in[0]];
    chain s = { .f = f, .move = t, .uses = uses, .over = t->over, .to = &f->value[t->out[0]] };
    if (t->how != MESH_SUM || mesh_list_n(t->order) || !lies(&s, x)) return false;
    if (s.to->place || s.to->base != t->out[0]) return false;
    const mesh_set was = x->layout ? x->layout->partial : 0;
    if (was & (mesh_set)~t->over || s.to->root != t->out[0] || !linear(&s, t->in[0]) || !s.products) return false;
    for (uint32_t i = 0; i < s.n; i++) {
        plan_item *d = f->value[s.v[i]].def;
        if (f->value[s.v[i]].base == s.v[i] && d->eqn->op == &row_dot_general && !join(&s, d)) return false;
        s.to = &f->value[t->out[0]];                     /* values may have moved */
    }
    for (uint32_t i = 0; i < s.n; i++) summed(&s, s.v[i]);
    return true;
}

/* ---- all of them ---- */

static void count(const plan_flat *f, const plan_block *b, uint32_t *uses)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        for (uint32_t k = 0; k < t->nin; k++) uses[f->value[t->in[k]].base]++;
        if (t->kind == PLAN_LOOP) uses[f->value[t->test].base]++;
        count(f, &t->cond, uses);
        count(f, &t->body, uses);
        for (uint32_t k = 0; k < t->nbranch; k++) count(f, &t->branch[k], uses);
    }
}

/* Sums that are no step any more: is[their results] is what was summed. */
static bool find(plan_flat *f, plan_block *b, const uint32_t *uses, plan_id *is)
{
    bool any = false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        any |= find(f, &t->cond, uses, is) | find(f, &t->body, uses, is);
        for (uint32_t k = 0; k < t->nbranch; k++) any |= find(f, &t->branch[k], uses, is);
        const bool gone = t->kind == PLAN_MOVE && t->over && together(f, t, uses);
        if (gone) is[t->out[0]] = t->in[0], any = true;
        else (b->item[n] = t)->index = n, n++;
    }
    b->n = n;
    return any;
}

static void rename_in(const plan_block *b, const plan_id *is)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        for (uint32_t k = 0; k < t->nin; k++) t->in[k] = is[t->in[k]];
        if (t->kind == PLAN_LOOP) t->test = is[t->test];
        rename_in(&t->cond, is);
        rename_in(&t->body, is);
        for (uint32_t k = 0; k < t->nbranch; k++) rename_in(&t->branch[k], is);
    }
}

void plan_sums(plan_flat *f)
{
    const uint32_t most = f->nvalue;
    uint32_t *uses = BASE_NEW(f->a, uint32_t, most + 1);
    plan_id *is = BASE_NEW(f->a, plan_id, most + 1);
    count(f, &f->main, uses);
    for (uint32_t i = 0; i < f->fn->nret; i++) uses[f->value[f->ret[i]].base]++;
    if (!find(f, &f->main, uses, is)) return;
    plan_id *now = BASE_NEW(f->a, plan_id, f->nvalue + 1);
    for (plan_id v = 1; v <= f->nvalue; v++) {
        plan_value *x = &f->value[v];
        now[v] = v <= most && is[v] ? is[v] : v;
        if (x->root <= most && is[x->root]) x->root = f->value[is[x->root]].root;
        if (x->base > most || !is[x->base]) continue;
        const plan_value y = f->value[is[x->base]];      /* a view of a sum */
        x->base = y.base, x->def = y.def;
    }
    rename_in(&f->main, now);
    for (uint32_t i = 0; i < f->fn->nret; i++) f->ret[i] = now[f->ret[i]];
}
