/* run/bind_exchange.c - binds an exchange for all instances: which parts each destination pulls from which source, in
 * tiles; between ranks, also the messages, as stages around the pull. */
#include "inner.h"

#include "../base/machine.h"

typedef struct {
    const run_far *far;
    run_pull *pull; int64_t *src; int32_t *of; int64_t at, from, npull, nsrc, count; uint32_t most;
} recorder;

static bool record(void *env, const run_pull *q)
{
    recorder *r = env;
    if (r->pull) {
        run_pull *mine = &r->pull[r->npull];
        *mine = *q;
        mine->at += r->at;
        mine->src = r->src + r->nsrc;
        for (uint32_t k = 0; k < q->nsrc; k++) r->src[r->nsrc + k] = q->src[k] + r->from;
        if (r->far && !run_far_sources(r->far, mine, r->src + r->nsrc, r->of + r->nsrc, r->from)) return false;
        mine->instance = NULL;
    }
    r->npull++;
    r->nsrc += q->nsrc;
    r->count += q->count;
    if (q->nsrc > r->most) r->most = q->nsrc;
    return true;
}

/* bytes that a tile moves; unit of its elements */
enum { TILE_BYTES = 256 << 10, TILE_UNIT = 1024 };

/* Number of elements of a tile that moves `bytes` for each. */
static int64_t tile_elements(int64_t bytes)
{
    const int64_t n = TILE_BYTES / bytes / TILE_UNIT * TILE_UNIT;
    return n > TILE_UNIT ? n : TILE_UNIT;
}

/* Enumerates the pulls of all instances; counts them, or stores them if memory is given. */
static bool pulls(const run_program *p, run_bound *b, recorder *r, int64_t *pull_at, int64_t *count)
{
    const run_step *s = b->step;
    const run_storage *from = &p->storage[s->exchange.from], *to = &p->storage[s->exchange.to];
    r->npull = r->nsrc = 0;
    r->from = p->at[s->exchange.from];
    for (int64_t i = 0; i < b->n; i++) {
        uint32_t coord[MESH_ATOMS];
        ir_box box = { 0 };
        run_instance_coord(to->mesh, to->vary, to->ranks, i, coord);
        r->at = p->at[s->exchange.to] + run_storage_box(to, coord, &box);
        r->count = 0;
        if (pull_at) pull_at[i] = r->npull;
        if (!run_pulls(from, &s->exchange.route, coord, &box, record, r)) return false;
        if (count) count[i] = r->count;
    }
    if (pull_at) pull_at[b->n] = r->npull;
    return true;
}

static bool exchange_ok(const run_program *p, const run_step *s)
{
    const uint32_t from = s->exchange.from, to = s->exchange.to;
    const mesh_reduce reduce = s->exchange.route.over ? s->exchange.route.reduce : MESH_NONE;
    if (from >= p->plan->nvalue || to >= p->plan->nvalue) return run_step_bad(s, "exchanges a value that is not there");
    const run_value *a = &p->plan->value[from], *b = &p->plan->value[to];
    /* narrow floats may be combined in two steps, in f32 between them */
    const bool combined = b->dtype == ir_widened(a->dtype) || a->dtype == ir_widened(b->dtype);
    bool same = (a->dtype == b->dtype || (reduce != MESH_NONE && combined)) && a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++) same = a->dim[d] == b->dim[d];
    if (!same) return run_step_bad(s, "exchanges values of different types");
    if (b->space == RUN_CONST || b->space == RUN_ARG) return run_step_bad(s, "writes a constant or an argument");
    if (reduce != MESH_NONE && !run_combines(a->dtype, reduce))
        return base_fail(TT_ETYPE, s->site, "\"%s\" cannot combine elements of type %s", s->name,
                         ir_dtype_of(a->dtype)->name);
    return true;
}

/* The pulls' sources are addresses that change from launch to launch (run_far_aim). */
static void sources_live(base_arena *a, run_far *f, int64_t *fixed, int32_t *of, int64_t npull, run_pull *pull,
                         int64_t n)
{
    f->fixed = fixed, f->of = of, f->nsrc = n;
    f->src = BASE_NEW(a, int64_t, n);
    for (int64_t i = 0; i < npull; i++) pull[i].src = f->src + (pull[i].src - fixed);
}

/* Divides a common copy among the ranks of its group; count[i]: elements of instance i, then those of this rank. */
static bool bind_common(run_program *p, run_bound *b, int64_t *count)
{
    const run_step *s = b->step;
    const run_value *to = &p->plan->value[s->exchange.to];
    if (!b->n) return true;                              /* a rank without devices of the mesh */
    if (!b->far) return run_step_bad(s, "has a common copy, but ranks do not share memory");
    int64_t *share = BASE_NEW(p->arena, int64_t, 2 * b->n);
    for (int64_t i = 0; i < b->n; i++) {
        int64_t *const e = share + 2 * i;
        run_far_share(b->far, count[i], e);
        count[i] = e[1] - e[0];
    }
    b->share = share;
    b->far->result = to->space == RUN_RESULT ? (int32_t)to->at : -1;
    b->far->next_common = p->common;
    p->common = b->far;
    return true;
}

