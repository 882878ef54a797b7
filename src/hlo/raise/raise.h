/* hlo/raise/raise.h - what the passes that raise share: a function written again, equation by equation. */
#ifndef TUTTI_HLO_RAISE_H
#define TUTTI_HLO_RAISE_H

#include "../hlo.h"

/* looks: may this function hold what the pass raises? Called when its regions are done; NULL: every function is written
 * again. equation: writes what e gives another way, as out; false: there is none. *failed: the error is set.
 * map: in the build, the function's values that stand before e. found: how often the pass met its pattern. */
typedef struct hlo_pass hlo_pass;
struct hlo_pass {
    base_arena *arena;
    bool (*applies)(hlo_pass *, const ir_fn *);
    bool (*equation)(hlo_pass *, ir_build *, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                     bool *failed);
    const ir_id *map;
    int found;
    void *env;
    struct hlo_memo *memo;                               /* functions that are done */
};
/* f with its regions and what it calls; f itself where nothing was found. Calls of what became small are put in place,
 * values that nothing reads go. NULL with the error set. */
ir_fn *hlo_rewritten(hlo_pass *, const ir_fn *f);
ir_fn *hlo_without_dead(base_arena *, const ir_fn *);    /* without what nothing reads */
bool hlo_is_used(const ir_eqn *, const bool *needed);    /* one of its results is, or it has an effect */
/* x in another shape, and an equation again: of a chain of reshapes only the last one counts. */
ir_id hlo_reshaped(ir_build *, ir_id x, int rank, const int64_t *dim);
ir_id hlo_clone(ir_build *, const ir_eqn *, const ir_id *in);
const ir_eqn *hlo_def(const ir_fn *, ir_id);             /* the equation that gives a value; NULL: a parameter */

#endif
