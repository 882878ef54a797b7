/* hlo/read/gspmd.c - the older form of shardings, GSPMD's: a grid of tiles and the devices that hold them, without a
 * mesh.
 *
 *     {devices=[2,1,4]<=[8] last_tile_dim_replicate}   {devices=[4,2]<=[2,4]T(1,0)}   {devices=[2,2]0,2,1,3}
 *     {replicated}   {manual}   {maximal device=0}   {devices=[..]<=[..] last_tile_dims={manual, replicated}}
 *
 * Device numbers of a grid are p = sum of i_k stride_k over dims of some sizes. All strides of a program's strings,
 * together with the strides at which tiles divide them, must form one chain of divisors; they then are the axes a0, a1,
 * ... of one mesh, and each dim is sharded over some of these axes. */
#include "../inner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 32 };
struct hlo_grid { int64_t n; int nmark; int64_t mark[64]; bool manual; }; /* n devices; strides, falling from n to 1 */
typedef struct { int64_t size, stride; } run;
typedef struct {
    int ntile, nrun;
    int64_t tile[DIMS], n;
    run run[DIMS];
    bool tiled;
    int keep;
/* keep: number of tile dims that are dims of the value */
} tiles;

static bool gspmd_numbers(const char **p, char open, char close, int *n, int64_t *v) /* reads [2,1,4] */
{
    if (*(*p)++ != open) return false;
    for (*n = 0; **p != close; ) {
        char *end;
        if (*n && *(*p)++ != ',') return false;
        if (!isdigit((unsigned char)**p) || *n == DIMS) return false;
        v[(*n)++] = strtoll(*p, &end, 10);
        *p = end;
    }
    (*p)++;
    return true;
}

static bool permutes(hlo_reader *r, int64_t n, const int64_t *v)      /* True if v has each of 0 to n - 1 once */
{
    bool *const seen = BASE_NEW(r->p->arena, bool, n + 1);
    for (int64_t i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= n || seen[v[i]]) return false;
        seen[v[i]] = true;
    }
    return true;
}

static bool transposed(hlo_reader *r, const char **p, tiles *t)         /* reads <=[2,4]T(1,0) */
{
    int64_t dim[DIMS], perm[DIMS], stride[DIMS + 1];
    int n, k = 0;
    *p += 2;
    if (!gspmd_numbers(p, '[', ']', &n, dim)) return false;
    for (int i = 0; i < n; i++) perm[i] = i;
    if (**p == 'T' && (++*p, !gspmd_numbers(p, '(', ')', &k, perm) || k != n)) return false;
    stride[n] = 1;
    for (int i = n; i-- > 0;) if (__builtin_mul_overflow(stride[i + 1], dim[i], &stride[i])) return false;
    t->n = stride[0];
    if (!permutes(r, n, perm)) return false;
    for (int i = 0; i < n; i++) {
        t->run[t->nrun++] = (run){ dim[perm[i]], stride[perm[i] + 1] };
    }
    return true;
}

/* 0,2,1,3: finds the runs (size, stride) that give this order, minor one first. */
static bool gspmd_listed(hlo_reader *r, const char **p, tiles *t)
{
    if (t->n > (int64_t)strlen(*p)) return false;        /* a number takes at least one character */
    int64_t *const at = BASE_NEW(r->p->arena, int64_t, t->n + 1), unit = 1;
    run minor[DIMS];
    int n = 0;
    for (int64_t i = 0; i < t->n; i++) {
        char *end;
        if ((i && *(*p)++ != ',') || !isdigit((unsigned char)**p)) return false;
        at[i] = strtoll(*p, &end, 10);
        *p = end;
    }
    if (!permutes(r, t->n, at)) return false;
    while (unit < t->n && n < DIMS) {
        const int64_t by = at[unit] - at[0];
        int64_t size = 2;
        while (unit * (size + 1) <= t->n && at[unit * size] - at[0] == by * size) size++;
        while (t->n % (unit * size)) size--;
        if (by < 1 || size < 2) return false;
        minor[n++] = (run){ size, by };
        unit *= size;
    }
    for (int i = 0; i < n; i++) t->run[i] = minor[n - 1 - i];
    t->nrun = n;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t rest = i, want = 0;
        for (int k = 0; k < n; k++) want += rest % minor[k].size * minor[k].stride, rest /= minor[k].size;
        if (want != at[i]) return false;
    }
    return unit == t->n;
}

