/* train_step.h - a transformer's training step as IR: forward, backward, Adam; layers one after another, or in a scan.
 *
 * Written as text by layer, differentiated by transform/, and taken through the passes that come before partitioning.
 * Parameters are laid out as Megatron does (heads and hidden units over "model"), the batch over "data"; Adam's moments
 * are left to propagation. */
#ifndef TUTTI_BENCH_TRAIN_STEP_H
#define TUTTI_BENCH_TRAIN_STEP_H

#include "../src/pass/pass.h"
#include "../src/transform/transform.h"
#include "op/ops.h"

typedef struct { int layers, batch, tokens, width, heads, hidden, words; bool scanned; } train_shape;

/* One layer's parameters: dims by letter, and their layout. */
static const struct { const char *name, *dims, *spec; } train_params[] = {
    { "g1", "w", "_" },     { "c1", "w", "_" },        { "q", "whk", "_, model, _" }, { "k", "whk", "_, model, _" },
    { "v", "whk", "_, model, _" }, { "o", "hkw", "model, _, _" }, { "g2", "w", "_" }, { "c2", "w", "_" },
    { "u", "wf", "_, model" }, { "bu", "f", "model" }, { "d", "fw", "model, _" },     { "bd", "w", "_" },
};
enum { TRAIN_PARAMS = sizeof train_params / sizeof *train_params };

/* x: "f32[b,t,w]"; at: value names' end */
typedef struct { base_text t; train_shape s; const char *x, *at; } train_writer;

static int train_size(const train_shape *s, char c)
{
    return c == 'w' ? s->width : c == 'h' ? s->heads : c == 'k' ? s->width / s->heads : c == 'f' ? s->hidden
         : c == 'b' ? s->batch : c == 't' ? s->tokens : c == 'v' ? s->words : s->layers;
}

static const char *train_dims(base_arena *a, const train_shape *s, const char *dims)     /* "wf" -> "768,3072" */
{
    base_text t = { .arena = a };
    for (int i = 0; dims[i]; i++) base_appendf(&t, "%s%d", i ? "," : "", train_size(s, dims[i]));
    return t.s;
}

static void train_spread(train_writer *w, const char *y, const char *x, const char *dims, const char *from)
{
    base_appendf(&w->t, "%s = broadcast_in_dim %s {shape=[%s], broadcast_dimensions=[%s]}; ", y, x,
                 train_dims(w->t.arena, &w->s, dims), from);
}

static const char *train_number(train_writer *w, const char *y, double x, const char *dims)      /* a splat */
{
    base_appendf(&w->t, "%s_ = const {dtype=f32, data=%g}; ", y, x);
    train_spread(w, y, base_format(w->t.arena, "%s_", y), dims, "");
    return y;
}

#define PUT(...) base_appendf(&w->t, __VA_ARGS__)
#define N(name) base_format(w->t.arena, "%s%s", name, e)

/* y = norm(x) g + c over the last dim. */
static void train_norm(train_writer *w, const char *y, const char *x, const char *g, const char *c, const char *e)
{
    PUT("z%s = const {dtype=f32, data=0}; s%s = reduce %s, z%s {dimensions=[2]} add; ", e, e, x, e);
    train_number(w, N("i"), 1.0 / w->s.width, "btw");
    train_number(w, N("e"), 1e-5, "btw");
    train_spread(w, N("sb"), N("s"), "btw", "0,1");
    PUT("m%s = mul sb%s, i%s; n%s = sub %s, m%s; n2%s = mul n%s, n%s; ", e, e, e, e, x, e, e, e, e);
    PUT("v%s = reduce n2%s, z%s {dimensions=[2]} add; ", e, e, e);
    train_spread(w, N("vb"), N("v"), "btw", "0,1");
    PUT("vm%s = mul vb%s, i%s; ve%s = add vm%s, e%s; r%s = rsqrt ve%s; nr%s = mul n%s, r%s; ", e, e, e, e, e, e, e, e,
        e, e, e);
    train_spread(w, N("gb"), g, "btw", "2");
    train_spread(w, N("cb"), c, "btw", "2");
    PUT("ng%s = mul nr%s, gb%s; %s = add ng%s, cb%s;\n", e, e, e, y, e, e);
}

