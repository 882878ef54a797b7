/* Collectives.
 *
 *   the same body run in lockstep over a mesh, and mapped by name over one axis, the other, or both: equal results
 *   .group (the definition) against .exchange (the same as data): equal results */
#include "api/transforms.h"

/* ---- by mesh and by name ---- */

/* One body in text, over axes a of 2 and b of 3. Values are [A * B] copies of the body's inputs, member a * 3 + b. */
/* set: inputs that differ between members */
typedef struct { base_arena *a; const char *body; uint32_t set; } names_job;

/* in lockstep over f's mesh */
static prop_value *members(base_arena *a, const ir_fn *f, int64_t n, const prop_value *x)
{
    const mesh *m = f->mesh;
    const op_device_set c = { m, (mesh_set)((1u << m->natom) - 1), n };
    ir_box *in = BASE_NEW(a, ir_box, n * f->narg + 1), *out = BASE_NEW(a, ir_box, n * f->nret + 1);
    prop_value *y = BASE_NEW(a, prop_value, n * f->nret + 1);
    for (int64_t k = 0; k < n * f->narg; k++) in[k] = prop_box(&x[k]);
    for (int64_t k = 0; k < n * f->nret; k++)
        y[k] = prop_new(a, ret_type(f, (uint32_t)(k % f->nret))), out[k] = prop_box(&y[k]);
    const bool ran = op_lockstep(&c, f, in, out);
    CHECK(ran, "%s", ran ? "" : prop_error());
    return ran ? y : NULL;
}

static ir_fn *on_mesh(base_arena *a, const char *mesh_text, const char *body)
{
    return parsed(a, *mesh_text ? base_format(a, "mesh \"%s\"\nfn body%s", mesh_text, body)
                                : base_format(a, "fn body%s", body));
}

/* Values of n members, one behind the other: the mapped value. Members step apart by `step`, the first is `first`. */
static prop_value together(base_arena *a, const ir_type *wide, const prop_value *x, int64_t n, int64_t step)
{
    prop_value v = prop_new(a, wide);
    const size_t bytes = (size_t)ir_bytes(x->type);
    for (int64_t k = 0; k < n; k++) memcpy((char *)v.at + (size_t)k * bytes, x[k * step].at, bytes);
    return v;
}

static ir_fn *mapped(base_arena *a, const ir_fn *f, uint32_t set, const char *axis, int64_t n)
{
    bool *in = BASE_NEW(a, bool, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) in[i] = set >> i & 1;
    ir_fn *g = transform_vmap(a, f, in, NULL, base_intern(axis), n);
    CHECK(g && ir_verify(g), "vmap over %s of %s: %s", axis, ir_print(a, f), prop_error());
    return g;
}

/* x: [6][narg]. Maps f (on a mesh of the other axis, of size rest) by name over an axis of size n; compares with want
 * [6][nret]. */
static void by_one_name(const names_job *j, const char *axis, const prop_value *x, const prop_value *want)
{
    const bool over_a = *axis == 'a';
    const int64_t n = over_a ? 2 : 3, rest = 6 / n, step = over_a ? 3 : 1, other = over_a ? 1 : 3;
    const ir_fn *f = on_mesh(j->a, over_a ? "b:3" : "a:2", j->body), *g = f ? mapped(j->a, f, j->set, axis, n) : NULL;
    if (!g) return;
    prop_value *in = BASE_NEW(j->a, prop_value, rest * g->narg + 1);
    for (int64_t m = 0; m < rest; m++)
        for (uint32_t i = 0; i < g->narg; i++) {
            const prop_value *first = &x[m * other * f->narg + i];
            in[m * g->narg + i] = j->set >> i & 1 ? together(j->a, g->type[i + 1], first, n, step * f->narg) : *first;
        }
    const prop_value *y = members(j->a, g, rest, in);
    for (int64_t m = 0; y && m < rest; m++)
        for (uint32_t r = 0; r < g->nret; r++) {
            const prop_value w =
                together(j->a, y[m * g->nret + r].type, &want[m * other * f->nret + r], n, step * f->nret);
            const char *at = prop_differs(j->a, &y[m * g->nret + r], &w, 1e-12);
            CHECK(!at, "mapped over %s, set %#x, place %lld, result %u %s\n%s", axis, j->set, (long long)m, r, at,
                  j->body);
        }
}