bool run_bind_exchange(run_program *p, run_bound *b)
{
    const run_step *s = b->step;
    recorder r = { 0 };
    if (!exchange_ok(p, s)) return false;
    const run_storage *to = &p->storage[s->exchange.to];
    b->n = run_storage_instances(to);
    if (!p->plan->single_device &&
        !run_far_bind(p->arena, &p->storage[s->exchange.from], p->at[s->exchange.from], to, &s->exchange.route,
                      s->exchange.common, &p->area_bytes, &b->far)) return false;
    r.far = b->far;
    p->exchanges++;
    if (b->far) b->far->ordinal = p->exchanges;
    if (!pulls(p, b, &r, NULL, NULL)) return false;
    int64_t *at = BASE_NEW(p->arena, int64_t, b->n + 1), *tile = BASE_NEW(p->arena, int64_t, b->n + 1);
    int64_t *count = BASE_NEW(p->arena, int64_t, b->n);
    r.pull = BASE_NEW(p->arena, run_pull, r.npull);
    r.src = BASE_NEW(p->arena, int64_t, r.nsrc);
    r.of = BASE_NEW(p->arena, int32_t, b->far ? r.nsrc : 0);
    if (!pulls(p, b, &r, at, count)) return false;
    if (b->far) sources_live(p->arena, b->far, r.src, r.of, r.npull, r.pull, r.nsrc);
    b->chunk = tile_elements(to->size * (1 + r.most));
    if (s->exchange.common && !bind_common(p, b, count)) return false;
    for (int64_t i = 0; i < b->n; i++) {
        const int64_t tiles = (count[i] + b->chunk - 1) / b->chunk;
        tile[i + 1] = tile[i] + (tiles > 1 ? tiles : 1);
        b->cost += 50 + (double)(count[i] * to->size * (1 + r.most)) / 16;
    }
    b->stream = b->far && b->n * to->bytes >= BASE_UNCACHED;
    b->pull = r.pull;
    b->pull_at = at;
    b->tile = tile;
    run_access *a = BASE_NEW(p->arena, run_access, 2);
    a[0] = run_access_of(p, s->exchange.from, to->vary, false);
    a[0].own = false;                                    /* other instances' parts are read too */
    a[1] = run_access_of(p, s->exchange.to, to->vary, true);
    b->access = a;
    b->naccess = 2;
    return true;
}

static run_bound stage_of(const run_bound *pull, run_stage stage)
{
    return (run_bound){ .step = pull->step, .n = 1, .phase = 1, .stage = stage, .far = pull->far };
}

static void bind_pack(const run_program *p, const run_bound *pull, run_bound *pack)
{
    const run_far *f = pull->far;
    const int64_t size = p->storage[pull->step->exchange.from].size;
    int64_t *at = BASE_NEW(p->arena, int64_t, 2), *tile = BASE_NEW(p->arena, int64_t, 2), count = 0;
    for (uint32_t i = 0; i < f->npack; i++) count += f->pack[i].count;
    *pack = stage_of(pull, RUN_PACK);
    pack->chunk = tile_elements(size);
    at[1] = f->npack;
    tile[1] = (count + pack->chunk - 1) / pack->chunk;
    if (!tile[1]) tile[1] = 1;
    pack->cost = 50 + (double)(count * size) / 8;
    pack->pull = f->pack, pack->pull_at = at, pack->tile = tile;
    run_access *a = BASE_NEW(p->arena, run_access, 2);
    a[0] = pull->access[0];
    a[1] = (run_access){ 0, RUN_MESSAGES, f->area_lo, f->area_hi, f->area_hi - f->area_lo, true, false, false };
    pack->access = a, pack->naccess = 2;
}

run_bound *run_bind_messages(const run_program *p, run_bound *b)
{
    const run_bound pull = *b;
    if (pull.far->npack) bind_pack(p, &pull, b++);
    run_bound *const post = b;
    *b++ = stage_of(&pull, RUN_POST);
    *b++ = stage_of(&pull, RUN_WAIT);
    *b++ = pull;
    if (!pull.far->in_place) return b;
    *b++ = stage_of(&pull, RUN_READ);
    *b = stage_of(&pull, RUN_END);
    /* the source, which other ranks read; a common copy is there when all ranks have read */
    b->access = pull.access, b->naccess = pull.far->common ? 2 : 1;
    if (pull.far->shares) {                              /* the results, which other ranks write once all have posted */
        b->naccess = pull.step->nwritten, b->access = pull.access + pull.step->narg - b->naccess;
        post->access = b->access, post->naccess = b->naccess;
    }
    b++;
    return b;
}
