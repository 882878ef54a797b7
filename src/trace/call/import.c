/* trace/call/import.c - programs imported from StableHLO text, as functions.
 *
 * A program is kept for the life of the process, by its text: functions are interned together with their caches, so
 * that a text that is imported a second time has the compiled programs of the first time. A call inlines the program's
 * equations into the current trace. The types of arguments must be the program's, except that C numbers are
 * converted, and that arguments may vary over the axes of a manual region, of which the text knows nothing. */
#include "../trace.h"

#include <pthread.h>
#include <string.h>

#include "../../hlo/hlo.h"
#include "../../pass/pass.h"
#include "../inner.h"

typedef struct program { struct program *next; const char *text; base_site name; const ir_fn *fn; } program;
static program *_Atomic programs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const ir_fn *import_found(base_site name, const char *text)
{
    for (const program *p = programs; p; p = p->next) if (p->name == name && !strcmp(p->text, text)) return p->fn;
    return NULL;
}

typedef struct { base_arena *arena; base_site name; const char *text; program *p; } job;

static void read_program(void *arg)
{
    job *const j = arg;
    j->arena = base_open();
    const ir_fn *f = hlo_read(j->arena, j->name, j->text);
    if (f) f = hlo_raise(j->arena, f);
    if (!f) return;
    program *const p = BASE_NEW(j->arena, program, 1);
    *p = (program){ NULL, base_copy(j->arena, j->text, strlen(j->text) + 1), j->name, f };
    j->p = p;
}

tt_fn trace_import(base_site site, base_site name, const char *text)
{
    const ir_fn *f = import_found(name, text);
    const uint64_t before = base_failures();
    if (f) return trace_fn_ir(f);
    job j = { NULL, name, text, NULL };
    const bool ended = base_catch(read_program, &j);
    if (!j.p) base_close(j.arena);
    if (!j.p && site && base_failures() != before) base_also(site, "in");        /* the error has a line of the text */
    if (!ended) base_unwind(0);
    if (!j.p) return (tt_fn){ 0, 0 };
    pthread_mutex_lock(&lock);
    j.p->next = programs;
    programs = j.p;
    pthread_mutex_unlock(&lock);
    return trace_fn_ir(j.p->fn);
}

const ir_fn *trace_fn_imported(base_site site, tt_fn h)
{
    const trace_fn *const f = trace_fn_get(site, h);
    if (f && f->key->kind == FN_IR) return f->key->ir;
    if (f) base_fail(TT_EARG, site, "%s was not imported; expected a function of tt_import", fn_name(f));
    return NULL;
}

static ir_id fitted(base_site site, const trace_fn *f, int i, const trace_value *leaf, ir_id id)
{
    ir_build *const b = trace_builder(trace_top());
    const ir_type *const want = f->key->ir->type[i + 1], *const have = ir_typeof(b, id);
    if (!id || !have) return 0;
    if (leaf->weak) id = op_convert(b, id, want->dtype);
    if (ir_same_dims(ir_typeof(b, id), want) && ir_typeof(b, id)->dtype == want->dtype) return id;
    base_fail(TT_ETYPE, site, "argument %d of %s is %s; expected %s", i, fn_name(f), trace_text(have),
              trace_text(want));
    trace_cite(leaf);
    return 0;
}

trace_value *call_ir(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    trace_frame *const t = trace_top();
    const ir_fn *fn = f->key->ir;
    const int nleaf = fn_leaves(n, args);
    ir_id *const in = BASE_NEW(t->arena, ir_id, fn->narg + 1), *const out = BASE_NEW(t->arena, ir_id, fn->nret + 1);
    if (nleaf != (int)fn->narg) {
        base_fail(TT_EARG, site, "%s takes %u arrays, not %d", fn_name(f), fn->narg, nleaf);
        return NULL;
    }
    if (fn->mesh && !trace_use_mesh(site, fn->mesh, NULL)) return NULL;
    for (int i = 0, at = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            trace_value *const leaf = trace_leaf_of(args[i], l);
            if (!(in[at] = fitted(site, f, at, leaf, trace_id(t, site, leaf)))) return NULL;
        }
    if (fn->mesh != trace_mesh(t) && !(fn = pass_on_mesh(t->arena, fn, trace_mesh(t)))) return NULL;
    const ir_type **const type = BASE_NEW(t->arena, const ir_type *, fn->narg + 1);
    for (uint32_t i = 0; i < fn->narg; i++) type[i] = ir_typeof(trace_builder(t), in[i]);
    if (!(fn = op_varying(t->arena, fn, type)) || !ir_inline(trace_builder(t), fn, in, out)) return NULL;
    const trace_tree **const leaf = BASE_NEW(t->arena, const trace_tree *, fn->nret + 1);
    for (uint32_t j = 0; j < fn->nret; j++) leaf[j] = trace_leaf(NULL, false);
    return fn_opened(site, fn->nret == 1 ? leaf[0] : trace_tuple_of((int)fn->nret, leaf), out, NULL);
}