static void train_attention(train_writer *w, const char *y, const char *x, const char *const *p, const char *e)
{
    for (int i = 2; i < 5; i++)
        PUT("%s%s = dot_general %s, %s {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}; ",
            (const char *[]){ "q", "k", "v" }[i - 2],
            e, x, p[i]);
    PUT("s%s = dot_general q%s, k%s {lhs_batching_dimensions=[0,2], rhs_batching_dimensions=[0,2], "
        "lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[3], preferred_element_type=f32}; ", e, e, e);
    train_number(w, N("f"), 0.125, "bhtt");
    train_number(w, N("o"), -1e9, "bhtt");
    PUT("r%s = iota {dtype=i32, shape=[%d,%d], iota_dimension=0}; c%s = iota {dtype=i32, shape=[%d,%d], "
        "iota_dimension=1}; ", e,
        w->s.tokens, w->s.tokens, e, w->s.tokens, w->s.tokens);
    PUT("l%s = compare r%s, c%s {comparison_direction=ge}; ", e, e, e);
    train_spread(w, N("lb"), N("l"), "bhtt", "2,3");
    PUT("sf%s = mul s%s, f%s; sm%s = select lb%s, sf%s, o%s; x%s = exp sm%s; ", e, e, e, e, e, e, e, e, e);
    PUT("z%s = const {dtype=f32, data=0}; t%s = reduce x%s, z%s {dimensions=[3]} add; ", e, e, e, e);
    train_spread(w, N("tb"), N("t"), "bhtt", "0,1,2");
    PUT("a%s = div x%s, tb%s; ", e, e, e);
    PUT("h%s = dot_general a%s, v%s {lhs_batching_dimensions=[0,1], rhs_batching_dimensions=[0,2], "
        "lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[1], "
        "preferred_element_type=f32}; ht%s = transpose h%s {permutation=[0,2,1,3]}; ", e, e, e, e, e);
    PUT("%s = dot_general ht%s, %s {lhs_contracting_dimensions=[2,3], rhs_contracting_dimensions=[0,1], "
        "preferred_element_type=f32};\n", y, e, p[5]);
}

static void train_mlp(train_writer *w, const char *y, const char *x, const char *const *p, const char *e)
{
    PUT("u0%s = dot_general %s, %s {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
        "preferred_element_type=f32}; ", e, x, p[8]);
    train_spread(w, N("ub"), p[9], "btf", "2");
    PUT("u%s = add u0%s, ub%s; ", e, e, e);
    train_number(w, N("k1"), 0.044715, "btf");
    train_number(w, N("k2"), 0.79788, "btf");
    train_number(w, N("k3"), 0.5, "btf");
    train_number(w, N("k4"), 1, "btf");
    PUT("p2%s = mul u%s, u%s; p3%s = mul p2%s, u%s; p4%s = mul p3%s, k1%s; p5%s = add u%s, p4%s; p6%s = mul p5%s, "
        "k2%s; ", e, e,
        e, e, e, e, e, e, e, e, e, e, e, e, e);
    PUT("p7%s = tanh p6%s; p8%s = add p7%s, k4%s; p9%s = mul u%s, k3%s; pa%s = mul p9%s, p8%s; ", e, e, e, e, e, e, e,
        e, e, e, e);
    PUT("d0%s = dot_general pa%s, %s {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
        "preferred_element_type=f32}; ", e, e, p[10]);
    train_spread(w, N("db"), p[11], "btw", "2");
    PUT("%s = add d0%s, db%s;\n", y, e, e);
}

