/* trace/call/lower.c - functions traced without being run: shapes, IR text, programs, exchanges, and memory.
 *
 * Arguments and captured values may be shapes (tt_shape): nothing is computed, so no elements are needed. A jit on a
 * mesh is partitioned to obtain the layouts of its results. */
#include "../trace.h"

#include "../../hlo/hlo.h"
#include "../../pass/pass.h"
#include "../inner.h"

typedef struct { base_site site; trace_fn *f; int n; trace_value *const *args; const char *what; } looking;

/* Traces q->f as a call would, without running it; captured values may be abstract. The caller closes the root. */
static trace_frame *lower_trace(const looking *q, jit_traced *t, bool *ok)
{
    trace_frame *root = trace_root();
    *ok = false;
    if (!root) {
        base_fail(TT_ETRACE, q->site, "the %s of a function, requested while another function is traced", q->what);
        return NULL;
    }
    trace_this()->lowering++;
    *ok = jit_trace(q->site, q->f, q->n, q->args, t);
    trace_this()->lowering--;
    if (!*ok) trace_chain();
    return root;
}

bool trace_lower(base_site site, trace_fn *f, int n, trace_value *const *args, const char *what, bool plan,
                 base_arena *a, driver_lowered *view)
{
    const looking q = { site, f, n, args, what };
    jit_traced t;
    bool ok;
    trace_frame *root = lower_trace(&q, &t, &ok);
    if (ok) ok = (t.opts.donate = jit_donated(site, f->key, root->arena, n, args, t.c.ncaptured)) != NULL;
    if (ok) ok = driver_lower(a, t.c.fn, &t.opts, plan, view) || trace_chain();
    trace_root_close(root);
    return ok;
}

/* Types by tracing; layouts too if the function is a jit on a mesh, which is then partitioned for them. */
trace_value *trace_shapes(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    trace_frame *root = trace_root();
    base_arena *a = trace_this()->frame->arena;
    const fn_sig s = fn_sig_of(a, n, args);
    jit_traced t = { 0 };
    driver_lowered view = { 0 };
    trace_value *y = NULL;
    trace_this()->lowering++;
    const bool laid_out = root && f->key->kind == FN_JIT && jit_mesh(f, n, args);
    const bool ok = laid_out ? jit_trace(site, f, n, args, &t) && driver_lower(a, t.c.fn, &t.opts, false, &view)
                             : fn_close(site, f, &s, NULL, &t.c);
    trace_this()->lowering--;
    if (ok) {
        const ir_fn *fn = t.c.fn;
        trace_value **leaf = BASE_NEW(a, trace_value *, fn->nret + 1);
        for (uint32_t j = 0; j < fn->nret; j++) {
            const mesh_layout *l = view.fn ? view.fn->layout[view.fn->ret[j]] : NULL;
            leaf[j] = trace_abstract(site, fn->type[fn->ret[j]], l, t.c.weak[j]);
            leaf[j]->tree = trace_leaf_at(t.c.out, (int)j);
        }
        y = trace_tree_value(site, t.c.out, leaf);
        for (uint32_t j = 0; j < fn->nret; j++) trace_unref(leaf[j]);
    }
    trace_root_close(root);
    return y;
}

/* The text that `write` produces from the function's IR; the text lives until the outermost entry returns. */
static const char *lower_text_of(const looking *q, const char *(*write)(base_arena *, const ir_fn *))
{
    jit_traced t;
    bool ok;
    trace_frame *root = lower_trace(q, &t, &ok);
    const char *s = ok ? write(trace_temp(), t.c.fn) : NULL;
    trace_root_close(root);
    return s;
}

const char *trace_ir_text(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    return lower_text_of(&(looking){ site, f, n, args, "text" }, ir_print);
}

/* Exports with the call's layouts of arguments and results, and its donated arguments. */
const char *trace_export(base_site site, trace_fn *f, int n, trace_value *const *args, bool by_axes)
{
    const looking q = { site, f, n, args, "export" };
    jit_traced t;
    bool ok;
    trace_frame *root = lower_trace(&q, &t, &ok);
    const ir_fn *fn = ok ? t.c.fn : NULL;
    const mesh *m = ok ? root->mesh : NULL;
    hlo_borders k = { .by_axes = by_axes };
    if (fn) k.donate = jit_donated(site, f->key, root->arena, n, args, t.c.ncaptured);
    if (fn && m && fn->mesh != m) fn = pass_on_mesh(root->arena, fn, m);
    if (m) k.in = t.opts.in, k.out = t.opts.out;
    const char *s = fn && k.donate ? hlo_write_with(trace_temp(), fn, &k) : NULL;
    trace_root_close(root);
    return s;
}

run_program *trace_program(base_site site, trace_fn *f, int n, trace_value *const *args, double *trace_s,
                           double *compile_s)
{
    const looking q = { site, f, n, args, "plan" };
    jit_traced t;
    bool ok;
    const double begin = base_seconds();
    trace_frame *root = lower_trace(&q, &t, &ok);
    const double middle = base_seconds();
    run_program *p = NULL;
    if (ok) t.opts.donate = jit_donated(site, f->key, root->arena, n, args, t.c.ncaptured);
    if (ok && t.opts.donate) p = driver_compile(t.c.fn, &t.opts);
    if (trace_s) *trace_s = middle - begin;
    if (compile_s) *compile_s = base_seconds() - middle;
    trace_root_close(root);
    return p;
}
