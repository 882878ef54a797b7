/* gen/llvm/text.c - a scalar program as a function in LLVM's language: uniform values and pointers before the loop,
 * then a loop whose body loads one vector of every operand, computes all registers, and stores one vector of every
 * result.
 *
 * The order is that of the interpreter's steps. Steps that the interpreter skips in tiles where no element takes one
 * side of a select are skipped here per vector: a branch around the steps, and phi nodes after them. Constants are
 * literals, so that a text determines the kernel, and two equal texts are one kernel. */
#include "llvm.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Registers of the longest scalar program that is worth compiling; least steps that are worth a branch. */
enum { LONGEST = 3000, WORTH = 24 };
struct llvm_string { llvm_string *next; char text[]; };

/* Vectors by instruction set: their bits, and the attributes of a function. */
static const struct { int bits; const char *cpu, *features; } vectors[] = {
#if defined __aarch64__
    [GEN_BASE] = { 128, "generic", "+neon,+fp-armv8" },
#else
    [GEN_BASE] = { 128, "x86-64", "" },
#endif
    [GEN_AVX2] = { 256, "haswell", "+fma,+f16c,+bmi2" },
    [GEN_AVX512] = { 512, "skylake-avx512", "+fma,+f16c,+bmi2,-prefer-256-bit" },
};

/* ---- strings and lines ---- */

static const char *llvm_text_keep(llvm_writer *w, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    llvm_string *s = n < 0 ? NULL : malloc(sizeof *s + (size_t)n + 1);
    if (!s) return w->why = "out of memory", "";
    vsnprintf(s->text, (size_t)n + 1, fmt, args);
    s->next = w->strings, w->strings = s;
    return s->text;
}

const char *llvm_keep(llvm_writer *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *s = llvm_text_keep(w, fmt, args);
    va_end(args);
    return s;
}

#define WRITE_(name, file)                                                                                             \
    const char *name(llvm_writer *w, const char *fmt, ...)                                                             \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        const char *const t = llvm_keep(w, "%%t%d", ++w->temps);                                                       \
        fprintf(w->file, "  %s = ", t);                                                                                \
        va_start(args, fmt);                                                                                           \
        vfprintf(w->file, fmt, args);                                                                                  \
        va_end(args);                                                                                                  \
        fputc('\n', w->file);                                                                                          \
        return t;                                                                                                      \
    }
WRITE_(llvm_line, body)
WRITE_(llvm_before, head)

void llvm_block(llvm_writer *w, int label) { fprintf(w->body, "b%d:\n", w->block = label); }

/* ---- types and numbers ---- */

static const struct { const char *name; int bits; } kind[] = {
    [TT_BOOL] = { "i1", 1 },   [TT_I8] = { "i8", 8 },      [TT_U8] = { "i8", 8 },      [TT_I16] = { "i16", 16 },
    [TT_U16] = { "i16", 16 },  [TT_F16] = { "i16", 16 },   [TT_BF16] = { "i16", 16 },  [TT_I32] = { "i32", 32 },
    [TT_U32] = { "i32", 32 },  [TT_F32] = { "float", 32 }, [TT_I64] = { "i64", 64 },   [TT_U64] = { "i64", 64 },
    [TT_F64] = { "double", 64 },
#define BYTE_(d) [d] = { "i8", 8 }
    BYTE_(TT_I2), BYTE_(TT_I4), BYTE_(TT_U2), BYTE_(TT_U4), BYTE_(TT_F4E2M1FN), BYTE_(TT_F6E2M3FN), BYTE_(TT_F6E3M2FN),
    BYTE_(TT_F8E3M4), BYTE_(TT_F8E4M3), BYTE_(TT_F8E4M3FN), BYTE_(TT_F8E4M3FNUZ), BYTE_(TT_F8E4M3B11FNUZ),
    BYTE_(TT_F8E5M2), BYTE_(TT_F8E5M2FNUZ), BYTE_(TT_F8E8M0FNU),
};
const char *llvm_element(tt_dtype d) { return kind[d].name; }
int llvm_bits(tt_dtype d) { return kind[d].bits; }
/* For one lane the type is the element's, not a vector's: LLVM 19's instruction selection for AArch64 crashes on some
 * vectors of one element. */
const char *llvm_lanes_of(llvm_writer *w, const char *element)
{
    return w->lanes == 1 ? element : llvm_keep(w, "<%d x %s>", w->lanes, element);
}

const char *llvm_type(llvm_writer *w, tt_dtype d) { return llvm_lanes_of(w, kind[d].name); }

