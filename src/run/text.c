/* run/text.c - the text of a plan: one line per step, and its counts. Deterministic: golden tests compare it.
 *
 *     plan of 2 steps on data:2: 1 kernel (1 distinct), 1 exchange (256 B) in 1 round, arena 128 B per device
 *       compute  2 x dot: %2 f32[4, 8]{data} = a0 f32[4, 16@data], a1 f32[16@data, 8]    mlp.c:42: tt_matmul(h, w)
 *       exchange sum over data: r0 f32[4, 8] = %2 f32[4, 8]{data}, 256 B    mlp.c:44: tt_psum(x, "data")
 *       return r0 f32[4, 8] */
#include "inner.h"

static const char *bytes_text(base_arena *a, int64_t n)
{
    if (n < 10000) return base_format(a, "%lld B", (long long)n);
    if (n < (int64_t)10 << 20) return base_format(a, "%.1f KiB", (double)n / 1024);
    if (n < (int64_t)10 << 30) return base_format(a, "%.1f MiB", (double)n / (1024 * 1024));
    return base_format(a, "%.1f GiB", (double)n / (1024.0 * 1024 * 1024));
}

static void put_axes(base_text *t, const mesh *m, mesh_set s)
{
    bool any = false;
    for (int i = 0; i < m->naxis; i++) {
        const mesh_axis *x = &m->axis[i];
        const mesh_set all = (mesh_set)(((1u << x->natom) - 1) << x->first);
        if (!(s & all)) continue;
        base_appendf(t, "%s%s", any ? "+" : "", x->name);
        if ((s & all) != all)
            for (int a = x->first; a < x->first + x->natom; a++) if (s >> a & 1) base_appendf(t, ".%d", a - x->first);
        any = true;
    }
}

static void put_value(base_text *t, const run_plan *p, uint32_t i)
{
    static const char letter[] = { [RUN_ARENA] = '%', [RUN_ARG] = 'a', [RUN_RESULT] = 'r', [RUN_CONST] = 'c',
                                   [RUN_COMMON] = 'h' };
    const run_value *v = &p->value[i];
    base_appendf(t, "%c%u %s", letter[v->space], v->space == RUN_ARG || v->space == RUN_RESULT ? (unsigned)v->at : i,
                 ir_dtype_of(v->dtype)->name);
    for (int d = 0; d < v->rank; d++) {
        const mesh_set axes = v->layout ? mesh_list_set(v->layout->dim[d].atoms) : 0;
        base_appendf(t, "%s%lld", d ? ", " : "[", (long long)v->dim[d]);
        if (axes) base_appendf(t, "@"), put_axes(t, p->mesh, axes);
    }
    if (v->rank) base_appendf(t, "]");
    const mesh_set rest = v->vary & (mesh_set)~(v->layout ? mesh_layout_vary(v->layout) & (mesh_set)~v->layout->partial
                                                : 0);
    const mesh_set each = rest & (mesh_set)~v->merged;
    if (each) base_appendf(t, "{"), put_axes(t, p->mesh, each), base_appendf(t, "}");
    if (v->merged) base_appendf(t, "{all "), put_axes(t, p->mesh, v->merged), base_appendf(t, "}");
}

/* Bytes that the device at coord receives: all sources of its box except its own. */
static int64_t received(const run_plan *p, const run_route *r, const run_storage *from, const run_storage *to,
                        const uint32_t *coord)
{
    ir_box a = { 0 }, b = { 0 };
    int64_t common = 1, sources = r->over && r->reduce != MESH_NONE ? mesh_set_size(p->mesh, r->over) : 1;
    run_storage_box(to, coord, &b);
    run_storage_box(from, coord, &a);
    for (int d = 0; d < b.rank; d++) {
        const int64_t lo = a.lo[d] > b.lo[d] ? a.lo[d] : b.lo[d];
        const int64_t p_end = a.lo[d] + a.n[d], q_end = b.lo[d] + b.n[d], hi = p_end < q_end ? p_end : q_end;
        common *= hi > lo ? hi - lo : 0;
    }
    if (mesh_list_n(r->order)) {
        const int64_t position = mesh_place(p->mesh, r->order, coord);
        if (r->source[position] == ~0u) return 0;
        if (r->source[position] != position) common = 0;
    }
    return (ir_box_count(&b) * sources - common) * to->size;
}

