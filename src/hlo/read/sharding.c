/* hlo/read/sharding.c - layouts of values: Shardy's meshes and shardings become a mesh and constraints.
 *
 *     sdy.mesh @mesh = <["data"=2, "model"=4]>
 *     #sdy.sharding<@mesh, [{"data"}, {"model":(1)2, ?}p1], replicated={"x"}>
 *
 * A program has one mesh; meshes of a single device (for callbacks) are ignored. Shardings of arguments and results, of
 * @main and of other functions, become constraints on them, unless all is open. A second mesh over as many devices is
 * accepted if its axes divide between the first one's atoms. The members of a sharding group, from the second on,
 * become results of one `alike`; members in another region than the first are ignored. Unreduced axes say where a sum
 * is completed, which is the partitioner's decision, so they are ignored. */
#include "../inner.h"
#include "../../op/ops.h"

#include <ctype.h>
#include <string.h>

/* A parser of a part of the text: messages have the part's positions. */
hlo_parser hlo_within(const hlo_reader *r, hlo_span s)
{
    hlo_parser q = *r->p;
    q.at = s.at, q.end = s.at + s.n;
    return q;
}

/* ---- meshes ---- */

/* An axis's name in this library's form: letters, digits and '_'. JAX prints "<axis 0x7f...>" for an axis without
 * name. */
base_name hlo_axis_name(const hlo_reader *r, hlo_span s)
{
    base_text t = { .arena = r->p->arena };
    if (!s.n || !(isalpha((unsigned char)*s.at) || *s.at == '_') || hlo_is(s, "_")) base_appendf(&t, "axis_");
    for (size_t i = 0; i < s.n; i++) base_appendf(&t, "%c", isalnum((unsigned char)s.at[i]) ? s.at[i] : '_');
    return base_intern(t.s);
}

static bool read_mesh(hlo_reader *r, hlo_mesh *m)
{
    hlo_parser q = hlo_within(r, m->text);
    base_text t = { .arena = r->p->arena };
    int64_t n, total = 1, *ids;
    hlo_span name;
    if (!hlo_need(&q, "<") || !hlo_need(&q, "[")) return false;
    while (!hlo_take(&q, "]")) {
        const char *const at = q.at;
        if (t.n && !hlo_need(&q, ",")) return false;
        if (!hlo_string(&q, &name) || !hlo_need(&q, "=") || !hlo_integer(&q, &n)) return false;
        if (n < 1 || n > 1 << 20 || total > (1 << 20) / n)
            return hlo_fail(&q, at, TT_EMESH, "an axis of size %lld; expected 1 or more, and at most 2^20 devices",
                            (long long)n);
        total *= n;
        base_appendf(&t, "%s%s:%lld", t.n ? ", " : "", hlo_axis_name(r, name), (long long)n);
    }
    if (!t.n) return true;                               /* a single device */
    if (!hlo_take(&q, ",")) return (m->mesh = mesh_of(r->p->file, t.s)) != NULL;
    if (!hlo_need(&q, "device_ids") || !hlo_need(&q, "=") || !hlo_need(&q, "[")) return false;
    ids = BASE_NEW(r->p->arena, int64_t, total);
    for (int64_t i = 0; i < total; i++)
        if ((i && !hlo_need(&q, ",")) || !hlo_integer(&q, &ids[i])) return false;
    return (m->mesh = mesh_ordered(r->p->file, t.s, ids)) != NULL;
}

bool hlo_read_meshes(hlo_reader *r)
{
    for (int i = 0; i < r->m->mesh.n; i++) {
        hlo_mesh *const m = &r->m->mesh.v[i];
        if (m->module != r->module) continue;
        if (!read_mesh(r, m)) return false;
        if (!r->mesh) r->mesh = m->mesh;
    }
    return true;
}

/* ---- shardings ---- */

/* Atoms of the program's mesh with strides in [step, step * size). False: the range does not end at atoms. */
static bool stepping(const mesh *m, int64_t step, int64_t size, mesh_list *list)
{
    int64_t below = mesh_size(m), all = 1;
    for (int a = 0; a < m->natom; a++) {
        below /= m->atom[a];
        if (below < step || below >= step * size) continue;
        *list = mesh_list_push(*list, a);
        all *= m->atom[a];
    }
    return all == size;
}