static void by_both_names(const names_job *j, bool a_first, const prop_value *x, const prop_value *want)
{
    const ir_fn *f = on_mesh(j->a, "", j->body),
                *g = f ? mapped(j->a, f, j->set, a_first ? "a" : "b", a_first ? 2 : 3) : NULL;
    const ir_fn *h = g ? mapped(j->a, g, j->set, a_first ? "b" : "a", a_first ? 3 : 2) : NULL;
    if (!h) return;
    prop_value *in = BASE_NEW(j->a, prop_value, h->narg + 1), *order = BASE_NEW(j->a, prop_value, 6);
    for (uint32_t i = 0; i < f->narg; i++) {
        for (int k = 0; k < 6; k++) order[k] = x[(a_first ? k % 2 * 3 + k / 2 : k) * f->narg + i];
        in[i] = j->set >> i & 1 ? together(j->a, h->type[i + 1], order, 6, 1) : x[i];
    }
    const prop_value *y = outputs_of(j->a, h, in);
    for (uint32_t r = 0; y && r < f->nret; r++) {
        for (int k = 0; k < 6; k++) order[k] = want[(a_first ? k % 2 * 3 + k / 2 : k) * f->nret + r];
        const prop_value w = together(j->a, y[r].type, order, 6, 1);
        const char *at = prop_differs(j->a, &y[r], &w, 1e-12);
        CHECK(!at, "mapped over both, %s first, set %#x, result %u %s\n%s", a_first ? "a" : "b", j->set, r, at,
              j->body);
    }
}

static void by_names(void *arg)
{
    const names_job *j = arg;
    const ir_fn *f = on_mesh(j->a, "a:2, b:3", j->body);
    if (!f) return;
    prop_value *x = BASE_NEW(j->a, prop_value, 6 * f->narg + 1);
    for (int k = 0; k < 6; k++)
        for (uint32_t i = 0; i < f->narg; i++)
            x[k * (int)f->narg + (int)i] = k && !(j->set >> i & 1) ? x[i] : prop_fresh(j->a, f->type[i + 1], PROP_WIDE);
    const prop_value *want = members(j->a, f, 6, x);
    if (!want) return;
    by_one_name(j, "a", x, want);
    by_one_name(j, "b", x, want);
    by_both_names(j, true, x, want);
    by_both_names(j, false, x, want);
}

static void collectives(void)
{
    static const char *const bodies[] = {
        "psum x {axes=[a], unchecked=true}", "psum x {axes=[b], unchecked=true}", "psum x {axes=[b,a], unchecked=true}",
        "pmax x {axes=[a], unchecked=true}", "pmin x {axes=[a,b], unchecked=true}",
        "all_gather x {axes=[a], all_gather_dim=0, axis_size=2, unchecked=true}",
        "all_gather x {axes=[b], all_gather_dim=1, axis_size=3, unchecked=true}",
        "all_gather x {axes=[a,b], all_gather_dim=1, axis_size=6, unchecked=true}",
        "all_gather x {axes=[b,a], all_gather_dim=0, axis_size=6, unchecked=true}",
        "reduce_scatter x {axes=[a], scatter_dimension=0, axis_size=2, unchecked=true}",
        "reduce_scatter x {axes=[b], scatter_dimension=1, axis_size=3, unchecked=true}",
        "reduce_scatter x {axes=[a,b], scatter_dimension=0, axis_size=6, unchecked=true}",
        "reduce_scatter x {axes=[b,a], scatter_dimension=1, axis_size=6, unchecked=true}",
        "all_to_all x {axes=[a], split_dimension=0, concat_dimension=1, axis_size=2, unchecked=true}",
        "all_to_all x {axes=[b], split_dimension=1, concat_dimension=0, axis_size=3, unchecked=true}",
        "all_to_all x {axes=[a,b], split_dimension=0, concat_dimension=1, axis_size=6, unchecked=true}",
        "all_to_all x {axes=[b,a], split_dimension=1, concat_dimension=0, axis_size=6, unchecked=true}",
        "ppermute x {axes=[a], source=[1,0], unchecked=true}", "ppermute x {axes=[b], source=[-1,0,1], unchecked=true}",
        "ppermute x {axes=[a,b], source=[3,5,-1,1,0,4], unchecked=true}",
        "ppermute x {axes=[b,a], source=[1,2,3,4,5,0], unchecked=true}",
        "to_varying x {axes=[a,b], unchecked=true}",
    };
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
        for (uint32_t set = 0; set < 4; set++) {         /* x differs or not; through a scan and beside another value */
            base_arena *a = base_open();
            const char *plain = base_format(a, "(x f64[6,6], w f64[6,6]) {\ny = %s\nreturn y\n}", bodies[k]);
            names_job j = { a, plain, set };
            CHECK(base_catch(by_names, &j), "out of memory");
            j.body = base_format(a, "(x f64[6,6], w f64[6,6]) {\n"
                                 "g = axis_index {axes=[b], unchecked=true}\n"
                                 "h = axis_index {axes=[a], unchecked=true}\n"
                                 "g2 = add g, g\ni = add g2, h\nf = convert i {new_dtype=f64}\n"
                                 "c = scan f, w {length=6, num_consts=0, num_carry=1} (f f64[], r f64[6]) {\n"
                                 "x = broadcast_in_dim r {shape=[6,6], broadcast_dimensions=[1]}\ny = %s\n"
                                 "s = slice y {start_indices=[0,0], limit_indices=[1,1], strides=[1,1]}\n"
                                 "t = reshape s {shape=[]}\n"
                                 "u = add f, t\nreturn u\n}\nreturn c, f\n}", bodies[k]);
            CHECK(base_catch(by_names, &j), "out of memory");
            base_close(a);
            base_clear_error();
        }
}