/* y = layer(x): names of its values end in e. */
static void train_layer(train_writer *w, const char *y, const char *x, const char *const *p, const char *e)
{
    train_norm(w, N("n1_"), x, p[0], p[1], N("A"));
    train_attention(w, N("at_"), N("n1_"), p, N("B"));
    PUT("x1_%s = add %s, at_%s; ", e, x, e);
    train_norm(w, N("n2_"), N("x1_"), p[6], p[7], N("C"));
    train_mlp(w, N("ml_"), N("n2_"), p, N("D"));
    PUT("%s = add x1_%s, ml_%s;\n", y, e, e);
}

static const char *train_param(base_arena *a, const train_shape *s, int layer, int i)    /* its name */
{
    return s->scanned ? train_params[i].name : base_format(a, "%s_%d", train_params[i].name, layer);
}

static const char *train_layers(train_writer *w)         /* from "x0"; the name of what comes out */
{
    base_arena *a = w->t.arena;
    const train_shape *s = &w->s;
    const char *p[TRAIN_PARAMS];
    if (!s->scanned) {
        for (int l = 0; l < s->layers; l++) {
            for (int i = 0; i < TRAIN_PARAMS; i++) p[i] = train_param(a, s, l, i);
            train_layer(w, base_format(a, "x%d", l + 1), base_format(a, "x%d", l), p, base_format(a, "%d", l));
        }
        return base_format(a, "x%d", s->layers);
    }
    PUT("xs = scan x0");
    for (int i = 0; i < TRAIN_PARAMS; i++) PUT(", %s", train_params[i].name);
    PUT(" {length=%d, num_consts=0, num_carry=1} (x f32[%s]", s->layers, train_dims(a, s, "btw"));
    for (int i = 0; i < TRAIN_PARAMS; i++) {
        p[i] = base_format(a, "p%s", train_params[i].name);
        PUT(", %s f32[%s]", p[i], train_dims(a, s, train_params[i].dims));
    }
    PUT(") {\n");
    train_layer(w, "y", "x", p, "");
    PUT("return y };\n");
    return "xs";
}

/* (parameters, words, wanted words) -> loss. */
static ir_fn *train_loss(base_arena *a, const char *mesh, const train_shape *shape)
{
    train_writer writer = { .t = { .arena = a }, .s = *shape }, *w = &writer;
    const char *e = "Z", *btv = train_dims(a, shape, "btv");
    PUT("mesh \"%s\"\nfn loss(emb f32[%s]", mesh, train_dims(a, shape, "vw"));
    for (int l = 0; l < (shape->scanned ? 1 : shape->layers); l++)
        for (int i = 0; i < TRAIN_PARAMS; i++)
            PUT(", %s f32[%s%s]", train_param(a, shape, l, i),
                shape->scanned ? base_format(a, "%d,", shape->layers) : "", train_dims(a, shape, train_params[i].dims));
    PUT(", words i32[%s], want i32[%s]) {\n", train_dims(a, shape, "bt"), train_dims(a, shape, "bt"));
    PUT("w3 = reshape words {shape=[%s,1]}; x0 = gather emb, w3 {offset_dims=[2], collapsed_slice_dims=[0], "
        "start_index_map=[0], "
        "index_vector_dim=2, slice_sizes=[1,%d]};\n", train_dims(a, shape, "bt"), shape->width);
    const char *x = train_layers(w);
    PUT("lo = dot_general %s, emb {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1], "
        "preferred_element_type=f32}; ex = exp lo; ", x);
    PUT("zz = const {dtype=f32, data=0}; se = reduce ex, zz {dimensions=[2]} add; ls = log se; ");
    train_spread(w, "wb", "want", "btv", "0,1");
    train_number(w, N("no"), 0, "btv");
    PUT("io = iota {dtype=i32, shape=[%s], iota_dimension=2}; hit = compare io, wb {comparison_direction=eq}; "
        "pk = select hit, lo, "
        "noZ; ", btv);
    PUT("pt = reduce pk, zz {dimensions=[2]} add; nl = sub ls, pt; su = reduce nl, zz {dimensions=[0,1]} add; "
        "return su\n}\n");
    return ir_parse(a, "train_step", w->t.s);
}