/* An axis of mesh m, which may be a second mesh, or its part of `size` coordinates after a major part of `before`. */
static bool axis(hlo_reader *r, const mesh *m, base_name name, int64_t before, int64_t size, mesh_list *list)
{
    int64_t above = 1, part = 1, below = mesh_size(m);
    for (int i = 0; m != r->mesh && i < m->naxis; i++) {
        below /= m->axis[i].size;
        if (m->axis[i].name != name) continue;
        const int64_t n = size ? size : m->axis[i].size / before;
        return m->axis[i].size % (before * n) == 0 && stepping(r->mesh, below * (m->axis[i].size / before / n), n,
                                                               list);
    }
    const mesh_list whole = mesh_axis_list(m, name);
    for (int i = 0; i < mesh_list_n(whole); i++) {
        const int a = mesh_list_at(whole, i);
        if (above < before) above *= m->atom[a];
        else if (!size || part < size) part *= m->atom[a], *list = mesh_list_push(*list, a);
    }
    return above == before && (!size || part == size);
}

static bool axes(hlo_reader *r, hlo_parser *q, const mesh *m, mesh_list *list, bool *open)  /* {"a", "b":(2)2, ?} */
{
    if (!hlo_need(q, "{")) return false;
    if (hlo_take(q, "}")) return true;
    do {
        hlo_span name;
        if (open && hlo_take(q, "?")) {
            *open = true;
            continue;
        }
        hlo_blank(q);
        const char *const at = q->at;
        int64_t before = 1, size = 0;
        if (!hlo_string(q, &name)) return false;
        const base_name known = hlo_axis_name(r, name);
        if (!m || !mesh_axis_list(m, known))
            return hlo_fail(q, at, TT_ESPEC, "the mesh has no axis \"%.*s\"", HLO_SPAN(name));
        if (hlo_take(q, ":") &&
            (!hlo_need(q, "(") || !hlo_integer(q, &before) || !hlo_need(q, ")") || !hlo_integer(q, &size)))
            return false;
        if (before < 1 || size < 0 || !axis(r, m, known, before, size, list))
            return hlo_fail(q, at, TT_ESPEC, m == r->mesh ? "an axis is split between its prime factors only"
                                                          : "an axis of a second mesh that splits one of the first");
    } while (hlo_take(q, ","));
    return hlo_need(q, "}");
}

static bool states(hlo_reader *r, hlo_parser *q, const mesh *m, mesh_layout *l)
{
    while (hlo_take(q, ",")) {
        mesh_list list = 0;
        const bool closed = hlo_take(q, "replicated");
        if (!closed && !hlo_take(q, "unreduced")) return hlo_expected(q, "\"replicated\"");
        if (!hlo_need(q, "=") || !axes(r, q, m, &list, NULL)) return false;
        if (closed) l->closed = mesh_list_set(list);
        else r->unreduced = true;
    }
    return true;
}

const hlo_mesh *hlo_mesh_called(const hlo_reader *r, hlo_span name)
{
    for (int i = 0; i < r->m->mesh.n; i++) {
        const hlo_mesh *const m = &r->m->mesh.v[i];
        if (m->module == r->module && m->name.n == name.n && !memcmp(m->name.at, name.at, name.n)) return m;
    }
    return NULL;
}

