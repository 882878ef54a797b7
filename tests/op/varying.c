/* varying.c - equations in a checked manual region, where types say over which axes copies differ: every primitive's
 * case with operands that vary, all of them and each alone, its derivatives and mappings, and functions with regions
 * rebuilt for such operands (op_varying). */
#include "check.h"
#include "op/op.h"
#include "op/ops.h"
#include "pass/pass.h"
#include "transform/transform.h"

#include <string.h>

static const mesh *over;
static const char *said(void) { return base_failed() ? base_failed()->what : "no error"; }

/* f for operands of which those in the mask vary. */
static ir_fn *for_varying(base_arena *a, const ir_fn *f, uint64_t mask)
{
    const ir_type **const arg = BASE_NEW(a, const ir_type *, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) arg[i] = ir_type_vary(f->type[i + 1], mask >> i & 1);
    return op_varying(a, f, arg);
}

/* True if the states of an equation's results follow from those of its operands by rules of the primitive's own. */
static bool own_states(const ir_eqn *e)
{
    return e->op->states && e->op != &prim_call && e->op != &prim_while && e->op != &prim_scan && e->op != &prim_case;
}

enum { JVP, VJP, MAP, BOTH, KINDS };
static const char *const kinds[] = { "jvp", "vjp", "vmap", "vjp of vmap" };

static ir_fn *transformed(base_arena *a, const ir_fn *f, int kind)
{
    bool *const on = BASE_NEW(a, bool, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) on[i] = kind == MAP || kind == BOTH || transform_smooth(f->type[i + 1]);
    if (kind == JVP) return transform_jvp(a, f, on);
    if (kind == VJP) return transform_vjp(a, NULL, f, on);
    ir_fn *const g = transform_vmap(a, f, on, NULL, NULL, 2);
    return g && kind == BOTH ? transformed(a, g, VJP) : g;
}

static void one_case(base_arena *a, const char *text)
{
    ir_fn *const own = ir_case(a, text), *const f = own && !own->mesh ? pass_on_mesh(a, own, over) : NULL;
    CHECK(own, "%s: %s", text, said());
    if (!f || !f->narg) return;
    const ir_eqn *const e = &f->eqn[f->neqn - 1];
    for (uint32_t i = 0; i <= f->narg && i < 8; i++) {
        const uint64_t mask = i ? 1u << (i - 1) : ~(uint64_t)0;
        ir_fn *const g = for_varying(a, f, mask);
        CHECK(g, "%s, operands %llx vary: %s", text, (unsigned long long)mask, said());
        for (uint32_t j = 0; g && !own_states(e) && i == 0 && j < g->nret; j++)
            CHECK(g->type[g->ret[j]]->vary == 1 || e->nsub, "%s: result %u is the same everywhere", text, j);
        base_clear_error();
        for (int k = 0; g && k < KINDS; k++) {
            const bool known = transformed(a, f, k) != NULL;
            base_clear_error();
            CHECK(!known || transformed(a, g, k), "%s, operands %llx vary: its %s: %s", text, (unsigned long long)mask,
                  kinds[k], said());
            base_clear_error();
        }
    }
}

static bool has_edge(const op_edges *t, op_end end, uint32_t sub, uint32_t index)
{
    bool is = t->unlisted || (t->chosen && t->by.end == end && t->by.sub == (int)sub && t->by.index == (int)index);
    for (int k = 0; k < t->n; k++)
        is |= t->at[k].end == end && t->at[k].sub == (int)sub && t->at[k].index == (int)index;
    return is;
}

/* States follow edges: each parameter and each return of a region has one, or chooses, or its primitive says that not
 * all are listed. The known half of remat_linear returns results that nothing reads. */
static void edges_of(base_arena *a, const char *text)
{
    const ir_fn *const f = ir_case(a, text);
    const ir_eqn *const e = f ? &f->eqn[f->neqn - 1] : NULL;
    if (!e || !e->nsub || !e->op->edges) return;
    op_edges t = { .arena = a };
    e->op->edges(e, &t);
    for (uint32_t s = 0; s < e->nsub; s++) {
        for (uint32_t i = 0; i < e->sub[s]->narg; i++)
            CHECK(has_edge(&t, OP_PARAM, s, i), "%s: no edge has parameter %u of region %u", text, i, s);
        for (uint32_t j = 0; j < e->sub[s]->nret; j++)
            CHECK(has_edge(&t, OP_RETURN, s, j) || (e->op == &prim_remat_linear && !s), "%s: no edge has return %u of "
                  "region %u", text, j, s);
    }
}

static const char *now;
static void body(void *arena) { edges_of(arena, now), one_case(arena, now); }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    over = mesh_of(NULL, "i:2");
    size_t turn = 0;
    for (const op_prim *const *p = op_prims; *p; p++)
        for (const char *const *c = (*p)->cases; c && *c; c++) {
            if (!check_turn(turn++)) continue;
            base_arena *const a = base_open();
            now = *c;
            CHECK(base_catch(body, a), "%s: out of memory", *c);
            base_close(a);
            base_clear_error();
        }
    return check_done();
}