/* Splits runs at the boundaries of tiles. */
static bool gspmd_split_runs(tiles *t)
{
    run out[DIMS];
    int n = 0, k = 0;
    for (int d = 0; d < t->ntile; d++)
        for (int64_t left = t->tile[d]; left > 1;) {
            while (k < t->nrun && t->run[k].size == 1) k++;
            if (k == t->nrun || n == DIMS) return false;
            run *const v = &t->run[k];
            const int64_t take = left < v->size ? left : v->size;
            if (left % take || v->size % take) return false;
            out[n++] = (run){ take, v->stride * (v->size / take) };
            v->size /= take;
            left /= take;
        }
    memcpy(t->run, out, sizeof out);
    t->nrun = n;
    return true;
}

/* What may stand behind the devices: which of the last tile dims are no dims of the value. */
static bool gspmd_rest(const char *p, tiles *t)
{
    static const char one[] = " last_tile_dim_replicate", several[] = " last_tile_dims={";
    if (!strncmp(p, one, sizeof one - 1)) p += sizeof one - 1, t->keep--;
    else if (!strncmp(p, several, sizeof several - 1)) {
        p += sizeof several - 1;
        for (bool more = true; more; p += more ? strspn(p, ", ") : 0) {
            const size_t n = strcspn(p, ",}");
            if (!(n == 6 && !strncmp(p, "manual", n)) && !(n == 10 && !strncmp(p, "replicated", n))) return false;
            p += n, t->keep--;
            more = *p == ',';
        }
        if (*p++ != '}') return false;
    }
    return !strcmp(p, "}") || !strncmp(p, " metadata=", 10);
}

static bool read(hlo_reader *r, hlo_span s, tiles *t)
{
    char *const copy = BASE_NEW(r->p->arena, char, s.n + 1);
    memcpy(copy, s.at, s.n);
    const char *p = copy;
    *t = (tiles){ 0 };
    if (!strcmp(p, "{replicated}") || !strcmp(p, "{manual}") || !strncmp(p, "{maximal", 8)) return true;
    if (strncmp(p, "{devices=", 9)) return false;
    p += 9;
    if (!gspmd_numbers(&p, '[', ']', &t->ntile, t->tile)) return false;
    t->n = 1;
    for (int d = 0; d < t->ntile; d++)
        if (t->tile[d] < 1 || t->tile[d] > 1 << 20 || (t->n *= t->tile[d]) > 1 << 20) return false;
    const int64_t n = t->n;
    if (!(p[0] == '<' && p[1] == '=' ? transposed(r, &p, t) : gspmd_listed(r, &p, t)) || t->n != n) return false;
    t->keep = t->ntile;
    t->tiled = true;
    return gspmd_rest(p, t) && t->keep >= 0 && gspmd_split_runs(t);
}

/* ---- one mesh for all strings ---- */

/* inserts in falling order; false: not a chain of divisors */
static bool gspmd_mark(struct hlo_grid *g, int64_t stride)
{
    int i = 0;
    while (i < g->nmark && g->mark[i] > stride) i++;
    if (i < g->nmark && g->mark[i] == stride) return true;
    if (g->nmark == 64 || (i && g->mark[i - 1] % stride) || (i < g->nmark && stride % g->mark[i])) return false;
    memmove(g->mark + i + 1, g->mark + i, (size_t)(g->nmark - i) * sizeof *g->mark);
    g->mark[i] = stride;
    g->nmark++;
    return true;
}

