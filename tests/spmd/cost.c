/* The cost model and the planner of routes: what moves against what every device of small meshes needs and has;
 * published cases of resharding (the listed sequence of collectives is an upper bound), and the sequences found, run
 * step by step. */
#include "api/pipeline.h"
#include "spmd/inner.h"

#include <time.h>

static uint64_t state = 1;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static const spmd_link links[] = { { 5e-6, 1e-10 }, { 2e-5, 1e-9 } };
static const spmd_machine net = { 2, links, 0, 2e-11, 1e-10 };

static spmd_state open_on(base_arena *a, const mesh *m, int link)
{
    spmd_state s = { .a = a, .mesh = m };
    spmd_machine_set(&s, &net);
    for (int k = 0; k < m->natom; k++) s.link[k] = (uint8_t)link;
    return s;
}

/* ---- bytes ---- */

static spmd_sharding some(const mesh *m, int rank, bool one_dim_each)
{
    spmd_sharding x = { .rank = rank };
    mesh_list order = 0;
    for (int tries = 0; tries < 20 && mesh_list_n(order) < m->natom; tries++) {
        const int a = (int)below((uint32_t)m->natom);
        if (!(mesh_list_set(order) >> a & 1)) order = mesh_list_push(order, a);
    }
    for (int i = 0; i < mesh_list_n(order); i++) {
        const int a = mesh_list_at(order, i), d = one_dim_each ? a % rank : (int)below((uint32_t)rank);
        if (below(3)) x.dim[d] = mesh_list_push(x.dim[d], a);
    }
    return x;
}

static int64_t missing_at(const mesh *m, const ir_type *t, const spmd_sharding *from, const spmd_sharding *to,
    int64_t device)
{
    uint32_t at[MESH_ATOMS] = { 0 };
    int64_t need = 1, both = 1;
    mesh_coord(m, device, at);
    for (int d = 0; d < t->rank; d++) {
        int64_t a, b, c, e;
        mesh_range(m, from->dim[d], t->dim[d], at, &a, &b);
        mesh_range(m, to->dim[d], t->dim[d], at, &c, &e);
        need *= e - c;
        const int64_t lo = a > c ? a : c, hi = b < e ? b : e;
        both *= hi > lo ? hi - lo : 0;
    }
    return 4 * (need - both);
}

static void bytes(void)
{
    static const char *const meshes[] = { "a:2", "a:3, b:2", "a:2, b:2, c:2", "a:4, b:3", "a:6, b:2" };
    int64_t exact = 0, all = 0;
    for (int i = 0; i < check_share(6000); i++) {
        base_arena *a = base_open();
        const mesh *m = mesh_of(NULL, meshes[below(5)]);
        const int rank = 1 + (int)below(3);
        int64_t dim[3], worst = 0;
        for (int d = 0; d < rank; d++) dim[d] = below(2) ? 12 : 1 + below(13);
        const ir_type *t = ir_type_of(TT_F32, rank, dim);
        const bool tame = below(2);                      /* no atom changes its dim */
        const spmd_sharding from = some(m, rank, tame), to = some(m, rank, tame);
        spmd_state s = open_on(a, m, 0);
        const spmd_move v = spmd_moving(&s, t, &from, &to);
        for (int64_t k = 0; k < mesh_size(m); k++) {
            const int64_t n = missing_at(m, t, &from, &to, k);
            if (n > worst) worst = n;
        }
        bool nested = true;
        for (int d = 0; d < rank; d++)
            nested &= spmd_is_prefix(from.dim[d], to.dim[d]) || spmd_is_prefix(to.dim[d], from.dim[d]);
        CHECK(v.moved >= worst, "%s: %lld bytes, some device needs %lld", mesh_text(a, m), (long long)v.moved,
              (long long)worst);
        CHECK(!(nested && tame) || v.moved == worst, "%s: %lld bytes, not %lld", mesh_text(a, m), (long long)v.moved,
              (long long)worst);
        CHECK((v.kind == SPMD_SLICE) == (v.over == 0) && (v.kind != SPMD_SLICE || !worst), "%s",
              spmd_kind_name[v.kind]);
        all++;
        exact += v.moved == worst;
        base_close(a);
    }
    CHECK(exact > all * 3 / 4, "the bytes are exact in %lld of %lld cases only", (long long)exact, (long long)all);
}

/* ---- routes ---- */

