/* spmd/report/note.c - notes on exchanges, for explain, strict mode and the golden lists: one note per exchange.
 *
 * A note has the user's line that needs the exchange, the bytes moved and the model's time, the origins of the source
 * and of the target layout, and a hint on how to avoid the exchange. */
#include "../inner.h"

#include <string.h>

const char *const spmd_kind_name[] = { "slice", "all-gather", "reduce-scatter", "all-reduce", "all-to-all", "permute",
                                       "halo", "mixed", NULL };

static const char *instead(const spmd_note *n)
{
    if (n->requested) return NULL;
    switch (n->kind) {
    case SPMD_GATHER:     return "shard the other operands over these axes too, or replicate this value "
                                 "where it is computed";
    case SPMD_REDUCE:     return "shard the result over these axes: then each device sums only its part";
    case SPMD_ALL_TO_ALL:
    case SPMD_PERMUTE:
    case SPMD_MIXED:      return "give both ends the same layout";
    default:              return NULL;
    }
}

spmd_note *spmd_note_next(spmd_state *s)
{
    if (s->nnote == s->capnote) {
        s->capnote = s->capnote ? 2 * s->capnote : 16;
        spmd_note *grown = BASE_NEW(s->a, spmd_note, s->capnote);
        if (s->nnote) memcpy(grown, s->note, (size_t)s->nnote * sizeof *grown);
        s->note = grown;
    }
    return &s->note[s->nnote++];
}

/* The first atom of b's dims after the common prefix with a's; -1: none. */
static int first_new(const mesh_layout *a, const mesh_layout *b)
{
    for (int d = 0; d < b->rank; d++) {
        const int n = mesh_list_n(spmd_common_prefix(a->dim[d].atoms, b->dim[d].atoms));
        if (n < mesh_list_n(b->dim[d].atoms)) return mesh_list_at(b->dim[d].atoms, n);
    }
    return -1;
}

/* True, with the error set, if the exchange is a gather of more than s->strict bytes that the user did not request. */
static bool too_large(spmd_state *s, const spmd_note *n, const ir_type *t)
{
    if (!s->strict || n->requested || n->moved <= s->strict) return false;
    if (n->kind != SPMD_GATHER && n->kind != SPMD_MIXED) return false;
    base_fail(TT_ESPEC, n->site, "%s, %s, would be gathered over %s: from \"%s\" to \"%s\", %lld bytes to each device; "
              "this gather was not requested", n->why, ir_type_text(s->a, t), mesh_set_text(s->a, s->mesh, n->over),
              mesh_print(s->a, n->from), mesh_print(s->a, n->to), (long long)n->moved);
    if (n->from_origin.cause)
        base_also(n->from_origin.site, "the value has this layout because of %s", n->from_origin.cause);
    return base_hint("%s", n->fix ? n->fix : "give the layout with tt_shard"), true;
}

static spmd_note *note_add(spmd_part *p, ir_id id, const mesh_layout *to, const spmd_move *v, const spmd_reason *why)
{
    spmd_state *s = p->state;
    const mesh_layout *from = p->layout[id];
    spmd_note *n = spmd_note_next(s);
    *n = (spmd_note){ .kind = v->kind, .site = why->site, .why = why->why, .from = from, .to = to, .over = v->over,
                      .bytes = ir_bytes(ir_typeof(p->b, id)), .moved = v->moved, .times = s->times,
                      .seconds = v->seconds, .between = v->between, .between_seconds = v->between_seconds,
                      .requested = why->requested };
    n->fix = instead(n);
    const int new = first_new(from, to), old = first_new(to, from);
    if (why->from_value && old >= 0) n->from_origin = spmd_origin_of(s, p->from, why->from_value, old);
    if (why->result && new >= 0) n->to_origin = spmd_origin_of_result(s, (uint32_t)why->result - 1, new);
    else if (why->to_value && new >= 0) n->to_origin = spmd_origin_of(s, p->from, why->to_value, new);
    return n;
}

/* Notes a halo exchange: the plan fetches the neighbours' elements that a sharded window reads. */
void spmd_note_window(spmd_part *p, ir_id id, const mesh_layout *to, const spmd_move *v, const spmd_reason *why)
{
    if (v->moved) note_add(p, id, to, v, why);
}

bool spmd_note_move(spmd_part *p, ir_id id, const mesh_layout *to, const spmd_reason *why)
{
    const spmd_sharding a = spmd_sharding_of(p->layout[id]), b = spmd_sharding_of(to);
    const ir_type *t = ir_typeof(p->b, id);
    const spmd_move v = spmd_moving(p->state, t, &a, &b);
    return !v.over || !too_large(p->state, note_add(p, id, to, &v, why), t);
}
