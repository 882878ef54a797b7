/* spmd/strict.c - a gather that nobody asked for, of more bytes than the user allows, is an error at the line that wants
 * it. What the user wrote (tt_shard, .out, specs of a manual region) is never one. The largest is told. */
#include "spmd.h"

static bool gathers(const spmd_note *n)
{
    if (n->asked || (n->kind != SPMD_GATHER && n->kind != SPMD_MIXED)) return false;
    int64_t from = 1, to = 1;
    for (int d = 0; d < n->from->rank; d++) {
        from *= mesh_list_size(n->from->mesh, n->from->dim[d].atoms);
        to *= mesh_list_size(n->to->mesh, n->to->dim[d].atoms);
    }
    return to < from;
}

bool spmd_strict(base_arena *a, const spmd_report *r, int64_t bytes)
{
    const spmd_note *worst = NULL;
    for (int i = 0; bytes > 0 && i < r->n; i++)
        if (gathers(&r->note[i]) && r->note[i].bytes > bytes && (!worst || r->note[i].bytes > worst->bytes))
            worst = &r->note[i];
    if (!worst) return true;
    base_fail(TT_ESPEC, worst->site, "a gather of %lld bytes over %s that nobody asked for, where strict allows %lld",
              (long long)worst->bytes, mesh_set_text(a, worst->from->mesh, worst->over), (long long)bytes);
    base_also(NULL, "%s: it lies as \"%s\" and is wanted as \"%s\"", worst->why, mesh_print(a, worst->from),
              mesh_print(a, worst->to));
    if (worst->given.site) base_also(worst->given.site, "laid so by %s", worst->given.how ? worst->given.how : "");
    if (worst->instead) return base_hint("%s", worst->instead);
    return base_hint("lay it out otherwise where it is made, or ask for the gather: tt_shard(v, mesh, \"%s\")",
                     mesh_print(a, worst->to));
}

__attribute__((weak)) const char *const spmd_kind_name[] = { "slice", "all-gather", "reduce-scatter", "all-reduce",
                                                             "all-to-all", "permute", "halo", "mixed", NULL };