/* The index over two axes; over two mapped ones at once its sizes are unknown, and that is said. */
static void joint_index(void)
{
    base_arena *a = base_open();
    names_job j = {
        a,
        "(x f64[]) {\ni = axis_index {axes=[b,a], unchecked=true}\nf = convert i {new_dtype=f64}\ny = mul x, "
        "f\nreturn y\n}", 1
    };
    const ir_fn *f = on_mesh(a, "a:2, b:3", j.body), *g = on_mesh(a, "", j.body);
    prop_value x[6];
    for (int k = 0; f && k < 6; k++) x[k] = prop_fresh(a, f->type[1], PROP_WIDE);
    const prop_value *want = f ? members(a, f, 6, x) : NULL;
    if (want) by_one_name(&j, "a", x, want), by_one_name(&j, "b", x, want);
    CHECK(g && !transform_vmap(a, g, (const bool[]){ true }, NULL, base_intern("b"), 3), "an index of unknown size");
    CHECK(strstr(prop_error(), "axis_index over several mapped axes"), "message");
    base_close(a);
}

/* A name that nobody has bound is said, in lockstep as well as for plans. */
static void unbound(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(
        a, "mesh \"a:2\"\nfn f(x f64[2]) {\ny = all_gather x {axes=[b], all_gather_dim=0, axis_size=3, "
           "unchecked=true}\nreturn y\n}");
    op_exchange x;
    CHECK(f && !f->eqn[0].op->exchange(&f->eqn[0], &x), "an exchange over an unknown axis");
    CHECK(strstr(prop_error(), "all_gather over axis \"b\", which is not bound here"), "message");
    base_close(a);
}

/* ---- .group and .exchange say the same ---- */

static int64_t place_of(const mesh *m, mesh_list order, const uint32_t *coord)
{
    int64_t p = 0;
    for (int k = 0; k < mesh_list_n(order); k++)
        p = p * m->atom[mesh_list_at(order, k)] + coord[mesh_list_at(order, k)];
    return p;
}

/* What member `me` of n gets by the exchange's own words: element i of the result. */
static double exchanged(const op_exchange *x, int64_t n, int64_t me, const prop_value *in, const ir_type *result,
                        const int64_t *i)
{
    int64_t j[IR_RANK];
    double sum = 0;
    memcpy(j, i, sizeof j);
    if (x->index) return (double)me;
    if (x->source) {
        const ir_box b = x->source[me] == ~0u ? (ir_box){ 0 } : prop_box(&in[x->source[me]]);
        return b.at ? ir_load(&b, i).f : 0;
    }
    if (x->to_dim >= 0) j[x->to_dim] += me * result->dim[x->to_dim];
    if (x->from_dim >= 0) { /* parts of the whole: the whole's dim is n times the operand's */
        const int64_t each = in[0].type->dim[x->from_dim];
        const ir_box b = prop_box(&in[j[x->from_dim] / each]);
        j[x->from_dim] %= each;
        return ir_load(&b, j).f;
    }
    for (int64_t g = 0; g < n; g++) {
        const ir_box b = prop_box(&in[g]);
        const double v = ir_load(&b, j).f;
        sum = x->reduce == MESH_SUM ? sum + v
              : !g                 ? v
              : x->reduce == MESH_MAX ? fmax(sum, v)
              : x->reduce == MESH_MIN ? fmin(sum, v)
                                   : sum;
    }
    return sum;
}