/* A listed step: "gather y+z" and how it is laid out afterwards. */
typedef struct { const char *mesh; const char *dims, *from, *to, *plan; } listed;
static const listed cases[] = {
    { "x:2, y:2, z:2", "64,64", "x+y+z, _", "x, _", "all-gather y+z: x, _" },
    { "x:2, y:2, z:2", "64,64", "_, _", "x, y+z", "slice x: x, _; slice y: x, y; slice z: x, y+z" },
    { "x:2, y:2, z:2", "64,64,64", "x, _, y+z", "x, y+z, _", "all-to-all y+z: x, y+z, _" },
    { "x:2, y:2, z:2", "64,64,64", "y, x+z, _", "_, _, x+y+z",
      "permute x+y: x, y+z, _; all-to-all x: _, y+z, x; all-to-all y+z: _, _, x+y+z" },
    { "w:4", "64,64", "_, w.1.2", "w, _", "slice w.2.2: _, w; all-to-all w: w, _" },
    { "x:2, y:2, z:2", "64,64,64", "_, x, _", "_, _, x+y+z",
      "slice y: _, x+y, _; slice z: _, x+y+z, _; all-to-all x+y+z: _, _, x+y+z" },
    { "x:2, y:2, z:2, w:2", "2,64,64", "z, x, _", "_, _, x+y+z+w",
      "slice y: z, x+y, _; slice w: z, x+y, w; permute x+y+z+w: y, z+w, x; all-to-all y: _, z+w, x+y; "
      "all-to-all z+w: _, _, x+y+z+w" },
    { "x:4, y:2, z:4", "64,64", "z, x", "z, y", "permute x+y: z, y+x.2.2; all-gather x.2.2: z, y" },
    { "x:2, y:2", "64,64", "x, _", "_, y", "slice y: x, y; all-gather x: _, y" },
    { "x:4, y:2", "64,64", "x, y", "y, x", "permute x+y: y+x.2.2, x.1.2; all-to-all x.2.2: y, x" },
    { "x:2, y:2", "4,10", "_, x", "x+y, _", "slice y: y, x; permute x+y: x, y; all-to-all y: x+y, _" },
    { "x:2, y:2, z:2, p:2", "64,64", "_, _ +sum(x+y)", "x+z, y+p",
      "reduce-scatter x: x, _ +sum(y); reduce-scatter y: x, y; slice z: x+z, y; slice p: x+z, y+p" },
    { "x:2, y:2", "64,64", "_, _ +sum(x)", "y, _", "slice y: y, _ +sum(x); all-reduce x: y, _" },
    { "x:2, y:2", "64,64", "_, _ +sum(x+y)", "x, _", "reduce-scatter x: x, _ +sum(y); all-reduce y: x, _" },
    { "x:2, y:2", "64,64", "x+y, _", "y, x", "permute x+y: y+x, _; all-to-all x: y, x" },
};

static const ir_type *type_of(const char *dims)
{
    int64_t dim[IR_RANK];
    int rank = 0;
    for (char *at = (char *)(uintptr_t)dims; *at; at += *at == ',') dim[rank++] = strtoll(at, &at, 10);
    return ir_type_of(TT_F32, rank, dim);
}

static spmd_sharding sharding(const mesh *m, int rank, const char *spec)
{
    const mesh_layout *l = mesh_parse(NULL, m, rank, spec);
    CHECK(l, "%s: %s", spec, pipeline_error());
    return l ? spmd_sharding_of(l) : (spmd_sharding){ .rank = rank };
}

/* The atoms of "y+x.2.2". */
static mesh_set over_of(const mesh *m, const char *text)
{
    const spmd_sharding x = sharding(m, 1, text);
    return mesh_list_set(x.dim[0]);
}

static double listed_time(base_arena *a, spmd_state *s, const ir_type *t, const listed *c)
{
    double seconds = 0;
    spmd_sharding at = sharding(s->mesh, t->rank, c->from);
    for (const char *p = c->plan; *p; p += strcspn(p, ";"), p += strspn(p, "; ")) {
        const size_t nkind = strcspn(p, " "), nover = strcspn(p + nkind + 1, ":"), rest = nkind + nover + 3;
        const char *spec = base_format(a, "%.*s", (int)strcspn(p + rest, ";"), p + rest);
        const spmd_sharding next = sharding(s->mesh, t->rank, spec);
        int kind = 0;
        while (spmd_kind_name[kind] && (strncmp(spmd_kind_name[kind], p, nkind) || spmd_kind_name[kind][nkind])) kind++;
        const double local = (double)spmd_local(s->mesh, t, &at);
        CHECK(spmd_kind_name[kind], "%s", p);
        seconds += kind == SPMD_SLICE ? 1e-9 + s->machine->byte * (double)spmd_local(s->mesh, t, &next)
                   : spmd_link_time(s, (spmd_kind)kind, over_of(s->mesh, base_format(a, "%.*s", (int)nover,
                       p + nkind + 1)), local);
        at = next;
    }
    return seconds;
}

