/* fuzz/choices.h - the ground of the fuzzer: choices that can be replayed and shortened, and what is known of values.
 *
 * A program is a function of the list of choices that made it: replayed with a list made shorter or smaller it is a
 * smaller program, so one shrinker serves equations, dims, meshes and layouts alike. Choice 0 is the simplest; beyond
 * the end of a replayed list all choices are 0.
 *
 * A value's fact says how its bits may depend on the partitioning: not at all (SURE; WHOLE: moreover whole numbers of
 * at most `bound`, so that sums are exact in any order), or by rounding (LOOSE). Equations that jump (comparisons,
 * sorts, roundings) are kept from LOOSE operands, so every difference that is found is a mistake. */
#ifndef TUTTI_TESTS_FUZZ_CHOICES_H
#define TUTTI_TESTS_FUZZ_CHOICES_H

#include "check.h"
#include "driver/driver.h"
#include "transform/transform.h"

#include <math.h>
#include <stdlib.h>

enum { FUZZ_CHOICES = 1 << 14, FUZZ_MOST = 24, FUZZ_COUNT = 1500 };

typedef struct { uint32_t n, at; bool replay; uint64_t state; uint32_t v[FUZZ_CHOICES]; } fuzz_choice_list;
static fuzz_choice_list *fuzz_choices;
static uint32_t fuzz_named;                              /* collectives of this draw over the axis of a map */
static int64_t fuzz_devices = 24;                        /* the most that a mesh has */
static bool fuzz_elsewhere;                              /* another compiler rounds: see there.h */

static inline uint64_t fuzz_mix(uint64_t *s)
{
    uint64_t z = *s += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A number below n. */
static inline uint32_t pick(uint32_t n)
{
    fuzz_choice_list *t = fuzz_choices;
    if (t->replay) return t->at < t->n ? t->v[t->at++] % n : 0;
    const uint32_t v = (uint32_t)(fuzz_mix(&t->state) >> 20) % n;
    if (t->n < FUZZ_CHOICES) t->v[t->n++] = v;
    return v;
}

static inline bool once_in(uint32_t n) { return pick(n) == n - 1; }

/* ---- facts ---- */

typedef enum { LOOSE, SURE, WHOLE } fuzz_kind;
typedef struct { fuzz_kind kind; double bound; } fact;
#define WILD 1e30

static inline bool is_complex(const ir_type *t) { return ir_dtype_of(t->dtype)->cls == IR_COMPLEX_CLASS; }
static inline bool is_float(const ir_type *t) { return ir_is_float(t->dtype) || is_complex(t); }

static inline double exact_to(tt_dtype d)                /* whole numbers up to this are exact */
{
    switch (d) {
    case TT_F64:  return 0x1p53;
    case TT_F32:  return 0x1p24;
    case TT_F16:  return 0x1p11;
    case TT_BF16: return 0x1p8;
    default:
        if (d == TT_BOOL) return 0x1p8;
        return ldexp(1, ir_is_float(d) ? ir_dtype_of(d)->mant + 1 : ir_dtype_of(d)->bits);
    }
}

static inline bool is_coarse(tt_dtype d) { return d == TT_F16 || d == TT_BF16 || (ir_is_narrow(d) && ir_is_float(d)); }

/* ---- a program under construction ---- */

typedef struct {
    base_arena *a; ir_build *b; const mesh *m;
    ir_id pool[64]; int n;
    ir_id last[16]; int nlast;                           /* to be returned, but not to be computed with: see facts.h */
    fact *fact; uint32_t nfact;                          /* [id] */
    int depth;                                           /* regions around */
    ir_names manual;                                     /* axes of the innermost manual region */
    mesh_set bound;                                      /* atoms of all of them */
    base_name lane; int64_t lanes;                       /* the mapped axis of the function around, and its size */
    bool mute;                                           /* no collectives: devices may go different ways here */
    bool traps;                                          /* NaN and infinities among the arguments */
    bool derived;                                        /* the program will be differentiated */
    bool smooth;                                         /* operands of calls are to be floats */
    bool local;                                          /* inside a manual region: no wishes for layouts */
} gen;

static inline const ir_type *type_of(const gen *g, ir_id v) { return ir_typeof(g->b, v); }

static inline fact fact_of(const gen *g, ir_id v) { return v < g->nfact ? g->fact[v] : (fact){ LOOSE, WILD }; }

static inline void set_fact(gen *g, ir_id v, fact f)
{
    if (v >= g->nfact) {
        const uint32_t n = 2 * v + 64;
        fact *grown = BASE_NEW(g->a, fact, n);
        if (g->nfact) memcpy(grown, g->fact, g->nfact * sizeof *grown);
        for (uint32_t i = g->nfact; i < n; i++) grown[i] = (fact){ LOOSE, WILD };
        g->fact = grown;
        g->nfact = n;
    }
    const ir_type *t = type_of(g, v);
    if (!is_float(t)) {
        f.kind = WHOLE;
        if (!(f.bound < exact_to(t->dtype))) f.bound = exact_to(t->dtype);
    }
    g->fact[v] = f;
}

static inline bool fit_for_use(const gen *g, ir_id v)
{
    const ir_type *t = type_of(g, v);
    const fact f = fact_of(g, v);
    if (ir_count(t) > FUZZ_COUNT || t->vary || t->partial) return false;
    if (!is_float(t) || f.kind != LOOSE) return true;
    return f.bound < 1e5 && !is_coarse(t->dtype);
}

/* Rounded so coarsely, or so large, that nothing more can be said of what is computed from it. Products and sums of
 * such numbers may overflow in one order and not in another: none of those. */
static inline bool fit_for_end(const gen *g, ir_id v)
{
    const ir_type *t = type_of(g, v);
    if (ir_count(t) > FUZZ_COUNT || t->vary || t->partial || ir_is_narrow(t->dtype)) return false;
    return fact_of(g, v).bound < (t->dtype == TT_F16 ? 1e3 : t->dtype == TT_F64 ? 1e15 : 1e10);
}

static inline void offer(gen *g, ir_id v)
{
    if (!v) return;
    if (!fit_for_use(g, v)) {
        if (fit_for_end(g, v)) g->last[g->nlast < 16 ? g->nlast++ : (int)pick(16)] = v;
        return;
    }
    if (g->n < 64) g->pool[g->n++] = v;
    else g->pool[pick(64)] = v;
}

static inline ir_id any(const gen *g) { return g->pool[(uint32_t)g->n - 1 - pick((uint32_t)g->n)]; }

typedef bool wanted_value(const gen *, ir_id);
static inline ir_id any_such(const gen *g, wanted_value *ok)
{
    const uint32_t from = pick((uint32_t)g->n);
    for (uint32_t i = 0; i < (uint32_t)g->n; i++) {
        const ir_id v = g->pool[(from + i) % (uint32_t)g->n];
        if (ok(g, v)) return v;
    }
    return 0;
}
static inline bool is_sure(const gen *g, ir_id v) { return fact_of(g, v).kind != LOOSE; }
static inline bool is_floating(const gen *g, ir_id v) { return is_float(type_of(g, v)); }
static inline bool has_dims(const gen *g, ir_id v) { return type_of(g, v)->rank > 0; }
static inline bool is_small_int(const gen *g, ir_id v) { return type_of(g, v)->dtype == TT_I32; }

/* ---- shapes, dtypes, layouts ---- */

static inline int64_t some_dim(void)
{
    static const int64_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 12, 4, 3, 0 };
    return sizes[pick(12) == 11 ? 8 + pick(4) : pick(11)];
}

