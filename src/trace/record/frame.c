/* trace/record/frame.c - functions under trace: a stack of builds per thread.
 *
 * A frame's parameters are ids 1..n. A captured value (a concrete one, or one of an outer frame) gets a placeholder
 * equation when it is first read, since arguments precede equations; trace_end turns the placeholders into further
 * arguments. The bottom of the stack is a root: it has no build, but the arena of all frames above it and the
 * references that keep captured values alive. */
#include "../trace.h"

#include <string.h>

#include "../inner.h"

/* ---- the stack ---- */

trace_frame *trace_top(void)
{
    trace_frame *f = trace_this()->frame;
    return f && f->build ? f : NULL;
}

ir_build   *trace_builder(trace_frame *f) { return f->build; }
const mesh *trace_mesh(const trace_frame *f) { return f ? f->mesh : NULL; }

int trace_depth(void)
{
    int n = 0;
    for (trace_frame *f = trace_this()->frame; f; f = f->outer) n++;
    return n;
}

static trace_frame *frame_push(trace_thread *t)
{
    trace_frame *f = base_heap(sizeof *f);
    if (!f) base_unwind(sizeof *f);
    f->outer = t->frame;
    f->serial = trace_serial();
    return t->frame = f;
}

static void pop(trace_thread *t)
{
    trace_frame *f = t->frame;
    if (f->scope) trace_scope_close(f->scope);
    t->frame = f->outer;
    if (!f->outer) {                                     /* the root */
        for (int i = 0; i < f->ncaptured; i++) pin_release(f->captured[i].value);
        base_heap_free(f->captured);
        base_close(f->arena);
    }
    base_heap_free(f);
}

void trace_abandon_to(int depth)
{
    for (int n = trace_depth(); n > depth; n--) pop(trace_this());
}

trace_frame *trace_root(void)
{
    trace_thread *t = trace_this();
    if (t->frame) return NULL;
    trace_frame *f = frame_push(t);
    f->arena = base_open();
    return f;
}

void trace_root_close(trace_frame *root)
{
    if (!root) return;
    trace_thread *t = trace_this();
    while (t->frame != root) pop(t);
    pop(t);
}

/* The root keeps v alive until it closes. */
static void hold(trace_value *v)
{
    trace_frame *f = trace_this()->frame;
    while (f->outer) f = f->outer;
    if (f->ncaptured == f->cap) {
        const int cap = 2 * f->cap + 16;
        void *more = base_heap_grow(f->captured, (size_t)f->cap * sizeof *f->captured,
            (size_t)cap * sizeof *f->captured);
        if (!more) base_unwind((size_t)cap * sizeof *f->captured);
        f->captured = more;
        f->cap = cap;
    }
    f->captured[f->ncaptured++].value = trace_ref(v);
    pin_remove(v);
}

trace_frame *trace_begin(base_site site, base_name name, const mesh *m, int nleaf, const ir_type *const *type)
{
    trace_thread *t = trace_this();
    trace_frame *const outer = t->frame, *f = frame_push(t);
    f->arena = outer->arena;
    f->mesh = m ? m : outer->mesh;
    f->rules = outer->rules;
    f->unchecked = outer->unchecked;
    f->build = ir_begin(f->arena, name ? name : base_intern("f"), f->mesh);
    ir_site(f->build, site);
    for (int i = 0; i < nleaf; i++) ir_arg(f->build, type[i]);
    f->scope = trace_scope_open(false);
    return f;
}

trace_value *trace_param(trace_frame *f, base_site site, int i, bool weak, const trace_tree *leaf)
{
    trace_value *v = trace_traced_in(site, f->serial, (ir_id)i + 1, ir_typeof(f->build, (ir_id)i + 1), weak);
    v->tree = leaf;
    v->layout = layouts_find(f, (ir_id)i + 1);
    return v;
}

trace_value *trace_traced(base_site site, ir_id id, bool weak)
{
    trace_frame *f = trace_top();
    trace_value *v = trace_traced_in(site, f->serial, id, ir_typeof(f->build, id), weak);
    v->layout = layouts_find(f, id);
    return v;
}

