/* gen/rows/rows_tag.c - the common name of a group over rows: softmax, log_softmax, layer_norm, rms_norm, found from
 * its structure. Plans, profiles and pictures show the name next to the equations; no computation depends on it. */
#include "rows_stages.h"
#include "../../op/ops.h"

enum { DEEP = 8 };                                       /* most equations between a norm's sum and its square root */

static bool passes(const ir_eqn *e)
{
    return rows_is_view(e) || e->op == &prim_broadcast_in_dim || e->op == &prim_convert || e->op == &prim_to_varying;
}

/* The equation that computes v, seen through broadcasts, casts and views; NULL: v is an operand of the group. */
static const ir_eqn *rows_tag_made(const gen_group *g, ir_id v)
{
    for (int k = rows_maker(g, v); k >= 0; k = rows_maker(g, v)) {
        if (!passes(g->eqn[k])) return g->eqn[k];
        v = g->eqn[k]->in[0];
    }
    return NULL;
}

static bool reduces(const ir_eqn *e, mesh_reduce reduce) { return e && rows_is_reduce(e) &&
    op_monoid(e->sub[0]) == reduce; }

/* True if e is exp(x - max x), where the maximum may be bounded from below. */
static bool is_exp(const gen_group *g, const ir_eqn *e)
{
    const ir_eqn *x = e && e->op == &prim_exp ? rows_tag_made(g, e->in[0]) : NULL;
    const ir_eqn *most = x && x->op == &prim_sub ? rows_tag_made(g, x->in[1]) : NULL;
    if (most && most->op == &prim_max)
        most = reduces(rows_tag_made(g, most->in[0]), MESH_MAX) ? rows_tag_made(g, most->in[0]) : rows_tag_made(g,
            most->in[1]);
    return reduces(most, MESH_MAX);
}

static bool is_sum_of(const gen_group *g, const ir_eqn *sum, const ir_eqn *of)
{
    return reduces(sum, MESH_SUM) && rows_tag_made(g, sum->in[0]) == of;
}

/* True if v depends on a sum of the rows through at most `deep` equations. */
static bool from_sum(const gen_group *g, ir_id v, int deep)
{
    const ir_eqn *e = rows_tag_made(g, v);
    if (!e || !deep) return false;
    if (reduces(e, MESH_SUM)) return true;
    for (uint32_t i = 0; i < e->nin; i++) if (from_sum(g, e->in[i], deep - 1)) return true;
    return false;
}

static bool is_centred(const gen_group *g) /* True if an equation subtracts a mean of the rows from an operand */
{
    for (uint32_t k = 0; k < g->neqn; k++)
        if (g->eqn[k]->op == &prim_sub && g->eqn[k]->in[0] != g->eqn[k]->in[1] && !rows_tag_made(g, g->eqn[k]->in[0])
            && from_sum(g, g->eqn[k]->in[1], DEEP)) return true;
    return false;
}

/* True if e multiplies by the inverse square root of a sum. */
static bool is_norm(const gen_group *g, const ir_eqn *e)
{
    for (int i = e->op == &prim_div; i < 2; i++) {
        const ir_eqn *const root = rows_tag_made(g, e->in[i]);
        const bool inverse = root && root->op == (e->op == &prim_div ? &prim_sqrt : &prim_rsqrt);
        if (inverse && from_sum(g, root->in[0], DEEP)) return true;
    }
    return false;
}

const char *rows_tag(const gen_group *g)
{
    const char *tag = NULL;
    for (uint32_t k = 0; k < g->neqn && !tag; k++) {
        const ir_eqn *const e = g->eqn[k];
        if (e->op == &prim_div) {
            const ir_eqn *const x = rows_tag_made(g, e->in[0]);
            if (is_exp(g, x) && is_sum_of(g, rows_tag_made(g, e->in[1]), x)) tag = "softmax";
        } else if (e->op == &prim_sub) {
            const ir_eqn *const l = rows_tag_made(g, e->in[1]), *const sum = l &&
                l->op == &prim_log ? rows_tag_made(g, l->in[0]) : NULL;
            const ir_eqn *const x = reduces(sum, MESH_SUM) ? rows_tag_made(g, sum->in[0]) : NULL;
            if (is_exp(g, x) && rows_tag_made(g, x->in[0]) == rows_tag_made(g, e->in[0])) tag = "log_softmax";
        }
        if (!tag && (e->op == &prim_mul || e->op == &prim_div) && is_norm(g, e))
            tag = is_centred(g) ? "layer_norm" : "rms_norm";
    }
    return tag;
}
