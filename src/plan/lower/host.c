/* plan/lower/host.c - calls of functions of C: steps on the control thread, once per distinct instance of what they
 * see. Without results they happen once on each device of a manual region, as there in JAX. */
#include "../inner.h"

typedef struct { base_site site; const op_host_attr *attr; uint32_t nin; } host;

static void host_call(const void *env, uint32_t narg, const ir_box *arg, bool apart)
{
    const host *const h = env;
    op_host_run(h->site, h->attr, h->nin, arg, narg - h->nin, arg + h->nin, apart);
}

void plan_host(plan_flat *f, const plan_item *t, run_step *r)
{
    host *const h = BASE_NEW(f->keep, host, 1);
    *h = (host){ t->site, IR_ATTR(t->eqn, op_host_attr), t->group->nin }; /* attributes live for ever */
    r->host.call = host_call, r->host.env = h;
}

mesh_set plan_host_vary(const plan_flat *f, const ir_eqn *e, const plan_id *in)
{
    mesh_set all = e->nout ? 0 : f->manual;
    if (IR_ATTR(e, op_host_attr)->partitioned) for (uint32_t i = 0; i < e->nin; i++) all |= f->value[in[i]].vary;
    return all;
}

bool plan_host_alike(const ir_eqn *e, const ir_fn *region)
{
    if (!region->ordered) return true;
    base_fail(TT_EPLAN, e->site, "%s: the decision differs between devices, and what is decided calls a function of C",
              e->op->name);
    return base_hint("call tt_debug or the callback outside the %s, or make the decision the same on all devices "
                     "(psum, pmax)", e->op->name);
}
