/* spmd/partition.c - rewrites a function with layouts: equations with their cuts, reshards between them.
 *
 * One pass forward. A partial result is finished by a reshard at once; constants and iotas are made where and as they
 * are wanted instead of being moved. Every reshard that moves data or sums is noted, with the line it stands for. */
#include "inner.h"

#include <string.h>

const mesh_layout *spmd_whole(spmd_all *s, int rank)
{
    if (!s->whole[rank]) s->whole[rank] = mesh_replicated(s->mesh, rank);
    return s->whole[rank];
}

void spmd_set(spmd_part *p, ir_id id, const mesh_layout *l)
{
    if (id >= p->nlayout) {
        const uint32_t n = 2 * id + 64;
        const mesh_layout **grown = BASE_NEW(p->all->a, const mesh_layout *, n);
        if (p->nlayout) memcpy(grown, p->layout, p->nlayout * sizeof *grown);
        p->layout = grown;
        p->nlayout = n;
    }
    p->layout[id] = l;
}

static void set_cut(spmd_part *p, const op_rule *r, const spmd_choice *c)
{
    const uint32_t k = ir_build_fn(p->b)->neqn - 1;
    if (k >= p->ncut) {
        const uint32_t n = 2 * k + 64;
        const spmd_cut **grown = BASE_NEW(p->all->a, const spmd_cut *, n);
        if (p->ncut) memcpy(grown, p->cut, p->ncut * sizeof *grown);
        p->cut = grown;
        p->ncut = n;
    }
    spmd_cut *cut = BASE_NEW(p->all->a, spmd_cut, 1);
    *cut = (spmd_cut){ r->nfactor, BASE_COPY(p->all->a, c->atoms, r->nfactor) };
    p->cut[k] = cut;
}

/* ---- reshards ---- */

static bool same_atoms(const mesh_layout *a, const mesh_layout *b)
{
    if (a->partial != b->partial) return false;
    for (int d = 0; d < a->rank; d++) if (a->dim[d].atoms != b->dim[d].atoms) return false;
    return true;
}

/* Atoms that something crosses: those that no longer cut where they did, and those of finished sums. */
static mesh_set crossed(const mesh_layout *from, const mesh_layout *to)
{
    mesh_set over = from->partial & (mesh_set)~to->partial;
    for (int d = 0; d < from->rank; d++) {
        const mesh_list a = from->dim[d].atoms, b = to->dim[d].atoms;
        int i = 0;
        while (i < mesh_list_n(a) && i < mesh_list_n(b) && mesh_list_at(a, i) == mesh_list_at(b, i)) i++;
        for (; i < mesh_list_n(a); i++) over |= (mesh_set)(1u << mesh_list_at(a, i));
    }
    return over;
}

static void note(spmd_part *p, ir_id id, base_site site, const char *why, const mesh_layout *from,
                 const mesh_layout *to)
{
    spmd_all *s = p->all;
    if (s->nnote == s->capnote) {
        s->capnote = s->capnote ? 2 * s->capnote : 16;
        spmd_note *grown = BASE_NEW(s->a, spmd_note, s->capnote);
        if (s->nnote) memcpy(grown, s->note, (size_t)s->nnote * sizeof *grown);
        s->note = grown;
    }
    const ir_type *t = ir_typeof(p->b, id);
    const int64_t bytes = ir_count(t) * (int64_t)ir_dtype_of(t->dtype)->bytes;
    s->note[s->nnote++] = (spmd_note){ .kind = SPMD_MIXED, .site = site, .why = why, .from = from, .to = to,
                                       .over = crossed(from, to), .bytes = bytes };
}

ir_id spmd_lay(spmd_part *p, ir_id id, base_site site, const mesh_layout *to, const char *why)
{
    const mesh_layout *from = id ? p->layout[id] : NULL;
    if (!id || same_atoms(from, to)) return id;
    const ir_eqn *d = ir_def(p->b, id);
    const base_site former = ir_site(p->b, site);
    const bool made = d && !d->nin && !d->nsub && !d->op->ordered && !d->op->states && d->nout == 1 && !to->partial;
    const ir_id y = made ? ir_emit(p->b, d->op, d->attr, 0, NULL, 0, NULL)
                         : ir_emit(p->b, &row_reshard, &(op_layout_attr){ { 1, &to } }, 1, &id, 0, NULL);
    ir_site(p->b, former);
    if (!y) return 0;
    spmd_set(p, y, to);
    if (!made && crossed(from, to)) note(p, id, site, why, from, to);
    return y;
}

ir_id spmd_finish(spmd_part *p, ir_id id, base_site site, const char *why)
{
    if (!id || !p->layout[id]->partial) return id;
    mesh_layout l = *p->layout[id];
    l.partial = 0;
    l.how = MESH_NONE;
    return spmd_lay(p, id, site, mesh_intern(&l), why);
}

/* ---- equations ---- */