/* Only the atoms of the two layouts, and those along which parts are permuted, distinguish devices. Of more than
 * EXAMINED kinds of devices, only about that many are examined, and the sum is scaled: if parts are even, all kinds
 * are alike. */
static int64_t exchange_bytes(const run_plan *p, const run_step *s)
{
    enum { EXAMINED = 512 };
    run_storage from, to;
    const run_value *a = &p->value[s->exchange.from], *b = &p->value[s->exchange.to];
    const mesh_set matters = (a->layout ? mesh_layout_vary(a->layout) : 0)
                             | (b->layout ? mesh_layout_vary(b->layout) : 0)
                             | mesh_list_set(s->exchange.route.order);
    const int64_t kinds = p->mesh ? mesh_set_size(p->mesh, matters) : 1, all = p->mesh ? mesh_size(p->mesh) : 1;
    const int64_t step = kinds > EXAMINED ? (kinds / EXAMINED) | 1 : 1;
    int64_t bytes = 0, examined = 0;
    run_storage_value(&from, p, a);
    run_storage_value(&to, p, b);
    for (int64_t i = 0; i < kinds; i += step, examined++) {
        uint32_t coord[MESH_ATOMS] = { 0 };
        int64_t rest = i;
        for (int k = p->mesh ? p->mesh->natom : 0; k-- > 0;)
            if (matters >> k & 1) coord[k] = (uint32_t)(rest % p->mesh->atom[k]), rest /= p->mesh->atom[k];
        bytes += received(p, &s->exchange.route, &from, &to, coord);
    }
    return examined == kinds ? bytes * (all / kinds) : (int64_t)((double)bytes / (double)examined * (double)all);
}

static void count_list(const run_plan *p, const run_list *l, run_counts *c)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const run_step *s = &l->step[i];
        c->steps++;
        c->kernels += s->kind == RUN_COMPUTE;
        c->exchanges += s->kind == RUN_EXCHANGE;
        c->rounds += s->kind == RUN_EXCHANGE && !(i && s[-1].kind == RUN_EXCHANGE);
        if (s->kind == RUN_EXCHANGE) c->exchange_bytes += exchange_bytes(p, s);
        RUN_EACH_BLOCK(s, nested) count_list(p, nested, c);
    }
}

run_counts run_plan_counts(const run_plan *p)
{
    run_counts c = { .distinct = p->nkernel };
    count_list(p, &p->body, &c);
    c.arena_bytes = run_plan_arena(p);
    return c;
}

static void put_values(base_text *t, const run_plan *p, const run_step *s, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) base_appendf(t, "%s", i > first ? ", " : ""), put_value(t, p, s->arg[i]);
}

static const char *exchange_name(base_arena *a, const run_plan *p, const run_route *r)
{
    base_text t = { .arena = a };
    if (mesh_list_n(r->order)) base_appendf(&t, "permute along "), put_axes(&t, p->mesh, mesh_list_set(r->order));
    else if (r->over && r->reduce != MESH_NONE) base_appendf(&t, "%s over ", mesh_reduce_name[r->reduce]),
        put_axes(&t, p->mesh, r->over);
    else base_appendf(&t, "copy");
    return t.s;
}

static void put_list(base_text *t, const run_plan *p, const run_list *l, int deep);

