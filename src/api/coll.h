/* api/coll.h - shared by collective.c and permute.c: the axes and device groups of a collective. */
#ifndef TUTTI_API_COLL_H
#define TUTTI_API_COLL_H

#include "api.h"

typedef struct {
    base_name axis[8];
    int naxis;
    int64_t size;
    bool unchecked;
    int ngroup, each;                                    /* groups of `each` devices; 0: none */
    const int32_t *group;  /* [size][each]: the devices of each device's group, in order */
    int64_t dim, split, concat;
    bool stack;
    int kind;
} coll;

ir_names coll_names(const coll *);
bool  coll_axes(base_site, const char *what, const char *text, coll *);  /* resolves "i, j" to axes in force */
bool  coll_groups(base_site, const char *what, const char *text, coll *);        /* reads "0 1; 2 3"; NULL: none */
ir_id coll_index(ir_build *, const coll *);              /* the device's index along the axes */
ir_id coll_each_own(ir_build *, ir_id, const coll *);    /* cast to vary over the axes, in a checked region */
/* The operands of all devices along dim, or along a new dim; 0: the result has too many dims. */
ir_id coll_gathered(ir_build *, ir_id, const coll *, int64_t dim, bool stack);
bool  coll_members(ir_build *, ir_id, const coll *, ir_id *out);         /* the operands of the group, in its order */
ir_id coll_rank_in_group(ir_build *, const coll *);
/* env of the body: a pointer to the coll */
trace_value *coll_with(base_site, trace_body *, const coll *, trace_value *);

#endif