static inline tt_dtype some_dtype(void)
{
    static const tt_dtype types[] = { TT_I32, TT_F32, TT_F32, TT_F32, TT_F32, TT_I32, TT_F64, TT_BOOL,
                                      TT_BF16, TT_U32, TT_F32, TT_I32, TT_F16, TT_I64, TT_U8, TT_I8, TT_C64,
                                      TT_C128, TT_I4, TT_U4, TT_F8E4M3FN, TT_F8E5M2 };
    static const tt_dtype rare[] = { TT_I16, TT_U16, TT_U64, TT_I2, TT_U2, TT_F4E2M1FN, TT_F6E2M3FN, TT_F6E3M2FN,
                                     TT_F8E3M4, TT_F8E4M3, TT_F8E4M3B11FNUZ, TT_F8E4M3FNUZ, TT_F8E5M2FNUZ };
    if (once_in(16)) return rare[pick(sizeof rare / sizeof *rare)];
    return types[once_in(3) ? pick(22) : pick(8)];
}

static inline const ir_type *some_type(void)
{
    int64_t dim[IR_RANK], count = 1;
    const tt_dtype t = some_dtype();
    const int rank = (int)pick(6) % 5;
    for (int d = 0; d < rank; d++) {
        dim[d] = some_dim();
        if (count * dim[d] > FUZZ_COUNT / 2) dim[d] = 1;
        count *= dim[d] ? dim[d] : 1;
    }
    return ir_type_of(t, rank, dim);
}

/* states: dims may be open and have priorities, atoms may be forbidden. */
static inline const mesh_layout *some_layout(const mesh *m, int rank, mesh_set without, bool states)
{
    mesh_dim dim[IR_RANK + 1] = { 0 };
    mesh_layout l = { .mesh = m, .rank = rank, .dim = dim };
    const int first = m->naxis ? (int)pick((uint32_t)m->naxis) : 0;
    for (int i = 0; i < m->naxis && rank; i++) {
        const mesh_axis *x = &m->axis[(first + i) % m->naxis];
        const uint32_t d = pick((uint32_t)rank + 1);     /* 0: idle */
        int from = 0, to = x->natom;
        if (!d || (without >> x->first & 1)) continue;
        if (x->natom > 1 && once_in(4)) from = (int)pick((uint32_t)x->natom), to = from + 1;
        for (int a = from; a < to; a++) dim[d - 1].atoms = mesh_list_push(dim[d - 1].atoms, x->first + a);
    }
    for (int d = 0; d < rank && states; d++) {
        dim[d].open = once_in(3);
        if (mesh_list_n(dim[d].atoms) && once_in(6)) dim[d].priority = (uint8_t)(1 + pick(2));
    }
    return mesh_intern(&l);
}

static inline const mesh *some_mesh(void)
{
    static const char *const names[] = { "x", "y", "z", "w" };
    static const int64_t sizes[] = { 2, 3, 4, 2, 1, 2 };
    char text[64] = "";
    int64_t all = 1;
    const int naxis = 1 + (int)pick(4);
    for (int i = 0; i < naxis; i++) {
        int64_t n = sizes[pick(6)];
        if (all * n > fuzz_devices) n = 1;
        all *= n;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%lld", i ? ", " : "", names[i], (long long)n);
    }
    if (!once_in(5)) return mesh_of(NULL, text);
    int64_t id[24];
    for (int64_t i = 0; i < all; i++) id[i] = i;
    for (int64_t i = all; i > 1; i--) {
        const int64_t k = pick((uint32_t)i), s = id[i - 1];
        id[i - 1] = id[k], id[k] = s;
    }
    return mesh_ordered(NULL, text, id);
}

#endif