/* ---- axes and the mesh ---- */

bool trace_bind_axis(trace_frame *f, trace_axis a)
{
    if (f->naxis == TRACE_AXES)
        return base_fail(TT_EMESH, NULL, "more than the limit of %d named axes in one transform", TRACE_AXES);
    f->axis[f->naxis++] = a;
    return true;
}

const trace_axis *trace_axis_find(const char *name, size_t n)
{
    for (trace_frame *f = trace_this()->frame; f; f = f->outer)
        for (int i = f->naxis; i-- > 0;)
            if (strlen(f->axis[i].name) == n && !memcmp(f->axis[i].name, name, n)) return &f->axis[i];
    return NULL;
}

const char *trace_axes_text(base_arena *a)
{
    base_text s = { .arena = a };
    for (trace_frame *f = trace_this()->frame; f; f = f->outer)
        for (int i = 0; i < f->naxis; i++)
            base_appendf(&s, "%s%s:%lld", s.n ? ", " : "", f->axis[i].name, (long long)f->axis[i].size);
    return s.n ? s.s : "none";
}

static void set_mesh(ir_fn *f, const mesh *m)            /* sets the mesh, also in regions recorded so far */
{
    f->mesh = m;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t s = 0; s < f->eqn[k].nsub; s++) if (f->eqn[k].sub[s]->mesh != m) set_mesh(f->eqn[k].sub[s], m);
}

bool trace_use_mesh(base_site site, const mesh *m, const char *spec)
{
    for (trace_frame *f = trace_this()->frame; f; f = f->outer) {
        if (f->mesh == m) continue;
        if (f->mesh) {
            base_fail(TT_EMESH, site, "two meshes in one program: %s and %s", mesh_text(trace_temp(), f->mesh),
                      mesh_text(trace_temp(), m));
            if (spec && *spec) base_caret(spec, mesh_first_name(spec));
            return base_hint("use one mesh in everything that one tt_jit or transform calls");
        }
        f->mesh = m;
        if (f->build) set_mesh(ir_build_fn(f->build), m);
    }
    return true;
}

/* ---- reading values ---- */

static ir_id literal(trace_frame *f, const trace_value *v)
{
    return v->integer ? op_int(f->build, v->type->dtype, v->i64) : op_real(f->build, v->type->dtype, v->real);
}

bool trace_is_open(base_site site, const trace_value *v)
{
    for (trace_frame *f = trace_this()->frame; f; f = f->outer) if (f->serial == v->frame) return true;
    base_fail(TT_ETRACE, site, "value of a traced function that has ended, or that another thread traces");
    base_also(v->site, "created at");
    return base_hint("what is made while a function is traced leaves it only as its result");
}

static ir_id capture(trace_frame *f, trace_value *v)
{
    for (int i = f->ncaptured; i-- > 0;) if (f->captured[i].value == v) return f->captured[i].id;
    hold(v);
    if (f->ncaptured == f->cap) {
        const int cap = 2 * f->cap + 8;
        struct trace_capture *more = BASE_NEW(f->arena, struct trace_capture, cap);
        if (f->ncaptured) memcpy(more, f->captured, (size_t)f->ncaptured * sizeof *more);
        f->captured = more;
        f->cap = cap;
    }
    ir_fn *fn = ir_build_fn(f->build);
    const uint32_t first = fn->neqn;
    const ir_id id = op_zeros(f->build, ir_type_of(v->type->dtype, v->type->rank, v->type->dim));
    if (!id) return 0;
    fn->type[id] = v->type;
    f->captured[f->ncaptured++] = (struct trace_capture){ v, id, first, fn->neqn - first };
    return layouts_of_captured(f, id, v) ? id : 0;
}