static void exchange_is_group(const char *text, const char *mesh_text)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, base_format(a, "mesh \"%s\"\nfn f(x f64[6,6]) {\ny = %s\nreturn y\n}", mesh_text, text));
    const ir_eqn *e = f ? &f->eqn[f->neqn - 1] : NULL;
    op_exchange x;
    if (e && e->op->exchange(e, &x)) {
        const int64_t n = mesh_list_size(f->mesh, x.order);
        prop_value *in = BASE_NEW(a, prop_value, n);
        ir_box *box = BASE_NEW(a, ir_box, n);
        for (int64_t g = 0; g < n; g++) in[g] = prop_fresh(a, f->type[1], PROP_WIDE), box[g] = prop_box(&in[g]);
        for (int64_t me = 0; me < n; me++) {
            const prop_value y = prop_new(a, ret_type(f, 0));
            const ir_box out = prop_box(&y);
            int64_t i[IR_RANK], off = 0;
            CHECK(e->op->group(e, (int)n, (int)me, box, &out), "%s", prop_error());
            for (bool more = ir_first(&out, i); more; more = ir_next(&out, i)) {
                const ir_num v = ir_load(&out, i);
                off += fabs((ir_is_float(out.dtype) ? v.f : (double)v.i) - exchanged(&x, n, me, in, y.type, i)) > 1e-12;
            }
            CHECK(!off, "%s: member %lld of %lld: %lld elements differ", text, (long long)me, (long long)n,
                  (long long)off);
        }
        uint32_t coord[MESH_ATOMS] = { 0 };
        for (int64_t d = 0; d < mesh_size(f->mesh); d++) {
            mesh_coord(f->mesh, d, coord);
            CHECK(place_of(f->mesh, x.order, coord) < n, "%s: order", text);
        }
    }
    base_close(a);
}

static void exchanges(void)
{
    static const char *const over[][3] = { { "a", "a:3", "3" },
                                           { "a,b", "a:2, b:3", "6" },
                                           { "b,a", "a:2, b:3", "6" } };
    base_arena *a = base_open();
    for (int k = 0; k < 3; k++) {
        const char *ax = over[k][0], *m = over[k][1], *n = over[k][2];
        exchange_is_group(base_format(a, "psum x {axes=[%s], unchecked=true}", ax), m);
        exchange_is_group(base_format(a, "pmax x {axes=[%s], unchecked=true}", ax), m);
        exchange_is_group(base_format(a, "pmin x {axes=[%s], unchecked=true}", ax), m);
        exchange_is_group(base_format(a, "all_gather x {axes=[%s], all_gather_dim=1, axis_size=%s, unchecked=true}", ax,
                                      n), m);
        exchange_is_group(base_format(a, "reduce_scatter x {axes=[%s], scatter_dimension=0, axis_size=%s, "
                                         "unchecked=true}", ax, n), m);
        exchange_is_group(base_format(a, "all_to_all x {axes=[%s], split_dimension=1, concat_dimension=0, "
                                         "axis_size=%s, unchecked=true}", ax, n),
                          m);
        exchange_is_group(base_format(a, "all_to_all x {axes=[%s], split_dimension=0, concat_dimension=1, "
                                         "axis_size=%s, unchecked=true}", ax, n),
                          m);
        exchange_is_group(
            base_format(a, "ppermute x {axes=[%s], source=%s, unchecked=true}", ax, k ? "[5,-1,3,1,0,2]" : "[-1,2,0]"),
            m);
        exchange_is_group(base_format(a, "axis_index {axes=[%s], unchecked=true}", ax), m);
    }
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(collectives());
    CHECK_RUN(joint_index());
    CHECK_RUN(unbound());
    CHECK_RUN(exchanges());
    return check_done();
}
