/* mesh_ops.c - every case of every primitive on nine meshes: what runs there is what the reference evaluator says.
 *
 * Arguments and results are at random, over axes and parts of axes, uneven parts and empty ones among them. Data of
 * small whole numbers must come out exactly, whatever is summed; others within reordering; in reproducible mode a mesh
 * gives the bits of one device. So do the case's derivatives, forward and back, and the case mapped. Collectives are
 * put into a manual region over their axes, whose members hold different parts; the meshes come beside those axes.
 * custom_linear has no value of its own: its transpose is run.
 * usage: spmd_mesh_ops [--rounds N] [--one-in N] [primitive ...]. --one-in: every N-th form only of the cases in turn;
 * with 4, each case in one of its forms: for sanitizers, where all of them take a minute. */
#include "driver/driver.h"
#include "prop/primitives.h"
#include "transform/transform.h"
#include "op/ops.h"

static const char *const meshes[] = { "x:1", "x:2", "x:4", "x:8", "x:2, y:4", "x:4, y:2", "x:2, y:2, z:2", "x:3",
                                      "x:6" };
enum { MESHES = sizeof meshes / sizeof *meshes, MOST = 16 };
static int rounds = 1, one_in = 1, underived;
typedef enum { PLAIN, JVP, VJP, VMAP, FORMS } form;
static const char *const form_name[] = { "", "jvp of ", "vjp of ", "vmap of " };

typedef struct {
    base_arena *a; const char *text; form form; const ir_fn *fn; const mesh *m;
    const mesh_layout *in[MOST], *out[MOST];
    prop_value x[2][MOST], want[2][MOST], bits[MOST];    /* [small whole numbers; others]; of one device */
} trial;

/* Each atom on some dim or on none. */
static const mesh_layout *some_layout(const mesh *m, int rank)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int i = 0, first = (int)prop_below(m->natom + 1); i < m->natom; i++) {
        const int atom = (first + i) % m->natom, d = (int)prop_below(rank + 1);
        if (d < rank) dim[d] = mesh_list_push(dim[d], atom);
    }
    return mesh_layout_dims(m, rank, dim);
}

/* ---- programs ---- */

static ir_names axes_of(const ir_eqn *e)                 /* of a collective: its attribute begins with them */
{
    const bool has = e->op->kernel == OP_EXCHANGE || e->op == &prim_to_varying;
    return has ? *(const ir_names *)e->attr : (ir_names){ 0 };
}

/* The case in a manual region over its axes: dim 0 of operands and results is what members hold, one after another. */
static ir_fn *in_region(base_arena *a, const ir_fn *f, ir_names axes)
{
    const mesh *m = f->mesh;
    const mesh_set all = mesh_named(m, axes.n, axes.v);
    ir_build *b = ir_begin(a, f->name, m), *r = ir_region(b, f->name);
    ir_id in[MOST], out[MOST], p[MOST];
    const mesh_layout *lin[MOST], *lout[MOST];
    mesh_list dim[IR_RANK + 1] = { mesh_set_list(all) };
    for (uint32_t i = 0; i < f->narg; i++) {
        const ir_type *t = f->type[1 + i];
        int64_t whole[IR_RANK];
        for (int d = 0; d < t->rank; d++) whole[d] = t->dim[d] * (d ? 1 : mesh_set_size(m, all));
        in[i] = ir_arg(b, ir_type_of(t->dtype, t->rank, whole));
        p[i] = ir_arg(r, t);
        lin[i] = mesh_layout_dims(m, t->rank, dim);
    }
    if (!ir_inline(r, f, p, out)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) {
        if (!ir_typeof(r, out[j])->rank) out[j] = op_reshape(r, out[j], 1, (const int64_t[]){ 1 });
        lout[j] = mesh_layout_dims(m, ir_typeof(r, out[j])->rank, dim);
    }
    ir_fn *body = ir_end(r, f->nret, out);
    const op_manual_attr attr = { axes, { (int)f->narg, lin }, { (int)f->nret, lout }, true };
    const ir_id y = body ? ir_emit(b, &prim_manual, &attr, f->narg, in, 1, &body) : 0;
    for (uint32_t j = 0; j < f->nret; j++) out[j] = y + j;
    return y ? ir_end(b, f->nret, out) : NULL;
}

