/* hlo/text/attr_read.c - values of attributes by name, for the readers of operations. An invalid attribute sets the
 * error and r->bad. */
#include "../inner.h"

#include <stdlib.h>
#include <string.h>

static bool spoiled(hlo_reader *r, const char *at, const char *key, const char *what)
{
    hlo_fail(r->p, at, TT_EARG, "%s: expected %s", key, what);
    r->bad = true;
    return false;
}

const hlo_attrs *hlo_record(const hlo_op *o, const char *key)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    return a && a->form == HLO_DICT ? &a->item : &o->attr;
}

int64_t hlo_int(hlo_reader *r, const hlo_op *o, const hlo_attrs *list, const char *key, int64_t usual)
{
    const hlo_attr *const a = hlo_find(list, key);
    (void)o;
    if (!a) return usual;
    if (a->form == HLO_INTEGER) return a->i;
    return spoiled(r, a->text.at, key, "an integer"), usual;
}

bool hlo_flag(const hlo_attrs *list, const char *key)
{
    const hlo_attr *const a = hlo_find(list, key);
    return a && (a->form == HLO_TRUE || a->form == HLO_UNIT);
}

hlo_span hlo_choice(const hlo_attrs *list, const char *key)
{
    const hlo_attr *const a = hlo_find(list, key);
    return a && (a->form == HLO_WORD || a->form == HLO_STRING || a->form == HLO_SYMBOL) ? a->text : (hlo_span){ "", 0 };
}

static int64_t as_integer(const ir_type *t, const char *p)
{
    int64_t v[1] = { 0 };
    const ir_box box = ir_box_of((void *)(uintptr_t)p, t->dtype, 0, NULL, NULL);
    const ir_num n = ir_load(&box, v);
    return ir_dtype_of(t->dtype)->cls == IR_BOOL_CLASS ? n.b : ir_dtype_of(t->dtype)->cls == IR_UINT_CLASS
           ? (int64_t)n.u : n.i;
}

static bool integer_literal(hlo_reader *r, const hlo_attr *a, const char *key, int64_t **v, int *n)
{
    const ir_type *const t = a->type.type;
    hlo_elements e;
    if (!t || ir_dtype_of(t->dtype)->cls > IR_UINT_CLASS) return spoiled(r, a->text.at, key, "integers");
    if (ir_count(t) > 1 << 20) return spoiled(r, a->text.at, key, "fewer integers");
    if (!hlo_literal(r->p, a, t, &e)) return r->bad = true, false;
    if (e.splat && ir_count(t) > 4 * IR_RANK) return spoiled(r, a->text.at, key, "fewer integers");
    *n = (int)ir_count(t);
    *v = BASE_NEW(r->arena, int64_t, *n + 1);
    for (int i = 0; i < *n; i++)
        (*v)[i] = as_integer(t, (const char *)e.data.p + (e.splat ? 0 : (size_t)i * ir_dtype_of(t->dtype)->bytes));
    return true;
}

static bool wholes(hlo_reader *r, const hlo_attr *a, const char *key, int64_t **v, int *n)
{
    if (a->form == HLO_DENSE) return integer_literal(r, a, key, v, n);
    if (a->form != HLO_ARRAY) return spoiled(r, a->text.at, key, "a list of integers");
    *n = a->item.n;
    *v = BASE_NEW(r->arena, int64_t, *n + 1);
    for (int i = 0; i < *n; i++) {
        const hlo_attr *const e = &a->item.v[i];
        if (e->form != HLO_INTEGER && e->form != HLO_TRUE && e->form != HLO_FALSE)
            return spoiled(r, e->text.at, key, "integers");
        (*v)[i] = e->form == HLO_INTEGER ? e->i : e->form == HLO_TRUE;
    }
    return true;
}

ir_dims hlo_dims(hlo_reader *r, const hlo_op *o, const hlo_attrs *list, const char *key, int n, int64_t usual)
{
    const hlo_attr *const a = hlo_find(list, key);
    int64_t *v;
    int count;
    (void)o;
    if (a) return wholes(r, a, key, &v, &count) ? (ir_dims){ count, v } : (ir_dims){ 0, NULL };
    v = BASE_NEW(r->arena, int64_t, n + 1);
    for (int i = 0; i < n; i++) v[i] = usual;
    return (ir_dims){ n, v };
}

/* padding = dense<[[0, 1], [2, 3]]>, or pretty [[0, 1], [2, 3]] */
bool hlo_pairs(hlo_reader *r, const hlo_op *o, const char *key, int n, ir_dims *low, ir_dims *high)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    int64_t *lo = BASE_NEW(r->arena, int64_t, n + 1), *hi = BASE_NEW(r->arena, int64_t, n + 1), *v = NULL;
    int count = 0;
    *low = (ir_dims){ n, lo }, *high = (ir_dims){ n, hi };
    if (!a) return true;
    if (a->form == HLO_ARRAY) {
        if (a->item.n != n) return spoiled(r, a->text.at, key, "one pair per dim");
        for (int i = 0; i < n; i++) {
            if (a->item.v[i].form != HLO_ARRAY || !wholes(r, &a->item.v[i], key, &v, &count) || count != 2)
                return r->bad || spoiled(r, a->item.v[i].text.at, key, "a pair: [low, high]");
            lo[i] = v[0], hi[i] = v[1];
        }
        return true;
    }
    if (!wholes(r, a, key, &v, &count)) return false;
    const ir_type *const t = a->form == HLO_DENSE ? a->type.type : NULL;
    if (count != 2 * n || (t && (t->rank != 2 || t->dim[1] != 2))) return spoiled(r, a->text.at, key,
        "one pair per dim");
    for (int i = 0; i < n; i++) lo[i] = v[2 * i], hi[i] = v[2 * i + 1];
    return true;
}
