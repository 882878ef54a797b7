/* Functions as text: round trips, complaints with line, column and caret, hashing, verification, evaluation; and a text
 * cut off at every byte, or with every byte spoiled, never crashes the reader. Runs on toy primitives: needs no
 * primitive.
 *
 * Longer than 400 lines: the toy primitives, on which all its cases run, are a quarter of it. */
#include "ir/ir.h"
#include "check.h"

#include <stdlib.h>

/* ---- toy primitives ---- */

typedef struct { tt_dtype dtype; ir_dims shape; bool splat; ir_data data; } toy_const;
typedef struct {
    int64_t count; double scale; bool flag; int64_t way; tt_dtype to; ir_dims shape; base_name axis; ir_names axes;
    ir_layouts lay; void *host;
} toy_all;

static bool const_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const toy_const *a = IR_ATTR(e, toy_const);
    (void)x;
    *y = ir_type_of(a->dtype, a->shape.n, a->shape.v);
    return *y != NULL;
}

static bool const_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const toy_const *a = IR_ATTR(e, toy_const);
    int64_t zero[IR_RANK] = { 0 };
    (void)x; (void)zero;
    ir_box all = ir_box_of((void *)(uintptr_t)a->data.p, a->dtype, a->shape.n, NULL, a->shape.v);
    if (a->splat) memset(all.step, 0, sizeof all.step);
    return ir_copy(&all, y);
}

static bool same_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    for (uint32_t i = 1; i < e->nin; i++)
        if (x[i]->dtype != x[0]->dtype || x[i]->rank != x[0]->rank)
            return base_fail(TT_ETYPE, e->site, "%s: operands differ", e->op->name);
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return *y != NULL;
}

static bool add_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    (void)e;
    for (bool go = ir_first(y, i); go; go = ir_next(y, i))
        ir_store(y, i, (ir_num){ .f = ir_load(&x[0], i).f + ir_load(&x[1], i).f });
    return true;
}

static bool fold_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)      /* to a scalar, by its region */
{
    if (e->sub[0]->narg != 2 || e->sub[0]->nret != 1)
        return base_fail(TT_ETYPE, e->site, "reduce: a region of 2 and 1");
    *y = ir_type_of(x[0]->dtype, 0, NULL);
    return true;
}

static bool fold_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK], zero[1] = { 0 };
    ir_num m[3] = { ir_load(&x[1], zero) };
    m[0].u = 0;
    ir_box arg[2] = { { .at = &m[0], .dtype = y->dtype }, { .at = &m[1], .dtype = y->dtype } };
    ir_box res = { .at = &m[2], .dtype = y->dtype };
    ir_store(&arg[0], zero, ir_load(&x[1], zero));
    for (bool go = ir_first(&x[0], i); go; go = ir_next(&x[0], i)) {
        ir_store(&arg[1], zero, ir_load(&x[0], i));
        if (!ir_eval(e->sub[0], arg, &res)) return false;
        ir_store(&arg[0], zero, ir_load(&res, zero));
    }
    ir_store(y, zero, ir_load(&arg[0], zero));
    return true;
}

static bool many_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)     /* as many results as operands */
{
    for (uint32_t i = 0; i < e->nin; i++) y[i] = x[i];
    return true;
}

static bool all_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    (void)e;
    *y = x[0];
    return true;
}

static op_linear joint(const ir_eqn *e) { (void)e; return (op_linear){ OP_JOINT, 3 }; }
static op_linear none(const ir_eqn *e) { (void)e; return (op_linear){ OP_NONLINEAR, 0 }; }
static const char *const ways[] = { "lt", "le", NULL };