/* NULL: there is none. */
static ir_fn *transformed(base_arena *a, ir_fn *f, form how)
{
    bool smooth[MOST] = { 0 }, all[MOST], any = false;
    for (uint32_t i = 0; i < f->narg; i++) all[i] = true, any |= smooth[i] = transform_smooth(f->type[1 + i]);
    if (how == PLAIN) return f;
    if (how == VMAP) return f->narg ? transform_vmap(a, f, all, NULL, NULL, 3) : NULL;
    if (!any) return NULL;
    return how == JVP ? transform_jvp(a, f, NULL) : transform_vjp(a, NULL, f, smooth);
}

/* The case beside a mesh, as a program that can be run alone. */
static ir_fn *program(base_arena *a, const op_prim *prim, const char *text, const char *on)
{
    const bool own = strstr(text, " on ") != NULL;       /* it names axes of its own */
    ir_fn *f = ir_case(a, base_format(a, own ? "%s, %s" : "%s on %s", text, on));
    if (!f) return NULL;
    const ir_eqn *e = &f->eqn[f->neqn - 1];
    if (prim == &prim_custom_linear) {
        bool *linear = BASE_NEW(a, bool, f->narg + 1);
        const int64_t nres = IR_ATTR(e, op_custom_linear_attr)->num_res;
        for (uint32_t i = (uint32_t)nres; i < f->narg; i++) linear[i] = true;
        return transform_transpose(a, f, linear);
    }
    return axes_of(e).n ? in_region(a, f, axes_of(e)) : f;
}

/* ---- running ---- */

static bool run(const trial *t, uint32_t flags, const prop_value *x, prop_value *y)
{
    const ir_fn *f = t->fn;
    run_array *in[MOST] = { 0 }, *out[MOST] = { 0 };
    bool ok = true;
    for (uint32_t i = 0; i < f->narg; i++) ok &= (in[i] = run_array_of(f->type[1 + i], t->in[i], x[i].at)) != NULL;
    ok = ok && driver_run(f, &(driver_opts){ .in = t->in, .out = t->out, .flags = flags }, in, NULL, out);
    for (uint32_t j = 0; ok && j < f->nret; j++) {
        y[j] = prop_new(t->a, f->type[f->ret[j]]);
        ok = run_read(out[j], NULL, NULL, y[j].at);
    }
    for (uint32_t i = 0; i < f->narg; i++) run_drop(in[i]);
    for (uint32_t j = 0; j < f->nret; j++) run_drop(out[j]);
    return ok;
}

static const char *said(const trial *t, const char *how)
{
    base_text s = { .arena = t->a };
    base_appendf(&s, "%s%s on \"%s\", %s", form_name[t->form], t->text, mesh_text(t->a, t->m), how);
    for (uint32_t i = 0; i < t->fn->narg; i++)
        base_appendf(&s, "%s\"%s\"", i ? ", " : ", arguments ", mesh_print(t->a, t->in[i]));
    for (uint32_t j = 0; j < t->fn->nret; j++)
        if (t->out[j]) base_appendf(&s, ", result %u \"%s\"", j, mesh_print(t->a, t->out[j]));
    return s.s;
}

/* Sums of small whole numbers are exact in 32 bits and more; a Fourier transform's are of sines. The tolerance is of
 * terms of about 1; each term of scaled_dot has a code as a factor, which is 8 at most here. */
static double apart(const trial *t, tt_dtype d, bool small)
{
    const bool sines = !strncmp(t->text, "fft ", 4), coded = !strncmp(t->text, "scaled_dot ", 11);
    if (small && !sines && t->form == PLAIN && (d == TT_F32 || d == TT_F64)) return 0;
    return prop_tolerance(d) * (coded ? 8 : 1);
}