/* LLVM writes floats as the bits of a double, f32 too. */
static uint64_t as_double(tt_dtype d, uint64_t bits)
{
    float f;
    double x;
    const uint32_t low = (uint32_t)bits;
    if (d != TT_F32) return bits;
    if ((low & 0x7fffffff) > 0x7f800000)
        return (uint64_t)(low >> 31) << 63 | 0x7ff8ull << 48 | (uint64_t)(low & 0x7fffff) << 29;
    memcpy(&f, &low, sizeof f);
    x = (double)f;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static const char *literal(llvm_writer *w, tt_dtype d, uint64_t bits)
{
    if (d == TT_F32 || d == TT_F64) return llvm_keep(w, "0x%016llX", (unsigned long long)as_double(d, bits));
    if (d == TT_BOOL) return bits & 1 ? "true" : "false";
    const int n = kind[d].bits;
    return llvm_keep(w, "%llu", (unsigned long long)(n == 64 ? bits : bits & ((1ull << n) - 1)));
}

const char *llvm_number(llvm_writer *w, tt_dtype d, uint64_t bits)
{
    const char *one = literal(w, d, bits), *all = llvm_keep(w, "%s %s", kind[d].name, one);
    if (w->lanes == 1) return one;
    for (int n = 1; n < w->lanes; n *= 2) all = llvm_keep(w, "%s, %s", all, all);
    return llvm_keep(w, "<%s>", all);
}

/* ---- uniform registers ---- */

const char *llvm_scalar(llvm_writer *w, op_reg r)
{
    const op_inst *i = &w->inst[r];
    if (llvm_of_row(w, r)) return llvm_row_scalar(w, r);
    if (i->code == OP_CONST) return literal(w, i->dtype, i->imm.u64);
    const char *at = llvm_before(w, "getelementptr i64, ptr %%k, i64 %d", r);
    if (i->dtype != TT_BOOL) return llvm_before(w, "load %s, ptr %s", kind[i->dtype].name, at);
    return llvm_before(w, "icmp ne i8 %s, 0", llvm_before(w, "load i8, ptr %s", at));
}

const char *llvm_splat(llvm_writer *w, tt_dtype d, const char *scalar)
{
    const char *t = llvm_type(w, d);
    if (w->lanes == 1) return scalar;
    const char *first = llvm_before(w, "insertelement %s poison, %s %s, i64 0", t, kind[d].name, scalar);
    return llvm_before(w, "shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", t, first, t, w->lanes);
}

/* ---- registers and steps ---- */

static void set(llvm_writer *w, op_reg r, const char *value)
{
    w->value[r] = value;
    w->written[w->nwritten++] = r;
}

const char *llvm_same(llvm_writer *w, op_reg r)
{
    const op_inst *i = &w->inst[r];
    return i->code == OP_CONST ? llvm_number(w, i->dtype, i->imm.u64) : llvm_splat(w, i->dtype, llvm_scalar(w, r));
}

const char *llvm_value(llvm_writer *w, op_reg r)
{
    if (w->rows) return llvm_row_value(w, r);
    if (w->value[r] || w->why) return w->value[r] ? w->value[r] : "";
    if (w->uniform[r]) {
        return w->value[r] = llvm_same(w, r);            /* written in the head: defined everywhere */
    }
    const char *v = llvm_op(w, r);
    if (!v || w->why) return w->why = w->why ? w->why : "an instruction without a form in LLVM", "";
    set(w, r, v);
    return v;
}

const char *llvm_any(llvm_writer *w, const char *mask)
{
    if (w->lanes == 1) return mask;
    const char *bits = llvm_line(w, "bitcast <%d x i1> %s to i%d", w->lanes, mask, w->lanes);
    return llvm_line(w, "icmp ne i%d %s, 0", w->lanes, bits);
}

static void write_steps(llvm_writer *w, int from, int to);

/* Writes steps that may be skipped: a branch around them, phi nodes after them for the steps' registers. Other values
 * that are written inside are forgotten after the branch. */
static void write_side(llvm_writer *w, int s)
{
    const gen_step *x = &w->c->step[s];
    const char *p = llvm_value(w, x->a);
    const int before = w->block, mark = w->nwritten, inside = ++w->temps, behind = ++w->temps;
    if (x->kind == GEN_IF_ALL)
        p = llvm_line(w, "xor <%d x i1> %s, %s", w->lanes, p, llvm_number(w, TT_BOOL, 1));
    fprintf(w->body, "  br i1 %s, label %%b%d, label %%b%d\n", llvm_any(w, p), inside, behind);
    llvm_block(w, inside);
    write_steps(w, s + 1, s + 1 + x->which);
    const int last = w->block;
    fprintf(w->body, "  br label %%b%d\n", behind);
    llvm_block(w, behind);
    const int end = w->nwritten;
    w->nwritten = mark;
    for (int k = mark; k < end; k++) {
        const op_reg r = w->written[k];
        bool step = false;
        for (int q = s + 1; q <= s + x->which; q++) step |= w->c->step[q].d == r && w->c->step[q].kind == GEN_RUN;
        if (step) set(w, r, llvm_line(w, "phi %s [ %s, %%b%d ], [ zeroinitializer, %%b%d ]",
                                      llvm_type(w, w->inst[r].dtype), w->value[r], last, before));
        else w->value[r] = NULL;
    }
}

static void write_steps(llvm_writer *w, int from, int to)
{
    for (int s = from; s < to && !w->why; s++) {
        const gen_step *x = &w->c->step[s];
        if (x->kind == GEN_RUN && x->d < w->c->prog->n) llvm_value(w, x->d);
        const bool side = x->kind == GEN_UNLESS_ANY || x->kind == GEN_IF_ALL;
        /* for fewer a branch costs more than it saves */
        if (side && x->which >= WORTH) write_side(w, s), s += x->which;
    }
}

/* ---- operands and results ---- */

/* Prefetches a line of an operand in memory. With many such operands the processor recognizes too few streams.
 * (Measured with AVX-512: Adam over 16M 0.9 of the time, after products 0.8. Prefetching data that is in the caches
 * loses time.) */
static void write_prefetch(llvm_writer *w, const char *at)
{
    enum { AHEAD = 2048 };
    if (!w->c->prefetch || w->c->isa != GEN_AVX512) return;
    const char *far = llvm_line(w, "getelementptr i8, ptr %s, i64 %d", at, AHEAD);
    llvm_call_void(w, "prefetch.p0", "ptr, i32, i32, i32", llvm_keep(w, "ptr %s, i32 0, i32 3, i32 1", far));
}

static void write_loads(llvm_writer *w)
{
    for (int v = 0; v < w->c->nread; v++) {
        const gen_read *r = &w->c->read[v];
        const tt_dtype d = r->in >= 0 ? w->inst[r->reg].dtype : r->narrow ? TT_I32 : TT_I64;
        const char *e = d == TT_BOOL ? "i8" : kind[d].name;
        if (r->uniform) continue;
        if (gen_is_counter(w->c, r)) {
            set(w, r->reg, llvm_counter(w, r));
            continue;
        }
        const char *slot = llvm_before(w, "getelementptr ptr, ptr %%at, i64 %d", r->reg);
        const char *base = llvm_before(w, "load ptr, ptr %s", slot);
        const char *at = llvm_line(w, "getelementptr %s, ptr %s, i64 %%i", e, base);
        const char *x = llvm_line(w, "load <%d x %s>, ptr %s, align %d", w->lanes, e, at, (kind[d].bits + 7) / 8);
        if (d == TT_BOOL) x = llvm_line(w, "icmp ne <%d x i8> %s, zeroinitializer", w->lanes, x);
        write_prefetch(w, at);
        set(w, r->reg, x);
    }
}

/* The register that r, a result's own register, is a copy of. */
static op_reg source(const gen_tile_code *c, op_reg r)
{
    for (int s = 0; s < c->nstep && r >= c->prog->n; s++)
        if (c->step[s].kind == GEN_RUN && c->step[s].d == r) return c->step[s].a;
    return r;
}

static void write_stores(llvm_writer *w)
{
    for (int j = 0; j < w->c->nout; j++) {
        const op_reg to = w->c->out[j].reg, r = source(w->c, to);
        const tt_dtype d = w->inst[r].dtype;
        const char *e = d == TT_BOOL ? "i8" : kind[d].name, *x = llvm_value(w, r);
        const char *slot = llvm_before(w, "getelementptr ptr, ptr %%at, i64 %d", to);
        const char *base = llvm_before(w, "load ptr, ptr %s", slot);
        const char *at = llvm_line(w, "getelementptr %s, ptr %s, i64 %%i", e, base);
        if (d == TT_BOOL) x = llvm_line(w, "zext <%d x i1> %s to <%d x i8>", w->lanes, x, w->lanes);
        fprintf(w->body, "  store <%d x %s> %s, ptr %s, align %d\n", w->lanes, e, x, at, (kind[d].bits + 7) / 8);
    }
}

/* ---- the function ---- */

static bool is_wide(const gen_tile_code *c)              /* True if an operand or result has 8 bytes */
{
    bool wide = false;
    for (int v = 0; v < c->nread; v++)
        wide |= c->read[v].in >= 0 && kind[c->prog->inst[c->read[v].reg].dtype].bits == 64;
    for (int j = 0; j < c->nout; j++) wide |= kind[c->prog->inst[source(c, c->out[j].reg)].dtype].bits == 64;
    return wide;
}

/* Lanes: as many as a vector has elements of 4 bytes (a register of 8 bytes then takes two vectors); if all registers
 * are narrower than 4 bytes, as many as elements of the widest register. Twice as many lanes where one vector would
 * wait for its own results: random bits are a long chain of rounds, AVX2's processors look ahead less than two
 * iterations of a polynomial, and none looks ahead two iterations of LOOKED instructions. (Zen 5, AVX-512: gelu of bf16
 * and its gradient, which round after each operation, take half the time.) */
static int lanes_of(const gen_tile_code *c)
{
    enum { LOOKED = 100, ROUNDING = 5 };                 /* instructions; of a rounding to 16 bits */
    int widest = 8, instructions = 0, unrolled = c->isa == GEN_AVX2 && !is_wide(c) ? 2 : 1;
    for (int r = 1; r < c->prog->n; r++) {
        const op_inst *i = &c->prog->inst[r];
        if (kind[i->dtype].bits > widest) widest = kind[i->dtype].bits;
        if (i->code == OP_RANDOM32 || i->code == OP_RANDOM64) unrolled = 2;
        instructions += i->code == OP_CONVERT && i->from == TT_F32 && kind[i->dtype].bits == 16 ? ROUNDING
                        : i->code != OP_CONST && i->code != OP_INPUT;
    }
    if (c->isa == GEN_AVX512 && instructions >= LOOKED && !is_wide(c) && !c->rows) unrolled = 2;
    return unrolled * vectors[c->isa].bits / (widest < 32 ? widest : 32);
}

void llvm_attributes(const llvm_writer *w, FILE *f)
{
    for (int i = 0; i < w->used; i++) fprintf(f, "declare %s\n", w->intrinsic[i]);
    fprintf(f, "attributes #0 = { nounwind \"target-cpu\"=\"%s\" \"target-features\"=\"%s\" "
            "\"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" }\n", vectors[w->c->isa].cpu,
            vectors[w->c->isa].features);
    fprintf(f, "!0 = !{!\"branch_weights\", i32 1, i32 2000}\n");
    llvm_plain_functions(w, f);
}