static const op_prim rows[] = {
    { .name = "const", .nin = 0, .nout = 1, .attr = sizeof(toy_const), .type = const_type, .ref = const_ref,
      .linear = none,
      .field = (const ir_field[]){ IR_FIELD(toy_const, dtype, IR_DTYPE), IR_FIELD(toy_const, shape, IR_DIMS),
                                   IR_FIELD(toy_const, splat, IR_BOOL), IR_FIELD(toy_const, data, IR_DATA), { 0 } } },
    { .name = "add", .nin = 2, .nout = 1, .type = same_type, .ref = add_ref, .linear = joint, .monoid = MESH_SUM },
    { .name = "fold", .nin = 2, .nout = 1, .nsub = 1, .type = fold_type, .ref = fold_ref, .linear = none },
    { .name = "many", .nin = -1, .nout = -1, .nsub = -1, .type = many_type, .linear = none },
    { .name = "tell", .nin = 1, .nout = 0, .type = many_type, .linear = none, .ordered = true },
    { .name = "all", .nin = 1, .nout = 1, .type = all_type, .linear = none, .attr = sizeof(toy_all),
      .field = (const ir_field[]){ IR_FIELD(toy_all, count, IR_INT), IR_FIELD(toy_all, scale, IR_REAL),
                                   IR_FIELD(toy_all, flag, IR_BOOL), { "way", IR_ENUM, offsetof(toy_all, way), ways },
                                   IR_FIELD(toy_all, to, IR_DTYPE), IR_FIELD(toy_all, shape, IR_DIMS),
                                   IR_FIELD(toy_all, axis, IR_NAME), IR_FIELD(toy_all, axes, IR_NAMES),
                                   IR_FIELD(toy_all, lay, IR_LAYOUTS), IR_FIELD(toy_all, host, IR_HOST), { 0 } } },
};

const op_prim *op_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

bool op_infer(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (e->op->nout == 0) return true;
    return e->op->type(e, x, y);
}

bool op_unify(ir_build *b, const op_prim *op, const void *attr, uint32_t nin, ir_id *in)
{
    (void)b; (void)op; (void)attr; (void)nin; (void)in;
    return true;
}

/* ---- texts ---- */

static base_arena *arena;

static const char mlp[] =
    "mesh \"data:2, model:4\"\n"
    "fn mlp(v1 f32[8, 4] @\"data, _\", v2 f32[8, 4] donate, v3 i32) -> f32[8, 4], f32, i32 {\n"
    "  v4 f32[8, 4] @\"data, model\" = add v1, v2\n"
    "  v5 f32 = const {dtype=f32, data=-inf}\n"
    "  v6 f32 = fold v4, v5 add\n"
    "  v7 f32[8, 4], v8 i32 = many v4, v3 head(v1 f32) {\n"
    "    v2 f32 = all v1 {count=-3, scale=0.1, flag=true, way=le, to=bf16, shape=[1, 2], axis=data, "
    "axes=[data, \"odd name\"], lay=[\"data, _\", none, \"_ +sum(model)\", \"\"]}\n"
    "    return v2\n"
    "  } (v1 i32) tag \"softmax\" {\n"
    "    v2 bool[3] = const {dtype=bool, shape=[3], data=[true, false, true]}\n"
    "    return v2, v1\n"
    "  }\n"
    "  v9 f32[8, 4] = all v7 {way=lt}\n"
    "  return v9, v6, v8\n"
    "}\n";

static ir_fn *parsed(const char *text)
{
    ir_fn *f = ir_parse(arena, "t.ir", text);
    CHECK(f, "%s\n%s", base_failed() ? base_failed()->what : "no error", text);
    base_clear_error();
    return f;
}

static void round_trip(const char *text)
{
    ir_fn *f = parsed(text);
    if (!f) return;
    const char *s = ir_print(arena, f);
    CHECK(!strcmp(s, text), "round trip:\n%s", s);
    CHECK(ir_verify(f), "verifies: %s", base_failed() ? base_failed()->what : "");
}