static void put_step(base_text *t, const run_plan *p, const run_step *s, int deep)
{
    const uint32_t in = s->nwritten <= s->narg ? s->narg - s->nwritten : s->narg;
    base_appendf(t, "%*s", 2 * deep, "");
    switch (s->kind) {
    case RUN_COMPUTE: {
        const int64_t n = p->mesh ? mesh_set_size(p->mesh, s->vary) : 1;
        const mesh_set over = run_merged_over(p, s);
        const run_kernel *k = &p->kernel[s->compute.kernel];
        base_appendf(t, "compute  %lld ", (long long)n);
        if (over) base_appendf(t, "as %lld ", (long long)(n / mesh_set_size(p->mesh, over)));
        base_appendf(t, "x %s: ", k->name ? k->name : s->name);
        put_values(t, p, s, in, s->narg);
        base_appendf(t, "%s", s->nwritten ? " = " : ""), put_values(t, p, s, 0, in);
        if (s->compute.common) base_appendf(t, ", in shares of the ranks");
        break;
    }
    case RUN_EXCHANGE:
        base_appendf(t, "exchange %s: ", exchange_name(t->arena, p, &s->exchange.route));
        put_value(t, p, s->exchange.to), base_appendf(t, " = "), put_value(t, p, s->exchange.from);
        base_appendf(t, ", %s", bytes_text(t->arena, exchange_bytes(p, s)));
        break;
    case RUN_LOOP:   base_appendf(t, "while "), put_value(t, p, s->control.test); break;
    case RUN_CHOOSE: base_appendf(t, "choose by "), put_value(t, p, s->control.test); break;
    case RUN_SLICE_PTR:
        base_appendf(t, "slice pointer "), put_value(t, p, s->slice_ptr.row);
        base_appendf(t, ": row "), put_value(t, p, s->slice_ptr.index);
        base_appendf(t, " of "), put_value(t, p, s->slice_ptr.of);
        break;
    case RUN_HOST:   base_appendf(t, "host %s: ", s->name ? s->name : ""), put_values(t, p, s, 0, s->narg); break;
    }
    base_appendf(t, "%s%s\n", s->site ? "    " : "", s->site ? s->site : "");
    if (s->kind == RUN_LOOP) {
        base_appendf(t, "%*s{\n", 2 * deep, ""), put_list(t, p, &s->nested[RUN_COND], deep + 1);
        base_appendf(t, "%*s} {\n", 2 * deep, ""), put_list(t, p, &s->nested[RUN_BODY], deep + 1),
            base_appendf(t, "%*s}\n", 2 * deep, "");
    }
    for (uint32_t k = 0; s->kind == RUN_CHOOSE && k < s->nnested; k++) {
        base_appendf(t, "%*s%u {\n", 2 * deep, "", k), put_list(t, p, &s->nested[k], deep + 1);
        base_appendf(t, "%*s}\n", 2 * deep, "");
    }
}

static void put_list(base_text *t, const run_plan *p, const run_list *l, int deep)
{
    for (uint32_t i = 0; i < l->n; i++) put_step(t, p, &l->step[i], deep);
}

/* "1 step", "2 steps" */
static const char *text_number(base_arena *a, int64_t n, const char *what)
{
    return base_format(a, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

const char *run_plan_text(base_arena *a, const run_plan *p)
{
    base_text t = { .arena = a };
    const run_counts c = run_plan_counts(p);
    const char *const on = p->single_device ? " of one device as " : p->mesh ? " on " : "";
    base_appendf(&t, "plan of %s%s%s: %s (%lld distinct), %s (%s) in %s, arena %s per device\n",
                 text_number(a, c.steps, "step"), on, p->mesh ? mesh_text(a, p->mesh) : "",
                 text_number(a, c.kernels, "kernel"), (long long)c.distinct, text_number(a, c.exchanges, "exchange"),
                 bytes_text(a, c.exchange_bytes), text_number(a, c.rounds, "round"), bytes_text(a, c.arena_bytes));
    put_list(&t, p, &p->body, 1);
    base_appendf(&t, "  return");
    for (uint32_t i = 0; i < p->nresult; i++) {
        base_appendf(&t, "%s", i ? ", " : " "), put_value(&t, p, p->result[i]);
        if (p->alias && p->alias[i] >= 0 && p->value[p->result[i]].space == RUN_RESULT) base_appendf(&t, " in a%d",
            (int)p->alias[i]);
    }
    base_appendf(&t, "\n");
    return t.s;
}