static void write_function(llvm_writer *w, FILE *f, const char *head, const char *body)
{
    fprintf(f, "define void @loop(ptr %%at, ptr %%k, i64 %%n) #0 {\nentry:\n%s", head);
    fprintf(f, "  %%some = icmp sgt i64 %%n, 0\n  br i1 %%some, label %%b0, label %%done\nb0:\n");
    fprintf(f, "  %%i = phi i64 [ 0, %%entry ], [ %%next, %%b%d ]\n%s", w->block, body);
    fprintf(f, "  %%next = add i64 %%i, %d\n  %%more = icmp slt i64 %%next, %%n\n", w->lanes);
    fprintf(f, "  br i1 %%more, label %%b0, label %%done\ndone:\n  ret void\n}\n");
    llvm_attributes(w, f);
}

/* A text without a line could be another program. */
bool llvm_written(llvm_writer *w, FILE *f, char *const *text)
{
    if (!f || fclose(f) || !*text) w->why = "out of memory";
    return !w->why;
}

static bool write_text(llvm_writer *w, FILE *out)
{
    char *head = NULL, *body = NULL;
    size_t nhead, nbody;
    w->head = base_open_memstream(&head, &nhead), w->body = base_open_memstream(&body, &nbody);
    if (w->head && w->body) {
        write_loads(w);
        write_steps(w, 0, w->c->nstep);
        write_stores(w);
    } else w->why = "out of memory";
    llvm_written(w, w->head, &head);
    llvm_written(w, w->body, &body);
    if (!w->why) write_function(w, out, head, body);
    free(head);
    free(body);
    return !w->why;
}