static void round_trips(void)
{
    round_trip(mlp);
    round_trip("fn f() {\n  return\n}\n");
    round_trip("mesh \"i:2 manual, j:6\"\nfn f(v1 f32[8]{i}, v2 f32+sum(i+j)+reduced(j.1.2)) -> f32[8]{i} {\n"
               "  v3 f32[8]{i} = add v1, v1\n  tell v3\n  return v3\n}\n");
    round_trip("fn c() {\n  v1 f32[2] = const {dtype=f32, shape=[2], data=[nan, 0x7fa00001]}\n"
               "  v2 c64 = const {dtype=c64, data=0x3f80000040000000}\n"
               "  v3 c128 = const {dtype=c128, data=0x3ff00000000000004000000000000001}\n"
               "  v4 u64 = const {dtype=u64, data=18446744073709551615}\n  v5 i8 = const {dtype=i8, data=-128}\n"
               "  v6 f64 = const {dtype=f64, data=0.1}\n  v7 f16 = const {dtype=f16, data=-0}\n"
               "  v8 f32[0] = const {dtype=f32, shape=[0]}\n"
               "  v9 f32[3] = const {dtype=f32, shape=[3], splat=true, data=1.4013e-45}\n"
               "  return\n}\n");
}

static void loose(void)                                  /* what people write, and what it prints as */
{
    ir_fn *f = parsed("fn g(x f32[2,3], y f32[2,3]) { # a comment\n h = add x, y; s = fold h, 0 (a f32, b f32)\n"
                      "{ r = add a, b; return r } t = fold h, 1.5:f32 add\n return s, t }");
    if (!f) return;
    const char *want = "fn g(v1 f32[2, 3], v2 f32[2, 3]) -> f32, f32 {\n  v3 f32[2, 3] = add v1, v2\n"
                       "  v4 f32 = const {dtype=f32, splat=true, data=0}\n  v5 f32 = fold v3, v4 add\n"
                       "  v6 f32 = const {dtype=f32, splat=true, data=1.5}\n  v7 f32 = fold v3, v6 add\n"
                       "  return v5, v7\n}\n";
    CHECK(!strcmp(ir_print(arena, f), want), "%s", ir_print(arena, f));
    CHECK(strstr(ir_print_sites(arena, f), "v3 f32[2, 3] = add v1, v2  # t.ir:2\n"), "%s", ir_print_sites(arena, f));
    const ir_fn *k = ir_case(arena, "fold f32[3,4], 0 (a f32, b f32) { r = add a, b; return r }");
    CHECK(k && k->narg == 1 && k->neqn == 2 && !strcmp(ir_eqn_text(arena, &k->eqn[1]), "fold v1, v2"), "a case: %s",
          base_failed() ? base_failed()->what : "");
    k = ir_case(arena, "all f32[3]{a} {axes=[a, b]} on a:2, b:3");
    CHECK(k && k->mesh == mesh_of(NULL, "a:2, b:3") && k->type[1]->vary == 1 && k->type[2]->vary == 1,
          "a case on a mesh");
    k = ir_case(arena, "add f32, f32[]");
    CHECK(k && k->narg == 2 && k->type[1] == k->type[2], "scalars");
    k = ir_case(arena, "const {dtype=f32, shape=[], data=2.5}");
    CHECK(k && k->narg == 0 && k->nret == 1, "no operands");
    k = ir_case(arena, "const f32[2,3] 100.");
    CHECK(k && !strcmp(ir_eqn_text(arena, &k->eqn[0]), "const {dtype=f32, shape=[2, 3], splat=true, data=100}"),
          "one for all");
}

static void refused(const char *text, const char *want)
{
    const ir_fn *f = strncmp(text, "fn", 2) && strncmp(text, "mesh", 4) && *text != '?' ? ir_case(arena, text)
                                                                                        : ir_parse(arena, "t.ir", text);
    CHECK(!f && base_failed() && !strcmp(base_failed()->what, want), "%s\n--> %s", text,
          base_failed() ? base_failed()->what : "accepted");
    base_clear_error();
}