/* "<@mesh, [...]>"; *out NULL: a single device's mesh, which has no effect. */
static bool sharding(hlo_reader *r, hlo_parser *q, int rank, const mesh_layout **out)
{
    mesh_dim dim[IR_RANK] = { 0 };
    hlo_span name;
    int n = 0;
    *out = NULL;
    hlo_take(q, "#sdy.sharding");
    hlo_blank(q);
    const char *const at = q->at;
    if (!hlo_need(q, "<") || !hlo_symbol(q, &name)) return false;
    const hlo_mesh *const m = hlo_mesh_called(r, name);
    if (!m) return hlo_fail(q, name.at, TT_EMESH, "there is no mesh @%.*s", HLO_SPAN(name));
    if (m->mesh && !mesh_same_devices(m->mesh, r->mesh))
        return hlo_fail(q, name.at, TT_EMESH, "a second mesh, over other devices or in another order");
    mesh_layout l = { .mesh = r->mesh, .dim = dim };
    if (!hlo_need(q, ",") || !hlo_need(q, "[")) return false;
    while (!hlo_take(q, "]")) {
        if (n == IR_RANK || (n && !hlo_need(q, ","))) return n < IR_RANK ? false : hlo_expected(q, "\"]\"");
        if (!axes(r, q, m->mesh, &dim[n].atoms, &dim[n].open)) return false;
        if (q->at < q->end && *q->at == 'p') {
            int64_t p;
            q->at++;
            if (!hlo_integer(q, &p)) return false;
            dim[n].priority = (uint8_t)(p < 0 || p > 255 ? 255 : p);
        }
        n++;
    }
    if (!states(r, q, m->mesh, &l) || !hlo_need(q, ">")) return false;
    if (!m->mesh) return true;
    mesh_set seen = l.closed;
    for (int d = 0; d < n; d++) {
        if (mesh_list_set(dim[d].atoms) & seen) return hlo_fail(q, at, TT_ESPEC, "an axis is used twice");
        seen |= mesh_list_set(dim[d].atoms);
    }
    if (n != rank) return hlo_fail(q, at, TT_ESPEC, "a sharding of %d dims for a value of rank %d", n, rank);
    l.rank = n;
    *out = mesh_intern(&l);
    return true;
}

bool hlo_read_shardings(hlo_reader *r, hlo_span s, int n, const int *rank, const mesh_layout **out)
{
    hlo_parser q = hlo_within(r, s);
    const bool wrapped = hlo_take(&q, "#sdy.sharding_per_value");
    if ((wrapped && !hlo_need(&q, "<")) || !hlo_need(&q, "[")) return false;
    for (int i = 0; i < n; i++)
        if ((i && !hlo_need(&q, ",")) || !sharding(r, &q, rank[i], &out[i])) return false;
    return hlo_need(&q, "]");
}

/* of: a list of shardings that names the mesh, or empty */
bool hlo_read_axes(hlo_reader *r, hlo_span s, hlo_span of, mesh_set *set)
{
    hlo_parser q = hlo_within(r, s), m = hlo_within(r, of);
    mesh_list list = 0;
    hlo_span name;
    const mesh *over = r->mesh;
    const hlo_mesh *const said = (m.at = memchr(of.at, '@', of.n)) && hlo_symbol(&m, &name) ? hlo_mesh_called(r, name)
                                                                                              : NULL;
    if (said) over = said->mesh;
    if (!over || !mesh_same_devices(over, r->mesh))
        return hlo_fail(r->p, s.at, TT_EMESH, "axes of a mesh of other devices");
    hlo_take(&q, "#sdy");
    if (hlo_take(&q, "<")) hlo_word(&q);
    if (!axes(r, &q, over, &list, NULL)) return false;
    *set = mesh_list_set(list);
    return true;
}

static bool constrains(const mesh_layout *l)
{
    bool any = l && l->closed;
    for (int d = 0; l && d < l->rank; d++) any |= l->dim[d].atoms || !l->dim[d].open;
    return any;
}

static ir_id constrained(hlo_reader *r, ir_id x, const mesh_layout *l)
{
    return constrains(l) ? ir_emit(r->b, &prim_constrain, &(op_layout_attr){ { 1, &l } }, 1, &x, 0, NULL) : x;
}

/* backend_config = "unspecified_dims=[0,1]": those dims are open. */
static const mesh_layout *sharding_opened(hlo_reader *r, const hlo_attrs *attrs, const mesh_layout *l)
{
    static const char key[] = "unspecified_dims=[";
    const hlo_attr *const a = hlo_find(attrs, "backend_config");
    const char *p = a ? memmem(a->text.at, a->text.n, key, sizeof key - 1) : NULL;
    mesh_dim dim[IR_RANK];
    mesh_layout c = *l;
    (void)r;
    for (int d = 0; d < l->rank; d++) dim[d] = l->dim[d];
    c.dim = dim;
    for (p = p ? p + sizeof key - 1 : p; p && *p >= '0' && *p <= '9'; p += *p == ',') {
        int d = 0;
        while (*p >= '0' && *p <= '9' && d < IR_RANK) d = 10 * d + *p++ - '0';
        if (d < l->rank) dim[d].open = true;
    }
    return mesh_intern(&c);
}

