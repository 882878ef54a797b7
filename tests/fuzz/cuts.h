#ifndef TUTTI_TESTS_FUZZ_CUTS_H
#define TUTTI_TESTS_FUZZ_CUTS_H
#include "spmd/spmd.h"
static ir_fn *fuzz_partition(base_arena *a, const ir_fn *f, const mesh_layout *const *w, bool r, uint32_t seed)
{ (void)seed; return spmd_partition(a, f, w, &(spmd_opts){ .reproducible = r }, NULL); }
#endif