static void complaints(void)
{
    refused("?", "line 1, column 1: a function begins with \"fn\"\n  ?\n  ^");
    refused("fn f(x f32) {\n  y = sub x, x\n  return y\n}",
            "line 2, column 7: no primitive named \"sub\"\n    y = sub x, x\n        ^");
    refused("fn f(x f32) {\n  y = add x, z\n}",
            "line 2, column 14: no value named \"z\" in this function\n    y = add x, z\n               ^");
    refused("fn f(x f32) {\n  x = add x, x\n  return x }",
            "line 2, column 3: \"x\" is defined twice\n    x = add x, x\n    ^");
    refused("fn f(x f32) {",
            "line 1, column 14: the text ends where \"return\" is missing\n  fn f(x f32) {\n               ^");
    refused("fn f(x f33) { return x }",
            "line 1, column 8: \"f33\" is no data type\n  fn f(x f33) { return x }\n         ^");
    refused("fn f(x f32[-1]) { return x }",
            "dim 0 has a negative size: -1\n  fn f(x f32[-1]) { return x }\n         ^");
    refused("fn f(x f32[1,2,3,4,5,6,7,8,9,10,11,12,13]) { return x }",
            "line 1, column 8: a type of 13 dims; at most 12 are possible\n"
            "  fn f(x f32[1,2,3,4,5,6,7,8,9,10,11,12,13]) { return x }\n         ^");
    refused("fn f(x f32[4294967296,4294967296]) { return x }",
            "a value of more than 2^63 elements\n  fn f(x f32[4294967296,4294967296]) { return x }\n         ^");
    refused("fn f(x f32) -> f32[2] { return x }",
            "line 1, column 16: result 0 is f32\n  fn f(x f32) -> f32[2] { return x }\n                 ^");
    refused("fn f(x f32) { y f32[1] = add x, x\n return y }",
            "line 1, column 15: \"y\" is f32\n  fn f(x f32) { y f32[1] = add x, x\n                ^");
    refused("fn f(x f32) { a, b = add x, x\n return a }",
            "line 1, column 15: add has 1 results, not 2\n  fn f(x f32) { a, b = add x, x\n                ^");
    refused("fn f(x f32) { y = add x\n return y }", "add has 2 operands, not 1");
    refused("fn f(x f32[2], y i32) { z = add x, y\n return z }", "add: operands differ");
    refused("fn f(x f32) { y = all x {cuont=1}\n return y }",
            "line 1, column 26: all has no attribute \"cuont\"; it has: count scale "
            "flag way to shape axis axes lay host\n  fn f(x f32) { y = all x {cuont=1}\n                           ^");
    refused("fn f(x f32) { y = all x {way=gt}\n return y }", "line 1, column 30: way is one of: lt le\n"
            "  fn f(x f32) { y = all x {way=gt}\n                               ^");
    refused("fn f(x f32) { y = all x {host=host}\n return y }",
            "line 1, column 31: a function of the host cannot be read from text\n"
            "  fn f(x f32) { y = all x {host=host}\n                                ^");
    refused("fn f() { y = const {data=3}\n return y }", "line 1, column 26: the dtype must come before the data\n"
            "  fn f() { y = const {data=3}\n                           ^");
    refused("fn f() { y = const {dtype=i8, data=128}\n return y }", "line 1, column 36: \"128\" is no i8\n"
            "  fn f() { y = const {dtype=i8, data=128}\n                                     ^");
    refused("mesh \"a:2\"\nfn f(x f32{b}) { return x }", "no axis \"b\" in mesh a:2\n  b\n  ^");
    refused("fn f(x f32) { return x } x",
            "line 1, column 26: unexpected text after the end of the function\n  fn f(x f32) { return x } x\n"
            "                           ^");
    refused("fold f32[3], 0 sub",
            "line 1, column 16: no primitive named \"sub\", and no '(' after it to begin a region\n"
            "  fold f32[3], 0 sub\n                 ^");
    refused("const f32", "line 1, column 10: a number is missing here\n  const f32\n           ^");
    refused("many 3", "line 1, column 6: a literal without a data type; write the type behind the literal, as in "
                      "0:f32\n  many 3\n       ^");
    refused("add f32, 1:f32[2]", "line 1, column 10: a literal is a scalar\n  add f32, 1:f32[2]\n           ^");
}

