/* ckpt/load/read.c - reads the elements of a leaf into a value: each distinct block of the layout is filled separately,
 * from only the bytes of the checkpoint that the block needs. */
#include "../ckpt.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const ckpt *c;
    const ckpt_leaf *l;
    ckpt_err e;
} filling;

/* Returns true even if e has an error: the caller reports it, with more context than tt_array_from_callback has. */
static bool read_fill(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    filling *f = env;
    return f->e.code || f->c->read(f->c, f->l, lo, n, to, &f->e) || f->e.code;
}

tt_val ckpt_value(const char *site, const ckpt *c, const ckpt_leaf *l, tt_mesh mesh, const char *spec, ckpt_err *e)
{
    filling f = { .c = c, .l = l };
    int64_t dim[CKPT_RANK + 1];
    for (int i = 0; i < l->array.rank; i++) dim[i] = l->array.dim[i];
    dim[l->array.rank] = TT_DIM_END;
    const tt_val v = tt_array_from_callback_at(site, l->array.dtype, dim, mesh, spec, read_fill, &f);
    if (!f.e.code) return v;
    tt_drop(v);
    return ckpt_fail(e, f.e.code, "%s", f.e.text), tt_none();
}

static tt_val scales_read(const char *site, const ckpt_leaf *l, const uint8_t *from)
{
    int64_t dim[CKPT_RANK + 1];
    for (int i = 0; i < l->array.rank; i++) dim[i] = l->array.dim[i];
    dim[l->array.rank] = TT_DIM_END;
    return tt_array_at(site, TT_F16, from, dim);
}

/* True if the array is in blocks that have codes and a scale, and nothing else. */
static bool has_codes(const ckpt *c, const ckpt_leaf *l, ckpt_err *e)
{
    const char *const stored = l->item.stored ? l->item.stored : "";
    return !strcmp(stored, "Q8_0") || !strcmp(stored, "Q4_0") ||
           ckpt_fail(e, TT_EARG, "%s: %s is stored without codes and scales; expected Q8_0 or Q4_0", c->path, l->path);
}

/* An array that is a leaf's bytes or elements, mapped if it is asked for and may be. */
static tt_val plain_of(const char *site, ckpt *c, const ckpt_leaf *l, const tt_ckpt_read_opts *o, ckpt_err *e)
{
    tt_val v;
    if (o->mapped && !o->mesh.p && ckpt_mapped_value(site, c, l, &v)) return v;
    return ckpt_value(site, c, l, o->mesh, o->spec, e);
}

/* The blocks of an array as the file has them, u8 [.., blocks, bytes of a block]. */
static tt_val blocks_of(const char *site, ckpt *c, const ckpt_leaf *l, const tt_ckpt_read_opts *o, ckpt_err *e)
{
    ckpt_leaf bytes = *l;
    if (!has_codes(c, l, e)) return tt_none();
    if (l->array.rank == CKPT_RANK)
        return ckpt_fail(e, TT_EARG, "%s: %s has %d dims; its blocks would have one more", c->path, l->path, CKPT_RANK),
               tt_none();
    bytes.part = CKPT_BLOCKS, bytes.block = ckpt_bytes_block(), bytes.array.dtype = TT_U8;
    bytes.array.dim[bytes.array.rank - 1] /= l->block->n;
    bytes.array.dim[bytes.array.rank++] = l->block->bytes;
    return plain_of(site, c, &bytes, o, e);
}

/* The codes and the scales of an array in blocks that have nothing else. */
static tt_val codes_of(const char *site, const ckpt *c, const ckpt_leaf *l, const tt_ckpt_read_opts *o, ckpt_err *e)
{
    if (!has_codes(c, l, e)) return tt_none();
    const bool eight = !strcmp(l->item.stored, "Q8_0");
    ckpt_leaf codes = *l, scales = *l;
    codes.part = CKPT_CODES, codes.array.dtype = eight ? TT_I8 : TT_I4;
    if (!eight && o->codes == 2) {
        codes.part = CKPT_BYTES, codes.array.dtype = TT_U8;
        codes.array.dim[l->array.rank - 1] /= 2;
    }
    scales.part = CKPT_SCALES, scales.array.dtype = TT_F16;
    scales.array.dim[l->array.rank - 1] /= l->block->n;
    const int64_t bytes = ckpt_box_bytes(TT_F16, l->array.rank, scales.array.dim);
    codes.scales = o->mesh.p ? NULL : malloc((size_t)bytes);     /* NULL: the file is read twice */
    const tt_val a = ckpt_value(site, c, &codes, o->mesh, o->spec, e);
    const tt_val b = e->code ? tt_none() : codes.scales ? scales_read(site, &scales, codes.scales)
                                         : ckpt_value(site, c, &scales, o->mesh, o->spec, e);
    free(codes.scales);
    if (e->code) return tt_none();
    return tt_dict_at(site, "codes", a, "scales", b, (const char *)0, (const char *)0, (const char *)0);
}

tt_val tt_ckpt_read_at(const char *site, tt_ckpt c, int i, const tt_ckpt_read_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_ckpt_read_opts, site, "ckpt_read", o)) return tt_poison;
    if (!ckpt_is_open(site, "tt_ckpt_read", c)) return tt_poison;
    if (i < 0 || i >= c.p->nleaf || c.p->leaf[i].what != CKPT_ARRAY)
        return i < 0 || i >= c.p->nleaf
                   ? tt_fail_at(site, TT_EARG, "tt_ckpt_read: %s has no item %d; there are %d", c.p->path, i,
                                c.p->nleaf) : tt_fail_at(site, TT_EARG,
                                                         "tt_ckpt_read: item %d of %s is %s; expected an array", i,
                                                             c.p->path, c.p->leaf[i].item.what);
    if (o->codes < 0 || o->codes > 3)
        return tt_fail_at(site, TT_EARG, "tt_ckpt_read: .codes = %d; expected 0 to 3", o->codes);
    if (o->spec && !o->mesh.p) {
        tt_fail_at(site, TT_EARG, "tt_ckpt_read: .spec = \"%s\" without a mesh", o->spec);
        tt_hint("give .mesh too, or leave .spec out: the array is on no mesh then");
        return tt_poison;
    }
    ckpt_err e = { 0 };
    const ckpt_leaf *const l = &c.p->leaf[i];
    const tt_val v = o->codes == 3 ? blocks_of(site, c.p, l, o, &e)
                     : o->codes ? codes_of(site, c.p, l, o, &e) : plain_of(site, c.p, l, o, &e);
    if (ckpt_fate_of(c.p, !e.code) == CKPT_UNCHANGED) return e.code ? ckpt_report(site, &e) : v;
    tt_fail_at(site, TT_EIO, "%s: has been replaced, removed or changed since it was opened",
               c.p->path);
    tt_hint("open the checkpoint again");
    return tt_none();
}
