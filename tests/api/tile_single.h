/* tile_single.h - one equation over many numbers, for tile.c: quotients by one number for all, and what not every
 * instruction set has an instruction for. */
#ifndef TILE_SINGLE_H
#define TILE_SINGLE_H

/* ---- division by one number for all: by its reciprocal, and to the bit ---- */

static double sized(tt_dtype d, int least, int most)     /* of a size from 2^least to 2^most */
{
    const double m = 1 + ldexp((double)(random64() >> 12), -52), x = below(2) ? m : -m;
    return ldexp(d == TT_F32 ? (float)x : x, least + below(most - least));
}

static double any_float(tt_dtype d)
{
    static const double special[] = { 0, -0.0, INFINITY, -INFINITY, NAN, 1, -1 };
    return below(40) ? sized(d, d == TT_F32 ? -149 : -1074, d == TT_F32 ? 127 : 1023) : special[below(7)];
}

/* Numerators, a kind per tile: any; quotients close to the middle of two floats; with zeros; almost too small or
 * large. */
static double numerator(tt_dtype d, double by, int i)
{
    const double q = sized(d, -25, 25), to = below(2) ? INFINITY : -INFINITY;
    const int edge = d == TT_F32 ? 90 : 700;
    switch (i / 1024) {
    case 0: return any_float(d);
    case 1:
        if (d == TT_F64) return nextafter(q * by, to);
        return nextafterf((float)((q + (double)nextafterf((float)q, INFINITY)) / 2 * by), (float)to);
    case 2: return i % 3 ? q : i % 2 ? -0.0 : 0;
    case 3: return sized(d, -edge - edge / 3, -edge);
    case 4: return sized(d, edge, edge + edge / 3);
    default: return sized(d, -edge, edge);
    }
}

typedef struct { base_arena *arena; tt_dtype d; ir_fn *f; } quotient;
enum { QUOTIENTS = 6 * 1024 };                           /* tiles of 1024 */
static void make_quotient(void *arg)
{
    quotient *q = arg;
    const int64_t n = QUOTIENTS;
    ir_build *b = ir_begin(q->arena, base_intern("quotient"), NULL);
    const ir_type *t = ir_type_of(q->d, 1, &n);
    const ir_id x = ir_arg(b, t), y = ir_arg(b, ir_type_of(q->d, 0, NULL));
    ir_id *ret = BASE_NEW(q->arena, ir_id, 1);
    ret[0] = op_div(b, x, op_broadcast(b, y, t, 0, NULL));
    q->f = ir_end(b, 1, ret);
}

static void test_quotients(tt_dtype d, int divisors)
{
    static const char *const isas[] = { "isa:base" ALSO, "isa:avx2" ALSO, "isa:avx512" ALSO };
    static double x[QUOTIENTS], y[QUOTIENTS];
    const int64_t n = QUOTIENTS, zero = 0;
    quotient q = { base_open(), d, NULL };
    CHECK(base_catch(make_quotient, &q) && q.f, "%s", base_failed() ? base_failed()->what : "?");
    const ir_eqn *e[] = { &q.f->eqn[0], &q.f->eqn[1] };
    const ir_id in[] = { 1, 2 };
    const gen_group g = { .neqn = 2, .eqn = e, .nin = 2, .in = in, .nout = 1, .out = q.f->ret };
    for (int k = 0; k < divisors; k++) {
        const double by = k % 4 ? sized(d, -31, 31) : any_float(d);
        const float by32 = (float)by;
        ir_box arg[3] = { box_of(q.arena, d, 1, &zero, &n, false), box_of(q.arena, d, 0, NULL, NULL, false),
                          box_of(q.arena, d, 1, &zero, &n, false) };
        memcpy(arg[1].at, d == TT_F32 ? (const void *)&by32 : &by, d == TT_F32 ? 4 : 8);
        for (int i = 0; i < QUOTIENTS; i++) {
            x[i] = numerator(d, by, i);
            if (d == TT_F32) x[i] = ((float *)arg[0].at)[i] = (float)x[i], y[i] = (double)((float)x[i] / by32);
            else ((double *)arg[0].at)[i] = x[i], y[i] = x[i] / by;
        }
        for (gen_isa isa = GEN_BASE; isa <= gen_isa_best(); isa++) {
            run_kernel r;
            int wrong = -1;
            base_switches(NULL, isas[isa]);
            CHECK(gen_tile.make(q.arena, &g, &r), "tile makes it");
            run_kernel_on(q.arena, &r, arg, false);
            ran(&r);
            for (int i = 0; i < QUOTIENTS; i++) {
                const double z = d == TT_F32 ? (double)((float *)arg[2].at)[i] : ((double *)arg[2].at)[i];
                if (!(z == y[i] && signbit(z) == signbit(y[i])) && !(isnan(z) && isnan(y[i]))) wrong = i;
            }
            CHECK(wrong < 0, "%s: %a / %a is %a", isas[isa], wrong < 0 ? 0 : x[wrong], by, wrong < 0 ? 0 : y[wrong]);
        }
    }
    base_close(q.arena);
}

/* ---- one equation over many numbers: what not every instruction set has an instruction for ---- */

typedef struct { base_arena *arena; const op_prim *prim; tt_dtype from, to; int nin; ir_fn *f; } single;
enum { SINGLES = 1 << 16 };
static void make_single(void *arg)
{
    single *s = arg;
    const int64_t n = SINGLES;
    ir_build *b = ir_begin(s->arena, base_intern("single"), NULL);
    ir_id in[3], *ret = BASE_NEW(s->arena, ir_id, 1);
    for (int i = 0; i < s->nin; i++) in[i] = ir_arg(b, ir_type_of(s->from, 1, &n));
    const ir_id y = s->prim ? ir_emit(b, s->prim, NULL, (uint32_t)s->nin, in, 0, NULL) : op_convert(b, in[0], s->to);
    ret[0] = op_neg(b, y);                               /* one instruction alone is not compiled */
    s->f = ir_end(b, 1, ret);
}