static void mutations(const char *text)                  /* cut or spoiled anywhere: an error or a function, no crash */
{
    const size_t n = strlen(text);
    static const char spoil[] = "{}()[]\",=0#v-\n:";
    int accepted = 0;
    for (size_t i = 0; i < n; i++) {
        base_arena *a = base_open();
        char *s = base_copy(a, text, n + 1);
        for (size_t k = 0; k < sizeof spoil; k++) {
            s[i] = spoil[k];                             /* the last: the end of the text */
            const ir_fn *f = ir_parse(a, "m", s);
            CHECK(!f == !!base_failed(), "spoiled at %zu: a function or an error", i);
            if (f) accepted += ir_verify(f) && ir_print(a, f) != NULL;
            base_clear_error();
        }
        base_close(a);
    }
    CHECK(accepted > 0, "some spoiled texts still are functions");
}

typedef struct { base_arena *arena; const ir_fn *f; bool same; } trip;

static void there_and_back(void *arg)
{
    trip *t = arg;
    t->arena = base_open();
    t->f = ir_parse(t->arena, "m", mlp);
    t->same = t->f && ir_verify(t->f) && !strcmp(ir_print(t->arena, t->f), mlp);
}

static void starved(void)                                /* every allocation of a round trip fails once */
{
    const size_t live = base_live_bytes();
    int64_t nth = 1;
    for (bool done = false; !done; nth++) {
        trip t = { 0 };
        base_fail_allocation(nth);
        done = base_catch(there_and_back, &t);
        base_fail_allocation(0);
        base_close(t.arena);
        CHECK(done ? t.same && !base_failed() : base_failed() && base_failed()->code == TT_EMEM, "request %d",
              (int)nth);
        base_clear_error();
    }
    CHECK(nth > 300 && base_live_bytes() == live, "%d requests, %d bytes left", (int)nth,
          (int)(base_live_bytes() - live));
}

static void hashes(void)
{
    const ir_fn *a = parsed("fn f(x f32, y f32) { # one\n z = add x, y\n return z }");
    const ir_fn *b = parsed("fn g(p f32, q f32) {\n\n r = add p, q\n return r }");
    const ir_fn *c = parsed("fn f(x f32, y f32) { z = add y, x\n return z }");
    const ir_fn *d = parsed("fn f(x f32 donate, y f32) { z = add x, y\n return z }");
    const ir_fn *e = parsed("fn f(x f32) { z = all x {axes=[i]}\n return z }");
    const ir_fn *g = parsed("fn f(x f32) { z = all x {axes=[j]}\n return z }");
    if (!a || !b || !c || !d || !e || !g) return;
    CHECK(ir_hash(a) == ir_hash(b), "names and sites do not count");
    CHECK(ir_hash(a) != ir_hash(c) && ir_hash(a) != ir_hash(d) && ir_hash(e) != ir_hash(g), "content does");
    CHECK(e->eqn[0].attr != g->eqn[0].attr && parsed("fn h(x f32) { z = all x {axes=[i]}\n return z }")->eqn[0].attr ==
          e->eqn[0].attr, "attributes are interned");
}