/* The value of a function's argument or result with these attributes; 0 with the error set. */
ir_id hlo_laid_out(hlo_reader *r, const hlo_attrs *attrs, ir_id x)
{
    const hlo_attr *const a = hlo_find(attrs, "sdy.sharding"), *const old = hlo_find(attrs, "mhlo.sharding");
    const mesh_layout *l = NULL;
    const int rank = ir_typeof(r->b, x)->rank;
    if (a) {
        hlo_parser q = hlo_within(r, a->text);
        if (!sharding(r, &q, rank, &l)) return 0;
    } else if (old && r->grid && !hlo_gspmd(r, old, rank, &l)) return 0;
    return constrained(r, x, old && l ? sharding_opened(r, attrs, l) : l);
}

static bool constraint(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const a = hlo_find(&o->attr, "sharding");
    const mesh_layout *l;
    if (o->in.n != 1 || !a) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d, and a sharding", o->in.n);
    hlo_parser q = hlo_within(r, a->text);
    if (!sharding(r, &q, ir_typeof(r->b, x[0])->rank, &l)) return false;
    if (l && (mesh_used(l) & r->manual))
        return hlo_refuse(r, o, TT_ESPEC, "the sharding names an axis that is manual here");
    return (y[0] = constrained(r, x[0], l)) != 0;
}

/* allowed_direction=FORWARD, or = 1 : i32; of a custom call, "1 : i32" in its frontend attributes. */
bool hlo_one_way(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const char *const words[] = { "NONE", "FORWARD", "BACKWARD" };
    const hlo_span old = hlo_choice(hlo_record(o, "mhlo.frontend_attributes"), "xla.sdy.allowed_direction");
    const hlo_span said = hlo_choice(&o->attr, "allowed_direction");
    op_propagation_attr a = { old.n ? *old.at - '0' : -1 };
    if (!old.n && !said.n) a.allowed_direction = hlo_int(r, o, &o->attr, "allowed_direction", -1);
    for (int i = 0; i < 3; i++) if (hlo_is(said, words[i])) a.allowed_direction = i;
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
    if (a.allowed_direction < OP_WAY_NONE || a.allowed_direction > OP_WAY_BACKWARD)
        return hlo_refuse(r, o, TT_EARG, "allowed_direction: expected NONE, FORWARD or BACKWARD");
    return hlo_emit(r, &prim_propagation_barrier, &a, 1, x, y);
}

static bool group(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t id = hlo_int(r, o, &o->attr, "group_id", -1);
    hlo_alike *with = NULL;
    (void)y;
    if (o->in.n != 1 || id < 0)
        return r->bad ? false : hlo_refuse(r, o, TT_EARG, "expected one operand, not %d, and a group_id of 0 or more",
                                           o->in.n);
    for (int i = 0; i < r->alike.n; i++)
        if (r->alike.v[i].group == id && r->alike.v[i].frame == r->names->frame) with = &r->alike.v[i];
    if (!with) {
        *HLO_MORE(r->p->arena, &r->alike) = (hlo_alike){ id, o->in.v[0], r->names->frame };
        return true;
    }
    const ir_id in[2] = { hlo_resolve(r, &with->use), x[0] };
    ir_id both[2];
    if (!in[0]) return false;
    if (in[0] == in[1]) return true;
    if (!hlo_emit(r, &prim_alike, NULL, 2, in, both)) return false;
    hlo_rebind(r, &with->use, both[0]);
    hlo_rebind(r, &o->in.v[0], both[1]);
    with->use = o->in.v[0];
    return true;
}

const hlo_rule hlo_shardings[] = {
    { "sdy.sharding_constraint", constraint },
    { "sdy.reshard", constraint },
    { "sdy.propagation_barrier", hlo_one_way },
    { "sdy.sharding_group", group },
    { NULL, NULL },
};