/* The steps as reshards of a program, run. */
static void run_steps(base_arena *a, const mesh *m, const ir_type *t, const spmd_sharding *from, const spmd_route *r,
                      const char *what)
{
    base_text text = { .arena = a };
    mesh_list none[IR_RANK] = { 0 };
    const mesh_layout *in = mesh_layout_dims(m, t->rank, t->rank ? from->dim : none);
    base_appendf(&text, "mesh \"%s\"\nfn f(v0 %s) {\n", mesh_text(a, m), ir_type_text(a, t));
    for (int i = 0; i < r->n; i++)
        base_appendf(&text, "v%d = reshard v%d {sharding=[\"%s\"]}\n", i + 1, i,
                     mesh_print(a, mesh_layout_dims(m, t->rank, r->step[i].after.dim)));
    base_appendf(&text, "return v%d\n}", r->n);
    const ir_fn *f = ir_parse(a, "route", text.s);
    pipeline run = { .a = a };
    CHECK(f, "%s: %s", what, pipeline_error());
    if (f && pipeline_open(&run, f)) pipeline_run(&run, what, &in, &(driver_opts){ .once = true }, 0);
}

static void routes(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int size = 0; size < 2; size++) {
            base_arena *a = base_open();
            const mesh *m = mesh_of(NULL, cases[i].mesh);
            const ir_type *t = type_of(cases[i].dims);
            int64_t dim[IR_RANK];
            for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d] * (size ? 16 : 1);
            t = ir_type_of(TT_F32, t->rank, dim);
            spmd_state s = open_on(a, m, 1);
            const spmd_sharding from = sharding(m, t->rank, cases[i].from), to = sharding(m, t->rank, cases[i].to);
            const spmd_route *r = spmd_route_of(&s, t, &from, &to);
            const double bound = listed_time(a, &s, t, &cases[i]);
            CHECK(r->searched && r->seconds <= bound * (1 + 1e-9), "case %zu: %g s in %d steps, listed %g s", i,
                  r->seconds, r->n,
                  bound);
            CHECK(spmd_moving(&s, t, &from, &to).seconds <= bound * (1 + 1e-9), "case %zu", i);
            if (!from.partial && !size) run_steps(a, m, t, &from, r, base_format(a, "case %zu", i));
            base_close(a);
        }
}

/* Checks that a step does what it says: boxes of any device before and after. */
static bool honest(const spmd_sharding *x, const spmd_leg *s)
{
    bool longer = true, shorter = true;
    for (int d = 0; d < x->rank; d++) {
        longer &= spmd_is_prefix(x->dim[d], s->after.dim[d]);
        shorter &= spmd_is_prefix(s->after.dim[d], x->dim[d]);
    }
    switch (s->kind) {
    case SPMD_SLICE:   return longer && x->partial == s->after.partial;
    case SPMD_GATHER:  return shorter && x->partial == s->after.partial;
    case SPMD_SCATTER: return longer && (s->over & x->partial) == s->over && !(s->over & s->after.partial);
    case SPMD_REDUCE:  return longer && shorter && x->partial == (s->after.partial | s->over);
    default:           return x->partial == s->after.partial;
    }
}

static void random_routes(void)
{
    for (int i = 0; i < check_share(300); i++) {
        base_arena *a = base_open();
        const mesh *m = mesh_of(NULL, i % 3 ? "a:2, b:2, c:3" : "a:64, b:16, c:4, d:16");
        const int rank = 1 + (int)below(3);
        const int64_t big = i % 3 ? 12 : 65536, dim[3] = { big, big, big };
        const ir_type *t = ir_type_of(TT_I32, rank, dim);
        spmd_sharding from = some(m, rank, false), to = some(m, rank, false), at;
        spmd_state s = open_on(a, m, 1);
        mesh_set dims = 0;
        for (int d = 0; d < rank; d++) dims |= mesh_list_set(from.dim[d]);
        if (below(2)) from.partial = (mesh_set)~dims & (mesh_set)((1u << m->natom) - 1);
        const clock_t start = clock();                   /* of the processor: others may have it too */
        const spmd_route *r = spmd_route_of(&s, t, &from, &to);
        const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        CHECK(took < 0.5, "route %d took %g s", i, took);
        at = from;
        for (int k = 0; k < r->n; k++) {
            CHECK(honest(&at, &r->step[k]), "route %d, step %d: %s", i, k, spmd_kind_name[r->step[k].kind]);
            at = r->step[k].after;
        }
        CHECK(!memcmp(at.dim, to.dim, (size_t)rank * sizeof *at.dim) && at.partial == to.partial,
              "route %d ends elsewhere", i);
        if (!from.partial && i % 3) run_steps(a, m, t, &from, r, base_format(a, "route %d", i));
        base_close(a);
    }
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(bytes());
    CHECK_RUN(routes());
    CHECK_RUN(random_routes());
    driver_forget();
    return check_done();
}