static void broken(void)                                 /* verify refuses what building cannot make */
{
    const char *text = "fn f(x f32, y f32) { z = add x, y\n w = add z, x\n return w }";
    static const char *const want[] = { "is not defined before it", "are out of order", "is no value of it",
                                        "belongs to another function", "is f32, not i32", "values, 3 defined" };
    for (int k = 0; k < 6; k++) {
        ir_fn *f = parsed(text);
        if (!f) return;
        if (k == 0) ((ir_id *)(uintptr_t)f->eqn[0].in)[1] = 4;
        if (k == 1) f->eqn[1].out = 3;
        if (k == 2) f->ret[0] = 9;
        if (k == 3) f->eqn[1].fn = NULL;
        if (k == 4) f->type[4] = ir_type_of(TT_I32, 0, NULL);
        if (k == 5) f->neqn = 1;
        CHECK(!ir_verify(f) && base_failed()->code == TT_EBUG && strstr(base_failed()->what, want[k]),
              "broken %d: %s", k,
              base_failed() ? base_failed()->what : "accepted");
        base_clear_error();
    }
}

static void building(void)
{
    const ir_type *t = ir_type_of(TT_F32, 1, (const int64_t[]){ 4 });
    CHECK(t == ir_type_of(TT_F32, 1, (const int64_t[]){ 4 }) && t != ir_type_of(TT_F32, 1, (const int64_t[]){ 5 }),
          "interned");
    CHECK(ir_count(t) == 4 && ir_bytes(t) == 16 && ir_count(ir_type_of(TT_F64, 2, (const int64_t[]){ 3, 0 })) == 0,
          "sizes");
    CHECK(!strcmp(ir_type_text(arena, ir_type_vary(t, 5)), "f32[4]{#0+#2}"), "states");
    CHECK(ir_type_vary(ir_type_vary(t, 5), 0) == t, "taken away");
    ir_build *b = ir_begin(arena, "b", NULL);
    const ir_id x = ir_arg(b, t), y = ir_arg(b, ir_type_of(TT_F32, 2, (const int64_t[]){ 4, 1 }));
    ir_site(b, "user.c:7");
    const ir_id two[2] = { x, y };
    const uint64_t before = base_failures();
    const ir_id bad = ir_emit(b, op_find("add"), NULL, 2, two, 0, NULL);
    CHECK(!bad && base_failed()->code == TT_ETYPE && base_failed()->ncite == 2 &&
          !strcmp(base_failed()->site, "user.c:7") && !strcmp(base_failed()->cite[1].what, "operand 1: f32[4, 1]"),
          "operands are cited");
    const ir_id poison[2] = { bad, x };
    CHECK(!ir_emit(b, op_find("add"), NULL, 2, poison, 0, NULL) && base_failures() == before + 1, "poison is silent");
    CHECK(!ir_end(b, 1, &bad), "a poisoned function does not end");
    base_clear_error();
    CHECK(!ir_emit(b, op_find("add"), NULL, 2, poison, 0, NULL) && base_failed()->code == TT_EBUG,
          "poison without an error");
    base_clear_error();
    const ir_id sum = ir_emit(b, op_find("add"), NULL, 2, (const ir_id[]){ x, x }, 0, NULL);
    CHECK(ir_def(b, sum)->op == op_find("add") && !ir_def(b, x) && ir_typeof(b, sum) == t && !ir_typeof(b, 99),
          "def and type");
    CHECK(!ir_arg(b, t) && base_failed(), "arguments come first");
    base_clear_error();
    ir_fn *f = ir_end(b, 1, &sum);
    ir_build *c = ir_begin(arena, "c", NULL);
    const ir_id in[2] = { ir_arg(c, t), ir_arg(c, ir_typeof(b, y)) };
    ir_id out, last;
    CHECK(ir_inline(c, f, in, &out) && ir_typeof(c, out) == t, "inline");
    last = ir_clone(c, &f->eqn[0], (const ir_id[]){ out, out });
    f = ir_end(c, 1, &last);
    const float v[4] = { 1, 2, 3, 4 }, w[4] = { 0 };
    float z[4];
    const ir_box box[2] = { ir_box_dense((void *)(uintptr_t)v, t), ir_box_dense((void *)(uintptr_t)w, t) },
        res = ir_box_dense(z, t);
    CHECK(f && ir_eval(f, box, &res) && z[0] == 4 && z[3] == 16, "evaluated");
    f = parsed("fn g(x f32[2,300]) { s = fold x, 0 add\n y = add x, x\n t = fold y, 1 add\n return s, t }");
    static float big[600];
    float s[2];
    for (int i = 0; i < 600; i++) big[i] = 1;
    const ir_box bx = ir_box_dense(big, f->type[1]);
    const ir_box by[2] = { ir_box_dense(&s[0], f->type[3]), ir_box_dense(&s[1], f->type[3]) };
    const size_t live = base_live_bytes();
    CHECK(ir_eval(f, &bx, by) && s[0] == 600 && s[1] == 1201, "regions: %g %g", (double)s[0], (double)s[1]);
    CHECK(base_live_bytes() == live, "nothing is left");
}