static void runs_as(const trial *t, bool small, bool reproducible, const prop_value *want)
{
    const char *how = reproducible ? "reproducible" : small ? "whole numbers" : "any numbers";
    prop_value got[MOST];
    const bool ok = run(t, reproducible ? DRIVER_REPRODUCIBLE : 0, t->x[!small], got);
    CHECK(ok, "%s: %s", said(t, how), ok ? "" : prop_error());
    for (uint32_t j = 0; ok && j < t->fn->nret; j++) {
        const char *at = prop_differs(t->a, &got[j], &want[j], reproducible ? 0 : apart(t, want[j].type->dtype, small));
        CHECK(!at, "%s: result %u %s", said(t, how), j, at);
    }
}

/* On one device: what is wanted on all meshes. */
static bool begin(trial *t)
{
    t->m = t->fn->mesh;
    for (uint32_t i = 0; i < t->fn->narg; i++) t->in[i] = mesh_replicated(t->m, t->fn->type[1 + i]->rank);
    for (int wide = 0; wide < 2; wide++) {
        for (uint32_t i = 0; i < t->fn->narg; i++)
            t->x[wide][i] = prop_operand(t->a, t->fn->type[1 + i], wide ? PROP_WIDE : PROP_SMALL);
        if (!prop_eval(t->a, t->fn, t->x[wide], t->want[wide])) return false;
    }
    return run(t, DRIVER_REPRODUCIBLE, t->x[1], t->bits);
}

static bool formed(trial *t, const op_prim *prim, const char *on)
{
    ir_fn *f = program(t->a, prim, t->text, on);
    CHECK(f, "%s on %s: %s", t->text, on, f ? "" : prop_error());
    t->fn = f ? transformed(t->a, f, t->form) : NULL;
    base_clear_error();
    return t->fn && t->fn->narg <= MOST && t->fn->nret <= MOST;
}

static void check_form(trial *t, const op_prim *prim)
{
    if (!formed(t, prim, "x:1")) {
        underived++;
        return;
    }
    const bool ok = begin(t);
    CHECK(ok, "%s%s: %s", form_name[t->form], t->text, ok ? "" : prop_error());
    for (int k = 0; ok && k < rounds * MESHES; k++) {
        if (!formed(t, prim, meshes[k % MESHES])) continue;
        t->m = t->fn->mesh;
        for (uint32_t i = 0; i < t->fn->narg; i++) t->in[i] = some_layout(t->m, t->fn->type[1 + i]->rank);
        for (uint32_t j = 0; j < t->fn->nret; j++)
            t->out[j] = prop_below(3) ? NULL : some_layout(t->m, t->fn->type[t->fn->ret[j]]->rank);
        runs_as(t, true, false, t->want[0]);
        runs_as(t, false, false, t->want[1]);
        runs_as(t, false, true, t->bits);
    }
    driver_forget();
}

static void check_case(base_arena *a, const op_prim *prim, const char *text)
{
    static int cases;
    const int turn = cases++;
    for (form how = PLAIN; how < FORMS; how++) {
        if ((turn + (int)how) % one_in) continue;
        trial *t = BASE_NEW(a, trial, 1);
        t->a = a, t->text = text, t->form = how;
        check_form(t, prim);
    }
}

int main(int argc, char **argv)
{
    base_set_log_sink(NULL);
    base_switches_env();
    base_switches(NULL, "no-lapack");                    /* the evaluator's own: eigenvalues come in their order */
    for (; argc > 2 && !strncmp(argv[1], "--", 2) && atoi(argv[2]) > 0; argc -= 2, argv += 2)
        *(strcmp(argv[1], "--rounds") ? &one_in : &rounds) = atoi(argv[2]);
    if (!prop_main(argc, argv)) return check_done();
    prop_over_cases(check_case, argc, argv);
    printf("%d derivatives and mapped forms do not exist\n", underived);
    return check_done();
}
