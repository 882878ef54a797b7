/* trace/record/layouts.c - explicit mesh axes: layouts of values during tracing.
 *
 * A frame whose mesh has explicit axes keeps a layout for each of its values, of explicit axes only. The layouts are
 * updated after every call, so that an error is reported at the line that caused it, and tt_spec() works inside a
 * trace.
 * - Equations that transforms record (derivatives, maps) are settled without errors; a gradient then gets the layout of
 *   its primal.
 * - Axes that a surrounding pmap or shard_map has made manual are ignored inside.
 * - Results of the outermost function are fixed to their layouts by constraints; for intermediate values the
 *   partitioner may choose a cheaper layout. */
#include "../trace.h"
#include "../../op/ops.h"

#include <string.h>

#include "../inner.h"

mesh_set layouts_explicit(const trace_frame *f)
{
    mesh_set keep = f && f->mesh ? spmd_explicit(f->mesh) : 0;
    for (const trace_frame *g = f; keep && g; g = g->outer)
        for (int i = 0; i < g->naxis; i++)
            if (g->axis[i].manual) keep &= (mesh_set)~mesh_named(f->mesh, 1, &g->axis[i].name);
    return keep;
}

static void layouts_reserve(trace_frame *f, uint32_t n)
{
    if (n < f->nlayouts) return;
    const mesh_layout **more = BASE_NEW(f->arena, const mesh_layout *, 2 * n + 64);
    if (f->nlayouts) memcpy(more, f->layouts, f->nlayouts * sizeof *more);
    f->layouts = more;
    f->nlayouts = 2 * n + 64;
}

void layouts_of_params(trace_frame *f, const fn_sig *s)
{
    if (!s->layout) return;
    layouts_reserve(f, (uint32_t)s->nleaf + 1);
    for (int i = 0; i < s->nleaf; i++) f->layouts[1 + i] = s->layout[i];
}

bool layouts_update(trace_frame *f)
{
    const mesh_set keep = layouts_explicit(f);
    if (!keep) return true;
    const ir_fn *fn = ir_build_fn(f->build);
    layouts_reserve(f, fn->nvalue + 1);
    for (ir_id i = 1; i <= fn->narg && !f->layouts_done; i++)
        f->layouts[i] = spmd_only(f->mesh, fn->type[i]->rank, f->layouts[i], keep);
    const uint32_t first = f->layouts_done;
    f->layouts_done = fn->neqn;
    return spmd_infer(f->arena, fn, first, fn->neqn, keep, f->layouts, f->settle ? SPMD_SETTLE : SPMD_REPORT);
}

const mesh_layout *layouts_find(trace_frame *f, ir_id id)
{
    if (!layouts_explicit(f) || id >= f->nlayouts) return NULL;
    if (id <= ir_build_fn(f->build)->narg) return spmd_only(f->mesh, ir_typeof(f->build, id)->rank, f->layouts[id],
                                                            layouts_explicit(f));
    return f->layouts[id];
}

/* A placeholder has the layout of the captured value. */
bool layouts_of_captured(trace_frame *f, ir_id id, const trace_value *v)
{
    const mesh_set keep = layouts_explicit(f);
    if (!keep) return true;
    const mesh_layout *l = v->layout;
    for (trace_frame *g = f->outer; v->form == TRACE_TRACED && g; g = g->outer)
        if (g->serial == v->frame) {
            if (!layouts_check(g, v->id)) return false;
            l = layouts_find(g, v->id);
        }
    const bool ok = layouts_update(f);
    f->layouts[id] = spmd_only(f->mesh, v->type->rank, l, keep);
    return ok;
}

bool layouts_check(trace_frame *f, ir_id id)
{
    const mesh_set keep = layouts_explicit(f);
    return !keep || (layouts_update(f) &&
                     spmd_infer_open(f->arena, ir_build_fn(f->build), keep, f->layouts, id, SPMD_REPORT));
}

ir_id layouts_constrain(ir_build *b, ir_id id, const mesh_layout *l, mesh_set keep)
{
    mesh_dim dim[IR_RANK + 1] = { 0 };
    const mesh *m = l->mesh;
    const bool others = (mesh_set)((1u << m->natom) - 1) & ~keep;
    mesh_layout to = { .mesh = m, .rank = l->rank, .dim = dim };
    for (int d = 0; d < l->rank; d++) dim[d] = (mesh_dim){ .atoms = l->dim[d].atoms, .open = others };
    const mesh_layout *wish = mesh_intern(&to);
    return ir_emit(b, &prim_constrain, &(op_layout_attr){ { 1, &wish } }, 1, &id, 0, NULL);
}

/* A gradient gets the layout of its primal. */
bool layouts_constrain_gradients(trace_frame *f, base_site site, const trace_value *like, ir_id *id)
{
    const mesh_set keep = layouts_explicit(f);
    if (!keep || !layouts_update(f)) return !keep;
    ir_site(f->build, site);
    for (int i = 0, k = 0; i < trace_nleaf(like); i++) {
        const trace_value *v = like->type ? like : like->leaf[i];
        if (!transform_smooth(v->type)) continue;
        id[k] = layouts_constrain(f->build, id[k], spmd_only(f->mesh, v->type->rank, v->layout, keep), keep);
        if (!id[k++]) return false;
    }
    return true;
}

/* For a piece of an eager call on values with explicit axes: constrains its results to the inferred layouts. */
bool layouts_constrain_piece(ir_build *b, const mesh_layout *const *in, int nout, ir_id *out)
{
    const ir_fn *f = ir_build_fn(b);
    base_arena *a = ir_build_arena(b);
    const mesh_set keep = spmd_explicit(f->mesh);
    if (!keep) return true;
    const mesh_layout **l = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) l[1 + i] = spmd_only(f->mesh, f->type[1 + i]->rank, in[i], keep);
    if (!spmd_infer(a, f, 0, f->neqn, keep, l, SPMD_REPORT)) return false;
    for (int j = 0; j < nout; j++)
        if (!spmd_infer_open(a, f, keep, l, out[j], SPMD_REPORT) ||
            !(out[j] = layouts_constrain(b, out[j], l[out[j]], keep))) return false;
    return true;
}

bool layouts_any_explicit(int n, trace_value *const *x)
{
    for (int i = 0; i < n; i++) if (x[i]->layout && x[i]->layout->mesh &&
                                    spmd_explicit(x[i]->layout->mesh)) return true;
    return false;
}
