/* driver/there.c - compiles a function for an engine outside this process: its StableHLO text, with the layouts of
 * arguments and results that the partitioner has chosen.
 *
 * Two forms (TUTTI=form). Planned, the default: the text is of the partitioned function, as one manual computation with
 * the collectives that explain lists. Global: what is inside the function is partitioned by the engine's compiler (XLA,
 * by Shardy's rules, from the same constraints); so is a function that has no planned form. The borders are ours in
 * both, so that values have the same layouts and donated arguments are the same ones on all engines. */
#include "inner.h"

#include "../hlo/hlo.h"
#include "../pass/pass.h"

/* A layout as a border of a text: on the mesh, and closed. */
static const mesh_layout *border(base_arena *a, const mesh *m, const ir_type *t, const mesh_layout *l)
{
    if (!m) return NULL;
    if (!l || l->mesh != m) return mesh_replicated(m, t->rank);
    mesh_list *const dim = BASE_NEW(a, mesh_list, t->rank + 1);
    for (int d = 0; d < t->rank; d++) dim[d] = l->dim[d].atoms;
    return mesh_layout_dims(m, t->rank, dim);
}

const mesh_layout *const *driver_there_borders(base_arena *a, const mesh *m, const ir_fn *f, uint32_t n,
                                               const ir_id *id)
{
    const mesh_layout **const l = BASE_NEW(a, const mesh_layout *, n + 1);
    for (uint32_t i = 0; i < n; i++) l[i] = border(a, m, f->type[id[i]], f->layout ? f->layout[id[i]] : NULL);
    return l;
}

static run_value there_value(base_arena *keep, const ir_type *t, const mesh_layout *l, run_space space, uint32_t at)
{
    return (run_value){ .dtype = t->dtype, .rank = t->rank, .dim = BASE_COPY(keep, t->dim, t->rank + 1), .layout = l,
                        .vary = mesh_layout_vary(l), .space = space, .at = at,
                        .bytes = run_bytes(t->dtype, t->rank, t->dim, l, NULL) };
}

run_plan *driver_there_plan(base_arena *a, base_arena *keep, const mesh *m, const ir_fn *f)
{
    run_plan *const p = BASE_NEW(keep, run_plan, 1);
    run_value *const v = BASE_NEW(keep, run_value, f->narg + f->nret + 1);
    uint32_t *const at = BASE_NEW(keep, uint32_t, f->narg + f->nret + 1);
    int32_t *const alias = BASE_NEW(keep, int32_t, f->nret + 1);
    ir_id *const arg = BASE_NEW(a, ir_id, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) arg[i] = 1 + i;
    const mesh_layout *const *const in = driver_there_borders(a, m, f, f->narg, arg),
                      *const *const out = driver_there_borders(a, m, f, f->nret, f->ret);
    for (uint32_t i = 0; i < f->narg; i++) v[i] = there_value(keep, f->type[1 + i], in[i], RUN_ARG, i);
    for (uint32_t j = 0; j < f->nret; j++)
        v[f->narg + j] = there_value(keep, f->type[f->ret[j]], out[j], RUN_RESULT, j), alias[j] = -1;
    for (uint32_t i = 0; i < f->narg + f->nret; i++) at[i] = i;
    *p = (run_plan){ .mesh = m, .nvalue = f->narg + f->nret, .narg = f->narg, .nresult = f->nret, .value = v,
                     .arg = at, .result = at + f->narg, .alias = alias };
    if (f->donate) p->donated = BASE_COPY(keep, f->donate, f->narg);
    return p;
}

/* True if all blocks of a value have one size, as a compiler's parts must; else sets the error. why: that the function
 * has no planned form; NULL: that form was not asked for. */
static bool there_even(base_arena *a, base_site site, const ir_fn *f, const char *why, const char *what, uint32_t i,
                       ir_id id)
{
    const mesh_layout *const l = f->layout ? f->layout[id] : NULL;
    if (mesh_divides(l, f->type[id]->dim)) return true;
    mesh_even(site, l, f->type[id]->dim);
    base_also(NULL, "%s %u of %s is %s, laid out as \"%s\"", what, i, f->name, ir_type_text(a, f->type[id]),
              mesh_print(a, l));
    if (why) base_also(NULL, "parts may differ in size in the planned form, which %s does not have: %s", f->name, why);
    if (why) return base_hint("pad the dim, or lay it out in parts of one size");
    return base_hint("pad the dim; parts may differ in size in the planned form, which runs where TUTTI does not say "
                     "form:global");
}

static bool there_borders_even(base_arena *a, base_site site, const ir_fn *f, const char *why)
{
    for (uint32_t i = 0; i < f->narg; i++) if (!there_even(a, site, f, why, "argument", i, 1 + i)) return false;
    for (uint32_t j = 0; j < f->nret; j++) if (!there_even(a, site, f, why, "result", j, f->ret[j])) return false;
    return true;
}

bool driver_there_types(run_engine *e, base_site site, const ir_fn *f)
{
    for (uint32_t i = 0; i < f->narg; i++) if (!run_there_has(e, site, f->type[1 + i]->dtype)) return false;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const q = &f->eqn[k];
        const base_site at = q->site ? q->site : site;
        for (uint32_t j = 0; j < q->nout; j++) if (!run_there_has(e, at, IR_OUT(q, j)->dtype)) return false;
        for (uint32_t s = 0; s < q->nsub; s++) if (!driver_there_types(e, at, q->sub[s])) return false;
    }
    return true;
}

const char *driver_there_text(base_arena *a, base_site site, const mesh *m, const ir_fn *traced, const ir_fn *placed,
                              const char *why)
{
    const ir_fn *const f = traced->mesh == m ? traced : pass_on_mesh(a, traced, m);
    ir_id *const arg = BASE_NEW(a, ir_id, placed->narg + 1);
    for (uint32_t i = 0; i < placed->narg; i++) arg[i] = 1 + i;
    if (!f || !there_borders_even(a, site, placed, why)) return NULL;
    return hlo_write_with(a, f, &(hlo_borders){ driver_there_borders(a, m, placed, placed->narg, arg),
                                               driver_there_borders(a, m, placed, placed->nret, placed->ret),
                                               placed->donate, false, true });
}

const char *driver_there_planned(base_arena *a, base_site site, const ir_fn *placed, const char **why)
{
    if (!placed->mesh || mesh_size(placed->mesh) == 1) return NULL;
    const ir_fn *const f = spmd_localize(a, placed);
    ir_id *const arg = BASE_NEW(a, ir_id, placed->narg + 1);
    for (uint32_t i = 0; i < placed->narg; i++) arg[i] = 1 + i;
    const char *const text =
        f ? hlo_write_with(a, f, &(hlo_borders){ driver_there_borders(a, f->mesh, f, f->narg, arg),
                                                 driver_there_borders(a, f->mesh, f, f->nret, f->ret), placed->donate,
                                                 false, true }) : NULL;
    if (text || !base_failed()) return text;
    *why = base_format(a, "%s", base_failed()->what);
    base_log("note: %s runs in the global form, partitioned by the library's compiler: %s", placed->name,
             base_failed()->what);
    if (base_failed()->site) base_log("  at   %s", base_failed()->site);
    else if (site) base_log("  at   %s", site);
    base_clear_error();
    return NULL;
}
