/* ir/hash.c - a hash of a function's content, equal in every process: the key of caches on disk, and the check that all
 * ranks run the same program. Tags and layouts are hashed; names of values and regions, and sites, are not. */
#include "ir.h"

#include <string.h>

static uint64_t hash_type(uint64_t h, const ir_type *t)
{
    uint64_t w[6 + IR_RANK] = { (uint64_t)t->dtype, (uint64_t)t->rank, t->vary, t->partial, t->reduced,
                                (uint64_t)t->reduce };
    for (int d = 0; d < t->rank; d++) w[6 + d] = (uint64_t)t->dim[d];
    return base_hash(h, w, (6 + (size_t)t->rank) * sizeof *w);
}

static uint64_t hash_mesh(uint64_t h, const mesh *m)
{
    for (int i = 0; m && i < m->naxis; i++) {
        const int64_t w[3] = { m->axis[i].size, m->axis[i].mode, m->axis[i].link };
        h = base_hash(base_hash(h, m->axis[i].name, strlen(m->axis[i].name)), w, sizeof w);
    }
    return m && m->order ? base_hash(h, m->order, (size_t)mesh_size(m) * sizeof *m->order) : h;
}

static uint64_t hash_fn(uint64_t h, const ir_fn *f)
{
    const uint32_t count[4] = { f->narg, f->neqn, f->nvalue, f->nret };
    h = base_hash(h, count, sizeof count);
    h = base_hash(h, f->ret, f->nret * sizeof *f->ret);
    h = base_hash(h, f->donate, f->narg * sizeof *f->donate);
    if (f->tag) h = base_hash(h, f->tag, strlen(f->tag));
    for (ir_id i = 1; i <= f->nvalue; i++) {
        h = hash_type(h, f->type[i]);
        if (f->layout) h = ir_layout_hash(h, f->layout[i]);
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        h = base_hash(h, e->op->name, strlen(e->op->name));
        h = base_hash(h, e->in, e->nin * sizeof *e->in);
        h = ir_attr_hash(h, e->op, e->attr);
        for (uint32_t s = 0; s < e->nsub; s++) h = hash_fn(h, e->sub[s]);
    }
    return h;
}

uint64_t ir_hash(const ir_fn *f) { return hash_fn(hash_mesh(0, f->mesh), f); }
