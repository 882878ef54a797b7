/* hlo/raise/raise.h - shared by the raising passes: rewriting a function equation by equation. To raise is to replace
 * operations of a text by the primitive that they spell out. */
#ifndef TUTTI_HLO_RAISE_H
#define TUTTI_HLO_RAISE_H

#include "../hlo.h"

/* applies: true if this function may contain the pass's pattern; called after its regions are done; NULL: every
 * function is rewritten. equation: emits a replacement of e, with its results in out; false: no replacement. *failed:
 * the error is set. map: ids in the build of the function's values before e. found: number of occurrences of the
 * pattern. */
typedef struct hlo_pass hlo_pass;
struct hlo_pass {
    base_arena *arena;
    bool (*applies)(hlo_pass *, const ir_fn *);
    bool (*equation)(hlo_pass *, ir_build *, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                     bool *failed);
    const ir_id *map;
    int found;
    void *env;
    struct hlo_memo *memo;                               /* functions already rewritten */
};
/* f with its regions and callees rewritten; f itself if nothing was found. Calls of functions that became small are
 * inlined, dead values removed. NULL with the error set. */
ir_fn *hlo_rewritten(hlo_pass *, const ir_fn *f);
ir_fn *hlo_without_dead(base_arena *, const ir_fn *);    /* f without values that nothing reads */
bool hlo_is_used(const ir_eqn *, const bool *needed);    /* True if a result is needed or e has an effect */
/* x in another shape. Of a chain of reshapes only the last one is kept. */
ir_id hlo_reshaped(ir_build *, ir_id x, int rank, const int64_t *dim);
ir_id hlo_clone(ir_build *, const ir_eqn *, const ir_id *in);

#endif
