/* spmd/note.c - what moves, for explain, strict mode and the golden lists: one note per exchange.
 *
 * A note names the user's line that wants a value elsewhere, what moves and how long the model says it takes, who put the
 * atoms there and who wants others, and what would avoid it. */
#include "inner.h"

#include <string.h>

const char *const spmd_kind_name[] = { "slice", "all-gather", "reduce-scatter", "all-reduce", "all-to-all", "permute",
                                       "halo", "mixed", NULL };

static const char *instead(const spmd_note *n)
{
    if (n->asked) return NULL;
    switch (n->kind) {
    case SPMD_GATHER:     return "cut the other operands along these axes too, or leave this value whole where it is made";
    case SPMD_REDUCE:     return "let the result lie cut by these axes: then each device sums only its part";
    case SPMD_ALL_TO_ALL:
    case SPMD_PERMUTE:
    case SPMD_MIXED:      return "give both ends the same layout";
    default:              return NULL;
    }
}

spmd_note *spmd_note_next(spmd_all *s)
{
    if (s->nnote == s->capnote) {
        s->capnote = s->capnote ? 2 * s->capnote : 16;
        spmd_note *grown = BASE_NEW(s->a, spmd_note, s->capnote);
        if (s->nnote) memcpy(grown, s->note, (size_t)s->nnote * sizeof *grown);
        s->note = grown;
    }
    return &s->note[s->nnote++];
}

static bool too_large(spmd_all *s, const spmd_note *n, const ir_type *t)
{
    if (!s->strict || n->asked || n->moved <= s->strict) return false;
    if (n->kind != SPMD_GATHER && n->kind != SPMD_MIXED) return false;
    base_fail(TT_ESPEC, n->site, "%s, %s, would be gathered over %s: from \"%s\" to \"%s\", %lld bytes to each device; "
              "nobody asked for it", n->why, ir_type_text(s->a, t), mesh_set_text(s->a, s->mesh, n->over),
              mesh_print(s->a, n->from), mesh_print(s->a, n->to), (long long)n->moved);
    if (n->given.how) base_also(n->given.site, "it lies so because of %s", n->given.how);
    return base_hint("%s", n->instead ? n->instead : "say the layout with tt_shard"), true;
}

bool spmd_note_move(spmd_part *p, ir_id id, const mesh_layout *to, const spmd_reason *why)
{
    spmd_all *s = p->all;
    const mesh_layout *from = p->layout[id];
    const spmd_lies a = spmd_lies_of(from), b = spmd_lies_of(to);
    const ir_type *t = ir_typeof(p->b, id);
    const spmd_move v = spmd_moving(s, t, &a, &b);
    if (!v.over) return true;
    spmd_note *n = spmd_note_next(s);
    *n = (spmd_note){ .kind = v.kind, .site = why->site, .why = why->why, .from = from, .to = to, .over = v.over,
                      .bytes = ir_bytes(t), .moved = v.moved, .times = s->times, .seconds = v.seconds,
                      .asked = why->asked };
    n->instead = instead(n);
    return !too_large(s, n, t);
}