static ir_id train_scaled(ir_build *b, ir_id x, double by) { return op_mul(b, x, op_splat(b, ir_typeof(b, x), by)); }

/* Adam by hand: new parameter, moments. */
static void train_adam(ir_build *b, ir_id p, ir_id m, ir_id v, ir_id g, ir_id *out)
{
    const ir_id m1 = op_add(b, train_scaled(b, m, 0.9), train_scaled(b, g, 0.1));
    const ir_id v1 = op_add(b, train_scaled(b, v, 0.999), train_scaled(b, op_mul(b, g, g), 0.001));
    const ir_id root = op_add(b, op_sqrt(b, v1), op_splat(b, ir_typeof(b, v1), 1e-8));
    out[0] = op_sub(b, p, train_scaled(b, op_div(b, m1, root), 1e-3));
    out[1] = m1;
    out[2] = v1;
}

static const mesh_layout *train_spec(const mesh *m, const train_shape *s, const ir_fn *f, uint32_t arg, uint32_t n)
{
    const int rank = f->type[1 + arg]->rank;
    if (arg >= n) return mesh_parse("train_step", m, rank, "data, _");
    if (!arg) return mesh_parse("train_step", m, rank, "model, _");
    const char *spec = train_params[(arg - 1) % TRAIN_PARAMS].spec;
    return mesh_parse("train_step", m, rank, s->scanned ? base_format(f->arena, "_, %s", spec) : spec);
}

/* (parameters, moments m, moments v, words, wanted) -> (loss, parameters, m, v), with the layouts of its arguments. */
static ir_fn *train_step(base_arena *a, const char *mesh, const train_shape *s)
{
    const ir_fn *loss = train_loss(a, mesh, s);
    if (!loss) return NULL;
    const uint32_t n = loss->narg - 2;
    bool *wrt = BASE_NEW(a, bool, loss->narg);
    for (uint32_t i = 0; i < n; i++) wrt[i] = true;
    const ir_fn *grad = transform_value_and_grad(a, "train_step", loss, wrt);
    if (!grad) return NULL;
    ir_build *b = ir_begin(a, "train_step", loss->mesh);
    ir_id *x = BASE_NEW(a, ir_id, 3 * n + 2), *in = BASE_NEW(a, ir_id, n + 2), *y = BASE_NEW(a, ir_id, n + 1),
          *ret = BASE_NEW(a, ir_id, 3 * n + 1), out[3];
    for (uint32_t i = 0; i < 3 * n + 2; i++) x[i] = ir_arg(b, loss->type[1 + (i < 3 * n ? i % n : i - 2 * n)]);
    for (uint32_t i = 0; i < n + 2; i++) in[i] = i < n ? x[i] : x[i + 2 * n];
    if (!ir_inline(b, grad, in, y)) return NULL;
    ret[0] = y[0];
    for (uint32_t i = 0; i < n; i++) {
        train_adam(b, x[i], x[n + i], x[2 * n + i], y[1 + i], out);
        for (uint32_t k = 0; k < 3; k++) ret[1 + k * n + i] = out[k];
    }
    ir_fn *f = ir_end(b, 3 * n + 1, ret);
    if (f) f = pass_simplify(a, f);
    if (f) f = pass_decompose(a, f);
    if (f) f = pass_hoist(a, f);
    if (f) f = pass_simplify(a, f);
    if (!f) return NULL;
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 0; i < n + 2; i++) f->layout[1 + (i < n ? i : i + 2 * n)] = train_spec(loss->mesh, s, loss, i, n);
    return f;
}

#undef PUT
#undef N

#endif