static bool noted(hlo_reader *r, struct hlo_grid *g, const hlo_attrs *attrs)
{
    const hlo_attr *const a = hlo_find(attrs, "mhlo.sharding");
    tiles t;
    if (!a) return true;
    if (a->form != HLO_STRING || !read(r, a->text, &t))
        return hlo_fail(r->p, a->text.at, TT_ESPEC, "this sharding is not understood");
    if (!t.tiled) return true;
    if (g->n && g->n != t.n)
        return hlo_fail(r->p, a->text.at, TT_ESPEC, "a sharding over %lld devices behind one over %lld", (long long)t.n,
                        (long long)g->n);
    g->n = t.n;
    bool ok = gspmd_mark(g, g->n) && gspmd_mark(g, 1);
    for (int i = 0; i < t.nrun; i++) ok = ok && gspmd_mark(g, t.run[i].stride) &&
        gspmd_mark(g, t.run[i].stride * t.run[i].size);
    return ok || hlo_fail(r->p, a->text.at, TT_ESPEC, "a sharding whose tiles fit no mesh with the others'");
}

static bool noted_in(hlo_reader *r, struct hlo_grid *g, const hlo_region *b)
{
    for (int i = 0; i < b->op.n; i++) {
        if (!noted(r, g, &b->op.v[i].attr)) return false;
        g->manual |= hlo_is_target(&b->op.v[i], "SPMDFullToShardShape");
        for (int k = 0; k < b->op.v[i].region.n; k++) if (!noted_in(r, g, &b->op.v[i].region.v[k])) return false;
    }
    return true;
}

bool hlo_read_grid(hlo_reader *r)
{
    struct hlo_grid *const g = BASE_NEW(r->p->arena, struct hlo_grid, 1);
    base_text t = { .arena = r->p->arena };
    for (int i = 0; i < r->m->func.n; i++) {
        const hlo_func *const f = &r->m->func.v[i];
        if (f->module != r->module) continue;
        for (int k = 0; k < f->arg.n; k++) if (!noted(r, g, &f->arg.v[k].attr)) return false;
        for (int k = 0; k < f->ret.n; k++) if (!noted(r, g, &f->ret.v[k].attr)) return false;
        if (!noted_in(r, g, &f->body)) return false;
    }
    const int64_t n = hlo_module_count(r, "mhlo.num_partitions");
    /* nothing is sharded */
    if (g->n < 2 && g->manual && n > 1 && n <= 1 << 16) g->n = n, gspmd_mark(g, n), gspmd_mark(g, 1);
    if (r->mesh || g->n < 2) return true;
    for (int i = 0; i + 1 < g->nmark; i++)
        base_appendf(&t, "%sa%d:%lld", i ? ", " : "", i, (long long)(g->mark[i] / g->mark[i + 1]));
    r->grid = g;
    return (r->mesh = mesh_of(r->p->file, t.s)) != NULL;
}

/* The axes whose strides form a run. */
static bool gspmd_axes_of(const hlo_reader *r, const run *v, mesh_list *l)
{
    for (int i = 0; i + 1 < r->grid->nmark; i++) {
        if (r->grid->mark[i] > v->stride * v->size || r->grid->mark[i + 1] < v->stride) continue;
        const mesh_axis *const x = &r->mesh->axis[i];
        for (int a = 0; a < x->natom; a++) *l = mesh_list_push(*l, x->first + a);
    }
    return true;
}

bool hlo_gspmd(hlo_reader *r, const hlo_attr *a, int rank, const mesh_layout **out)
{
    mesh_list dim[IR_RANK] = { 0 };
    tiles t;
    if (!read(r, a->text, &t)) return hlo_fail(r->p, a->text.at, TT_ESPEC, "this sharding is not understood");
    *out = NULL;
    if (t.tiled && t.keep != rank)
        return hlo_fail(r->p, a->text.at, TT_ESPEC, "a sharding of %d dims for a value of rank %d", t.keep, rank);
    for (int d = 0, k = 0; t.tiled && d < t.keep; d++)
        for (int64_t left = t.tile[d]; left > 1; left /= t.run[k++].size) gspmd_axes_of(r, &t.run[k], &dim[d]);
    if (t.tiled || (a->text.n == 12 && !memcmp(a->text.at, "{replicated}", 12)))
        *out = mesh_layout_dims(r->mesh, rank, dim);
    return true;
}
