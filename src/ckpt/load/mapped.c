/* ckpt/load/mapped.c - arrays that are the memory of a file (store/mapping.c): no byte is copied, and pages come from
 * the system's cache of the file when they are read first.
 *
 * All else is read: types other than f32, bf16 and f16, which are those of large weights, blocks of codes unless they
 * are asked for as they are, big-endian numbers, arrays that begin between multiples of 16 bytes, and small ones, which
 * reading has sooner than a mapping. */
#include "../ckpt.h"
#include <tutti/dlpack.h>

#include <stdlib.h>
#include <string.h>

enum { LEAST = 1 << 16, PLACE = 16, UNSIGNED = 1, FLOAT = 2, BFLOAT = 4 };

typedef struct { tt_dlpack t; ckpt_mapping *of; int64_t shape[CKPT_RANK]; } lent;

static void lent_deleted(struct DLManagedTensorVersioned *t)
{
    lent *const l = ((tt_dlpack *)(void *)t)->manager;
    ckpt_mapping_drop(l->of);
    free(l);
}

/* The bytes of the array in the file; -1: it is not stored as it is in memory, or is small. */
static int64_t bytes_in_place(const ckpt *c, const ckpt_leaf *l)
{
    const bool dense = c->read == ckpt_read_dense || (c->read == ckpt_read_blocks && !l->block->unpack);
    const tt_dtype d = l->array.dtype;
    const bool large = d == TT_F32 || d == TT_BF16 || d == TT_F16 || l->part == CKPT_BLOCKS;
    if (!dense || l->big || l->at % PLACE || !large) return -1;
    const int64_t n = ckpt_box_bytes(d, l->array.rank, l->array.dim);
    return n < LEAST ? -1 : n;
}

bool ckpt_mapped_value(const char *site, ckpt *c, const ckpt_leaf *l, tt_val *v)
{
    const int64_t bytes = bytes_in_place(c, l);
    const tt_dlpack_opts none = { .size = sizeof none };
    uint8_t *at;
    int64_t n;
    ckpt_mapping *const m = bytes < 0 ? NULL : ckpt_mapping_hold(c, l->text, &at, &n);
    if (!m) return false;
    lent *const t = l->at <= n && bytes <= n - l->at ? calloc(1, sizeof *t) : NULL;
    if (!t) return ckpt_mapping_drop(m), false;
    memcpy(t->shape, l->array.dim, (size_t)l->array.rank * sizeof *t->shape);
    t->of = m;
    t->t = (tt_dlpack){ .major = 1, .manager = t, .deleter = lent_deleted, .flags = 1 };
    t->t.tensor = (tt_dlpack_tensor){ .data = at + l->at, .device_type = 1, .ndim = l->array.rank,
                                      .code = l->array.dtype == TT_BF16 ? BFLOAT :
                                              l->part == CKPT_BLOCKS ? UNSIGNED : FLOAT,
                                      .bits = (uint8_t)(8 * ckpt_unit(l->array.dtype)), .lanes = 1,
                                      .shape = t->shape };
    *v = tt_from_dlpack_at(site, (void *)&t->t, &none);
    if (!tt_ok()) lent_deleted((void *)&t->t);
    return true;
}