static double real_at(const ir_box *x, int i) { return ir_load(x, &(int64_t){ i }).f; }
static void set_real(const ir_box *x, int i, double v)
{
    const float f = (float)v;
    if (x->dtype == TT_F64) ((double *)x->at)[i] = v;
    else if (x->dtype == TT_F32) ((float *)x->at)[i] = f;
    else ((uint16_t *)x->at)[i] = (uint16_t)i;           /* f16: all there are */
}

/* x y + z: any; almost nothing; halves of last bits; results around the least and the greatest numbers. */
static void set_fma(const ir_box *arg, tt_dtype d, int i)
{
    const int e = d == TT_F32 ? 126 : 1022, p = d == TT_F32 ? 23 : 52;
    double x = any_float(d), y = any_float(d), z = any_float(d);
    if (i % 5 == 1) x = sized(d, -20, 20), y = sized(d, -20, 20), z = -x * y;
    if (i % 5 == 2) {                                    /* products of one bit too many, odd: ties but for z */
        const int n = d == TT_F32 ? 12 : 26;
        x = 2 * below(1 << (n - 3)) + 1 + (3 << (n - 2)), y = 2 * below(1 << (n - 2)) + 1 + (3 << (n - 1));
        z = below(3) ? sized(d, -40, -30) : 0;
    }
    if (i % 5 == 3) x = sized(d, -e / 2 - p, 3 - e / 2), y = sized(d, -e / 2 - p, -e / 2), z = sized(d, -e - p, 3 - e);
    if (i % 5 == 4) x = sized(d, e / 2 - 3, e / 2 + 2), y = sized(d, e / 2 - 3, e / 2), z = sized(d, e - 3, e + 1);
    if (i % 7 == 3) z = -x * y;
    if (i % 11 == 3) z = nextafter(z, INFINITY);
    set_real(&arg[0], i, x), set_real(&arg[1], i, y), set_real(&arg[2], i, z);
}

static double want_single(const single *s, const ir_box *arg, int i)     /* before its sign is turned */
{
    const double x = real_at(&arg[0], i);
    if (s->prim == &prim_fma) {
        const double y = real_at(&arg[1], i), z = real_at(&arg[2], i);
        return s->from == TT_F64 ? fma(x, y, z) : (double)fmaf((float)x, (float)y, (float)z);
    }
    if (s->prim) return s->prim == &prim_floor ? floor(x) : rint(x);
    return s->to == TT_F16 ? (double)ir_f16_f32(ir_f32_f16((float)x)) : x;
}

static void test_single(const op_prim *prim, tt_dtype from, tt_dtype to, int nin)
{
    static const char *const isas[] = { "isa:base" ALSO, "isa:avx2" ALSO, "isa:avx512" ALSO };
    const int64_t n = SINGLES, zero = 0;
    single s = { base_open(), prim, from, to, nin, NULL };
    CHECK(base_catch(make_single, &s) && s.f, "%s", base_failed() ? base_failed()->what : "?");
    const ir_eqn *e[] = { &s.f->eqn[0], &s.f->eqn[1] };
    const ir_id in[] = { 1, 2, 3 };
    const gen_group g = { .neqn = 2, .eqn = e, .nin = (uint32_t)nin, .in = in, .nout = 1, .out = s.f->ret };
    ir_box arg[4];
    for (int i = 0; i < nin; i++) arg[i] = box_of(s.arena, from, 1, &zero, &n, false);
    arg[nin] = box_of(s.arena, to, 1, &zero, &n, false);
    for (int i = 0; i < SINGLES; i++) {
        const int edge = from == TT_F32 ? -26 : 50;      /* f16's least numbers; where halves end */
        if (prim == &prim_fma) set_fma(arg, from, i);
        else if (i % 3) set_real(&arg[0], i, sized(from, edge, edge + 4 + i % 40));
        else set_real(&arg[0], i, i % 5 ? i / 2.0 - 9999 : any_float(from));
    }
    for (gen_isa isa = GEN_BASE; isa <= gen_isa_best(); isa++) {
        run_kernel r;
        int wrong = -1;
        base_switches(NULL, isas[isa]);
        CHECK(gen_tile.make(s.arena, &g, &r), "tile makes it");
        run_kernel_on(s.arena, &r, arg, false);
        ran(&r);
        for (int i = 0; i < SINGLES; i++) {
            const double y = want_single(&s, arg, i), z = -real_at(&arg[nin], i);
            if (!(z == y && signbit(z) == signbit(y)) && !(isnan(z) && isnan(y))) wrong = i;
        }
        const int w = wrong < 0 ? 0 : wrong;
        CHECK(wrong < 0, "%s: %s of %a, %a, %a is %a, not %a", isas[isa], prim ? prim->name : "convert",
              real_at(&arg[0], w), nin > 2 ? real_at(&arg[1], w) : 0, nin > 2 ? real_at(&arg[2], w) : 0,
              -real_at(&arg[nin], w),
              want_single(&s, arg, w));
    }
    base_close(s.arena);
}

static void test_singles(void)
{
    for (int k = 0; k < 2; k++) {
        const tt_dtype d = k ? TT_F64 : TT_F32;
        test_single(&prim_fma, d, d, 3);
        test_single(&prim_floor, d, d, 1);
        test_single(&prim_round_even, d, d, 1);
    }
    test_single(NULL, TT_F16, TT_F32, 1);
    test_single(NULL, TT_F32, TT_F16, 1);
}

#endif