static void states(void)                                 /* vary unites; partial passes where it is linear */
{
    const mesh *m = mesh_of(NULL, "i:2, j:2");
    const ir_type *t = ir_type_of(TT_F32, 1, (const int64_t[]){ 4 });
    ir_build *b = ir_begin(arena, "s", m);
    const ir_id x = ir_arg(b, ir_type_vary(t, 1)), y = ir_arg(b, ir_type_vary(t, 2));
    const ir_id p = ir_arg(b, ir_type_states(t, 0, 1, MESH_SUM, 0));
    const ir_id q = ir_arg(b, ir_type_states(t, 0, 1, MESH_MAX, 0));
    const ir_id s = ir_emit(b, op_find("add"), NULL, 2, (const ir_id[]){ x, y }, 0, NULL);
    CHECK(ir_typeof(b, s) == ir_type_vary(t, 3), "varies over both");
    const ir_id pp = ir_emit(b, op_find("add"), NULL, 2, (const ir_id[]){ p, p }, 0, NULL);
    CHECK(ir_typeof(b, pp) == ir_typeof(b, p), "sums add: still partial");
    CHECK(!ir_emit(b, op_find("add"), NULL, 2, (const ir_id[]){ p, x }, 0, NULL) && base_failed()->hint,
          "partial + whole");
    base_clear_error();
    CHECK(!ir_emit(b, op_find("add"), NULL, 2, (const ir_id[]){ q, q }, 0, NULL), "maxima do not add");
    base_clear_error();
}

static void boxes(void)
{
    static const tt_dtype all[] = { TT_BOOL, TT_I8, TT_I16, TT_I32, TT_I64, TT_U8, TT_U16, TT_U32, TT_U64, TT_F16,
                                    TT_BF16, TT_F32, TT_F64 };
    const int64_t zero[IR_RANK] = { 0 };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        uint64_t mem = 0;
        const ir_box b = { .at = &mem, .dtype = all[k] };
        const ir_class c = ir_dtype_of(all[k])->cls;
        ir_store(&b, zero, c == IR_FLOAT_CLASS ? (ir_num){ .f = -1.5 } : (ir_num){ .i = -2 });
        const ir_num v = ir_load(&b, zero);
        const uint64_t wrapped = ir_dtype_of(all[k])->bytes == 8 ? (uint64_t)-2
            : ((uint64_t)1 << 8 * ir_dtype_of(all[k])->bytes) - 2;
        CHECK(c == IR_FLOAT_CLASS ? v.f == -1.5 : c == IR_INT_CLASS ? v.i == -2 : c == IR_UINT_CLASS
              ? v.u == wrapped : v.u == 1,
              "%s there and back", ir_dtype_of(all[k])->name);
        CHECK(ir_dtype_named(ir_dtype_of(all[k])->name) == all[k], "by name");
    }
    int32_t a[12], o[12] = { 0 };
    for (int i = 0; i < 12; i++) a[i] = i;
    /* rows 1..3 and columns 2..5, to rows 2..5 and columns 0..2 */
    ir_box from = ir_box_of(a, TT_I32, 2, (const int64_t[]){ 1, 2 }, (const int64_t[]){ 3, 4 });
    ir_box to = ir_box_of(o, TT_I32, 2, (const int64_t[]){ 2, 0 }, (const int64_t[]){ 4, 3 });
    CHECK(ir_copy(&from, &to) && o[2] == 4 && o[5] == 8 && o[0] == 0 && o[8] == 0, "the common part is copied");
    from.step[1] = 2;
    CHECK(ir_load(&from, (const int64_t[]){ 1, 3 }).i == 2, "strides");
    int64_t i[IR_RANK];
    int n = 0;
    for (bool go = ir_first(&to, i); go; go = ir_next(&to, i)) n++;
    CHECK(n == 12 && ir_box_count(&to) == 12, "walk");
    to.n[1] = 0;
    CHECK(!ir_first(&to, i), "an empty box has no first");
}