ir_id trace_id(trace_frame *f, base_site site, trace_value *v)
{
    switch (v->form) {
    case TRACE_NUMBER:
        return trace_number_fits(site, "a number by itself", v, v->type->dtype) ? literal(f, v) : 0;
    case TRACE_TRACED:
        if (v->frame == f->serial) return v->id;
        return trace_is_open(site, v) ? capture(f, v) : 0;
    case TRACE_CONCRETE: return capture(f, v);
    case TRACE_ABSTRACT:
        if (trace_this()->lowering) return capture(f, v);
        base_fail(TT_ETRACE, site, "an abstract value has no elements: %s", trace_type_text(trace_temp(), v));
        base_also(v->site, "created at");
        base_hint("tt_eval_shape(f, ...) gives the types of what f would compute, tt_plan what it would take");
        return 0;
    default:
        base_fail(TT_ELIFE, site, "value was donated at %s", v->site ? v->site : "an unknown line");
        return 0;
    }
}

/* ---- closing ---- */

/* Builds the final function: arguments are the parameters, then the captured values; placeholders are removed. */
static void close_over(trace_frame *f, ir_fn *fn)
{
    const uint32_t narg = fn->narg, extra = (uint32_t)f->ncaptured;
    ir_id *map = BASE_NEW(f->arena, ir_id, fn->nvalue + 1), next = narg + extra;
    const ir_type **type = BASE_NEW(f->arena, const ir_type *, fn->nvalue + extra + 2);
    ir_eqn *eqn = BASE_NEW(f->arena, ir_eqn, fn->neqn + 1);
    uint32_t n = 0, c = 0;
    for (ir_id i = 1; i <= narg; i++) map[i] = i, type[i] = fn->type[i];
    for (uint32_t k = 0; k < extra; k++) {
        map[f->captured[k].id] = narg + 1 + k;
        type[narg + 1 + k] = f->captured[k].value->type;
    }
    for (uint32_t k = 0; k < fn->neqn; k++) {
        while (c < extra && k >= f->captured[c].first + f->captured[c].n) c++;
        if (c < extra && k >= f->captured[c].first) continue;
        ir_eqn e = fn->eqn[k];
        ir_id *in = BASE_NEW(f->arena, ir_id, e.nin + 1);
        for (uint32_t i = 0; i < e.nin; i++) in[i] = map[e.in[i]];
        for (uint32_t j = 0; j < e.nout; j++) map[e.out + j] = next + 1 + j, type[next + 1 + j] = fn->type[e.out + j];
        e.in = in;
        e.out = next + 1;
        next += e.nout;
        eqn[n++] = e;
    }
    for (uint32_t i = 0; i < fn->nret; i++) fn->ret[i] = map[fn->ret[i]];
    fn->narg = narg + extra;
    fn->neqn = n;
    fn->nvalue = next;
    fn->eqn = eqn;
    fn->type = type;
    fn->donate = BASE_NEW(f->arena, bool, fn->narg + 1);
}

bool trace_end(trace_frame *f, base_site site, trace_value *result, trace_closed *out)
{
    trace_thread *t = trace_this();
    const int n = result ? trace_nleaf(result) : 0;
    ir_id *ret = BASE_NEW(f->arena, ir_id, n + 1);
    bool *weak = BASE_NEW(f->arena, bool, n + 1), ok = result != NULL;
    for (int i = 0; ok && i < n; i++) {
        trace_value *v = trace_leaf_of(result, i);
        ok = (ret[i] = trace_id(f, site, v)) != 0 && layouts_check(f, ret[i]);
        weak[i] = v->weak;
        /* outermost: constrained to its known layout */
        const mesh_layout *l = ok && !f->outer->build ? layouts_find(f, ret[i]) : NULL;
        if (l) ok = (ret[i] = layouts_constrain(f->build, ret[i], l, layouts_explicit(f))) != 0;
    }
    ir_fn *fn = ok ? ir_end(f->build, (uint32_t)n, ret) : NULL;
    if (fn) {
        trace_value **captured = BASE_NEW(f->arena, trace_value *, f->ncaptured + 1);
        if (f->ncaptured) close_over(f, fn);
        for (int i = 0; i < f->ncaptured; i++) captured[i] = f->captured[i].value;
        *out = (trace_closed){ fn, result->tree, weak, f->ncaptured, captured };
    }
    while (t->frame != f) pop(t);
    pop(t);
    return fn != NULL;
}