ir_id spmd_emit(spmd_part *p, const ir_eqn *e, const ir_id *in, ir_fn *const *sub)
{
    ir_site(p->b, e->site);
    return ir_emit(p->b, e->op, e->attr, e->nin, in, e->nsub, sub ? sub : e->sub);
}

static bool plain(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_all *s = p->all;
    const mesh_layout *x[e->nin + 1];
    bool cut = false;
    for (uint32_t i = 0; i < e->nin; i++) {
        in[i] = spmd_finish(p, in[i], e->site, "a value is summed before it is used");
        if (!in[i]) return false;
        cut |= mesh_layout_vary(x[i] = p->layout[in[i]]) != 0;
    }
    op_rule *r = NULL;
    spmd_choice c;
    if (cut) {
        if (!op_rule_of(e, &r)) return false;
        spmd_forward(s, e, r, x, &c);
        for (uint32_t i = 0; i < e->nin; i++) {
            const mesh_layout *want = spmd_tensor(s->mesh, e, r, &c, (int)i);
            if (spmd_serves(r, &c, (int)i, x[i], want)) continue;
            const char *why = base_format(s->a, "operand %u of %s", i, e->op->name);
            if (!(in[i] = spmd_lay(p, in[i], e->site, want, why))) return false;
        }
    }
    const ir_id y = spmd_emit(p, e, in, NULL);
    if (!y) return false;
    if (cut) set_cut(p, r, &c);
    for (uint32_t j = 0; j < e->nout; j++)
        spmd_set(p, y + j, cut ? spmd_tensor(s->mesh, e, r, &c, (int)(e->nin + j)) : spmd_whole(s, IR_OUT(e, j)->rank));
    for (uint32_t j = 0; j < e->nout; j++) {
        const bool partial = p->layout[y + j]->partial != 0;
        p->map[e->out + j] =
            partial ? spmd_finish(p, y + j, e->site, base_format(s->a, "sum of %s", e->op->name)) : y + j;
        if (!p->map[e->out + j]) return false;
    }
    return true;
}

static ir_fn *finish(spmd_part *p, const mesh_layout *const *wanted)
{
    const ir_fn *f = p->from;
    ir_id *ret = IR_NEW(p->b, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < f->nret; i++) {
        ret[i] = p->map[f->ret[i]];
        const ir_eqn *d = ir_def(p->b, ret[i]);
        const base_site site = d ? d->site : NULL;
        ret[i] = wanted && wanted[i] ? spmd_lay(p, ret[i], site, wanted[i], "the layout of a result")
                                     : spmd_finish(p, ret[i], site, "a result is summed");
        if (!ret[i]) return NULL;
    }
    ir_fn *g = ir_end(p->b, f->nret, ret);
    if (!g) return NULL;
    g->tag = f->tag;
    g->layout = p->layout;
    for (uint32_t k = 0; k < g->neqn && k < p->ncut; k++) g->eqn[k].cut = p->cut[k];
    return g;
}

bool spmd_equations(spmd_part *p)
{
    const ir_fn *f = p->from;
    uint32_t most = 1;
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin > most) most = f->eqn[k].nin;
    ir_id *x = BASE_NEW(p->all->a, ir_id, most);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        spmd_rule *rule = spmd_region_rule(e->op);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = p->map[e->in[i]];
        if (!(rule ? rule : plain)(p, e, x)) return false;
    }
    return true;
}

ir_fn *spmd_function(spmd_all *s, const ir_fn *f, const mesh_layout *const *in, const mesh_layout *const *wanted)
{
    spmd_part p = { .all = s, .from = f, .b = ir_begin(s->a, f->name, s->mesh) };
    p.map = BASE_NEW(s->a, ir_id, f->nvalue + 1);
    spmd_set(&p, f->nvalue, NULL);
    for (uint32_t i = 1; i <= f->narg; i++) {
        p.map[i] = ir_arg(p.b, f->type[i]);
        spmd_set(&p, p.map[i], in && in[i - 1] ? in[i - 1] : spmd_whole(s, f->type[i]->rank));
    }
    return spmd_equations(&p) ? finish(&p, wanted) : NULL;
}

ir_fn *spmd_partition(base_arena *a, const ir_fn *f, const mesh_layout *const *wanted, const spmd_opts *opts,
                      spmd_report *report)
{
    spmd_all s = { .a = a, .mesh = f->mesh, .reproducible = opts && opts->reproducible };
    if (report) *report = (spmd_report){ 0 };
    if (!f->mesh) return (ir_fn *)(uintptr_t)f;          /* one device: nothing is cut */
    ir_fn *g = spmd_function(&s, f, f->layout ? f->layout + 1 : NULL, wanted);
    if (!g) return NULL;
    memcpy((bool *)(uintptr_t)g->donate, f->donate, f->narg * sizeof *f->donate);
    if (report) *report = (spmd_report){ .n = s.nnote, .note = s.note };
    return g;
}