char *llvm_text(const gen_tile_code *c, const char **why)
{
    const int n = c->prog->n;
    char *text = NULL;
    size_t size;
    if (n > LONGEST) return *why = "the scalar program is too long", NULL;
    llvm_writer w = { .c = c, .inst = c->prog->inst, .lanes = lanes_of(c) };
    w.uniform = calloc((size_t)n, sizeof *w.uniform), w.value = calloc((size_t)n, sizeof *w.value);
    w.written = calloc((size_t)n, sizeof *w.written), w.short_nan = calloc((size_t)n, sizeof *w.short_nan);
    FILE *out = base_open_memstream(&text, &size);
    if (!w.uniform || !w.value || !w.written || !w.short_nan || !out) w.why = "out of memory";
    if (!w.why) llvm_short_nans(w.inst, n, w.short_nan);
    for (int i = 0; !w.why && i < c->nuniform; i++) w.uniform[c->uniform[i]] = true;
    for (int r = 1; !w.why && c->rows && r < n; r++) w.uniform[r] = c->rows->reach[r] == GEN_SAME;
    if (!w.why) c->rows ? llvm_rows_text(&w, out) : write_text(&w, out);
    llvm_written(&w, out, &text);
    free(w.uniform);
    free(w.value);
    free(w.written);
    free(w.short_nan);
    for (llvm_string *s = w.strings, *next; s; s = next) next = s->next, free(s);
    if (!w.why) return text;
    *why = w.why;
    free(text);
    return NULL;
}