static void halves(void)                             /* every 16-bit float there and back; rounding by the definition */
{
    bool good = true;
    for (uint32_t h = 0; h < 65536; h++) {
        const float f = ir_f16_f32((uint16_t)h), g = ir_bf16_f32((uint16_t)h);
        if (f == f) good &= ir_f32_f16(f) == h && ir_f64_f16((double)f) == h;
        else good &= (ir_f32_f16(f) & 0x7fff) > 0x7c00;
        if (g == g) good &= ir_f32_bf16(g) == h && ir_f64_bf16((double)g) == h;
        else good &= (ir_f32_bf16(g) & 0x7fff) > 0x7f80 && (ir_f64_bf16((double)g) & 0x7fff) > 0x7f80;
    }
    CHECK(good, "all 16-bit floats");
    for (uint32_t h = 0; h < 0x7c00; h++) {            /* between neighbours: the nearer; in the middle: the even one */
        const double lo = (double)ir_f16_f32((uint16_t)h);
        const double hi = h == 0x7bff ? 65536 : (double)ir_f16_f32((uint16_t)(h + 1));
        const double mid = (lo + hi) / 2;
        good &= ir_f64_f16(mid) == h + (h & 1) && ir_f64_f16(mid * (1 + 0x1p-50)) == h + 1 &&
                ir_f64_f16(-mid * (1 - 0x1p-50)) == (h | 0x8000);
    }
    CHECK(good, "f16 rounds to nearest even");
    for (uint32_t h = 0; h < 0x7f80; h++) {
        const double lo = (double)ir_bf16_f32((uint16_t)h);
        const double hi = h == 0x7f7f ? 0x1p128 : (double)ir_bf16_f32((uint16_t)(h + 1));
        const double mid = (lo + hi) / 2;
        good &= ir_f64_bf16(mid) == h + (h & 1) && ir_f64_bf16(mid * (1 + 0x1p-50)) == h + 1 &&
                ir_f64_bf16(mid * (1 - 0x1p-50)) == h && ir_f32_bf16((float)mid) == h + (h & 1);
    }
    CHECK(good, "bf16 rounds to nearest even");
    CHECK(ir_f64_f16(1 + 0x1p-11 + 0x1p-40) == 0x3c01 && ir_f64_f16(1e300) == 0x7c00 && ir_f64_f16(5e-324) == 0,
          "once; far");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    arena = base_open();
    CHECK_RUN(round_trips());
    CHECK_RUN(loose());
    CHECK_RUN(complaints());
    CHECK_RUN(hashes());
    CHECK_RUN(broken());
    CHECK_RUN(building());
    CHECK_RUN(states());
    CHECK_RUN(boxes());
    CHECK_RUN(halves());
    CHECK_RUN(mutations(mlp));
    CHECK_RUN(starved());
    base_close(arena);
    return check_done();
}
