/* driver/constants.c - large constants of a function for an engine outside this process: they travel once, as arguments
 * of its program that the caller does not see, and the text does not spell them out.
 *
 * A text is read by the library's compiler, which keeps a copy of each literal, and it is the key of the program on
 * disk: with its constants as arguments a program is found there whatever their elements are. */
#include "inner.h"

#include "../pass/pass.h"

#include <string.h>

enum { LARGE = 4096 };                                   /* bytes: smaller constants may be of use to the compiler */

/* A list of narg entries, with n more behind them; NULL stays NULL. */
static void *extended(base_arena *a, const void *list, size_t entry, uint32_t narg, uint32_t n)
{
    if (!list) return NULL;
    char *const longer = base_new(a, (narg + n + 1) * entry);
    return memcpy(longer, list, narg * entry);
}

bool driver_constants_out(base_arena *a, const ir_fn **f, const driver_config **config, driver_constants *c)
{
    const ir_eqn *const *at;
    const uint32_t narg = (*f)->narg;
    const ir_fn *const g = pass_constants_out(a, *f, LARGE, &c->n, &at);
    if (!g || !c->n) return g != NULL;
    const void **const data = BASE_NEW(a, const void *, c->n);
    driver_config *const o = BASE_NEW(a, driver_config, 1);
    *o = **config;
    o->in = extended(a, o->in, sizeof *o->in, narg, c->n);
    o->donate = extended(a, o->donate, sizeof *o->donate, narg, c->n);
    const char **const name = extended(a, o->in_name, sizeof *name, narg, c->n);
    base_site *const site = extended(a, o->in_site, sizeof *site, narg, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        data[i] = IR_ATTR(at[i], op_const_attr)->data.p;
        if (name) name[narg + i] = "a constant";
        if (site) site[narg + i] = at[i]->site;
    }
    o->in_name = name, o->in_site = site;
    c->data = data;
    *f = g, *config = o;
    return true;
}
