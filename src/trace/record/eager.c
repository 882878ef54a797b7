/* trace/record/eager.c - pieces of IR outside a trace: recorded once per operand types, compiled, cached, launched.
 *
 * The key of a cached piece is the function that writes the piece, the bytes of its environment, and type and layout of
 * each operand: interned pointers, so that a call costs a short hash and one comparison. C numbers become scalar arrays
 * here. */
#include "../trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../inner.h"

typedef struct piece {
    trace_waiting wait;
    struct piece *next;
    uint64_t hash, used;
    size_t size;
    run_program *program;                                /* a counted reference */
    unsigned char key[];
} piece;
enum { BUCKETS = 1024, KEEP = 2048 };
static piece *bucket[BUCKETS];
static size_t npiece;
static uint64_t tick;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void piece_free(void *p)
{
    driver_release_program(((piece *)p)->program);
    base_heap_free(p);
}

/* Removes, under the lock, the pieces not used since tick `since`; removed pieces are linked by `next`. */
static piece *unused(uint64_t since)
{
    piece *gone = NULL;
    for (int i = 0; i < BUCKETS; i++)
        for (piece **at = &bucket[i], *p; (p = *at);) {
            if (p->used > since) {
                at = &p->next;
                continue;
            }
            *at = p->next, p->next = gone, gone = p;
            npiece--;
        }
    return gone;
}

static void retire(piece *gone)
{
    for (piece *next; gone; gone = next) {
        next = gone->next;
        trace_retire(&gone->wait, piece_free);
    }
}

void trace_eager_forget(void)
{
    pthread_mutex_lock(&lock);
    piece *gone = unused(UINT64_MAX);
    pthread_mutex_unlock(&lock);
    retire(gone);
}

static run_program *eager_find(uint64_t hash, const void *key, size_t size) /* the caller is inside (retire.c) */
{
    run_program *got = NULL;
    pthread_mutex_lock(&lock);
    for (piece *p = bucket[hash % BUCKETS]; p && !got; p = p->next)
        if (p->hash == hash && p->size == size && !memcmp(p->key, key, size)) got = p->program, p->used = tick;
    pthread_mutex_unlock(&lock);
    return got;
}

static void eager_keep(uint64_t hash, const void *key, size_t size, run_program *program) /* takes the reference */
{
    piece *p = base_heap(sizeof *p + size), *gone = NULL;
    if (!p) {
        driver_release_program(program);
        base_unwind(size);
    }
    p->hash = hash;
    p->size = size;
    p->program = program;
    memcpy(p->key, key, size);
    pthread_mutex_lock(&lock);
    if (npiece >= KEEP) gone = unused(tick - KEEP / 2);  /* not used while half the capacity was created */
    p->used = ++tick;
    p->next = bucket[hash % BUCKETS];
    bucket[hash % BUCKETS] = p;
    npiece++;
    pthread_mutex_unlock(&lock);
    retire(gone);
}

/* ---- data ---- */

trace_value *trace_number_as(trace_value *v, tt_dtype dtype)
{
    trace_value *c = trace_number(v->site, dtype, v->integer ? (double)v->i64 : v->real,
                                  v->integer ? v->i64 : (int64_t)v->real);
    c->weak = false;
    return c;
}

run_array *trace_data(base_site site, trace_value *v)
{
    if (v->form == TRACE_CONCRETE) return run_keep(v->array);
    if (v->form == TRACE_NUMBER) {
        if (!trace_number_fits(site, "a number by itself", v, v->type->dtype)) return NULL;
        unsigned char buffer[16] = { 0 };
        const ir_class c = ir_dtype_of(v->type->dtype)->cls;
        const ir_box box = ir_box_of(buffer, v->type->dtype, 0, NULL, NULL);
        const int64_t none[1] = { 0 };
        ir_store(&box, none,
                 c == IR_BOOL_CLASS ? (ir_num){ .b = v->i64 != 0 }
                 : v->integer       ? (ir_num){ .i = v->i64 }
                                    : (ir_num){ .c = { v->real, 0 } });  /* re overlaps the place of a real number */
        return run_array_of(v->type, NULL, buffer);
    }
    if (v->form == TRACE_DONATED) {
        base_fail(TT_ELIFE, site, "value was donated at %s", v->site ? v->site : "an unknown line");
    } else if (v->form == TRACE_ABSTRACT) {
        base_fail(TT_ETRACE, site, "an abstract value has no elements: %s", trace_type_text(trace_temp(), v));
        base_also(v->site, "created at");
        base_hint("tt_eval_shape(f, ...) gives the types of what f would compute, tt_plan what it would take");
    } else if (trace_top()) {
        base_fail(TT_ETRACE, site, "the elements of %s are known only when the traced function runs",
                  trace_type_text(trace_temp(), v));
        base_also(v->site, "created at");
        base_hint("use tt_cond, tt_while or tt_where; or return the value and read it outside");
    } else {
        trace_is_open(site, v);                          /* nothing is traced on this thread: sets the error */
    }
    return NULL;
}

bool trace_number_of(base_site site, const char *what, trace_value *v, double *out)
{
    if (!v->type || ir_count(v->type) != 1) {
        base_fail(TT_ESHAPE, site, "%s takes a value of one element, not %s", what, trace_type_text(trace_temp(), v));
        return trace_cite(v);
    }
    const ir_class c = ir_dtype_of(v->type->dtype)->cls;
    if (c == IR_COMPLEX_CLASS) {
        base_fail(TT_ETYPE, site, "%s takes a real number, not %s", what, trace_type_text(trace_temp(), v));
        base_hint("take tt_real, tt_imag or tt_abs of the value");
        return trace_cite(v);
    }
    if (v->form == TRACE_NUMBER) {
        *out = v->integer ? (double)v->i64 : v->real;
        return true;
    }
    unsigned char buffer[16] = { 0 };
    run_array *a = trace_data(site, v);
    const bool ok = a && run_read(a, NULL, NULL, buffer);
    run_drop(a);
    if (!ok) return false;
    const ir_box box = ir_box_of(buffer, v->type->dtype, 0, NULL, NULL);
    const int64_t none[1] = { 0 };
    const ir_num x = ir_load(&box, none);
    *out = c == IR_BOOL_CLASS ? x.b : c == IR_INT_CLASS ? (double)x.i : c == IR_UINT_CLASS ? (double)x.u : x.f;
    return true;
}

/* ---- pieces ---- */

bool trace_one_mesh(base_site site, int n, trace_value *const *x)
{
    const trace_value *first = NULL;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(x[i]); l++) {
            const trace_value *const v = trace_leaf_of(x[i], l);
            if (!v->layout || !v->layout->mesh) continue;
            if (!first) first = v;
            if (mesh_same_devices(first->layout->mesh, v->layout->mesh)) continue;
            base_fail(TT_EMESH, site, "values on two meshes that differ in their devices: %s and %s",
                      mesh_text(trace_temp(), first->layout->mesh), mesh_text(trace_temp(), v->layout->mesh));
            trace_cite(first);
            trace_cite(v);
            return base_hint("move one value to the other's mesh with tt_shard");
        }
    return true;
}

static const mesh *mesh_among(int n, trace_value *const *x)
{
    for (int i = 0; i < n; i++) if (x[i]->layout && x[i]->layout->mesh) return x[i]->layout->mesh;
    return NULL;
}

static base_name name_at(base_site site)                 /* "mlp.c:42: tt_matmul(h, w2)": tt_matmul */
{
    const char *call = site ? strstr(site, ": ") : NULL;
    const size_t n = call ? strcspn(call + 2, "( ") : 0;
    return n ? base_intern_n(call + 2, n) : base_intern("eager");
}

static run_program *write_piece(base_site site, trace_body *body, const void *env, int n, trace_value *const *x,
                                int nout)
{
    if (!trace_one_mesh(site, n, x)) return NULL;
    trace_frame *const root = trace_root();
    trace_frame *const here = trace_this()->frame;
    base_arena *const a = here->arena;
    ir_build *b = ir_begin(a, name_at(site), mesh_among(n, x));
    ir_id *in = BASE_NEW(a, ir_id, n + 1), *out = BASE_NEW(a, ir_id, nout + 1);
    const mesh_layout **layout = BASE_NEW(a, const mesh_layout *, n + 1);
    run_program *p = NULL;
    for (int i = 0; i < n; i++)
        in[i] = ir_arg(b, x[i]->type), layout[i] = x[i]->form == TRACE_CONCRETE ? x[i]->layout : NULL;
    ir_site(b, site);
    if (body(b, in, out, env) && layouts_constrain_piece(b, layout, nout, out)) {
        const ir_fn *f = ir_end(b, (uint32_t)nout, out);
        if (f) p = driver_compile(f, &(driver_opts){ .in = layout, .piece = true });
    }
    trace_root_close(root);
    return p;
}

static bool cite_all(int n, trace_value *const *x)
{
    base_uncite();                                       /* cite the user's operands, not the equation's */
    for (int i = 0; i < n && i < 4; i++) trace_cite(x[i]);
    return false;
}

static bool run_piece(base_site site, trace_body *body, const void *env, size_t size, int n, trace_value *const *x,
                      int nout, trace_value **out)
{
    unsigned char key[1024];
    const uint64_t settings = trace_settings();
    const void *const line = trace_checks() ? site : NULL;      /* errors of the program name its line */
    const size_t each = 2 * sizeof(void *);
    const size_t total = sizeof body + size + (size_t)n * each + sizeof(int) + sizeof settings + sizeof line;
    unsigned char *k = total <= sizeof key ? key : base_new(trace_temp(), total), *at = k;
    memcpy(at, &body, sizeof body), at += sizeof body;
    if (size) memcpy(at, env, size), at += size;
    for (int i = 0; i < n; i++, at += each) {
        const void *pair[2] = { x[i]->type, x[i]->form == TRACE_CONCRETE ? x[i]->layout : NULL };
        memcpy(at, pair, each);
    }
    memcpy(at, &(int){ run_engine_number() }, sizeof(int)), at += sizeof(int);
    memcpy(at, &settings, sizeof settings), at += sizeof settings;
    memcpy(at, &line, sizeof line);
    trace_thread *t = trace_this();
    const int outside = t->inside;
    trace_inside(t);  /* the piece may be removed, but lives until this thread leaves */
    const bool dry = run_dry();
    const uint64_t hash = base_hash(17, k, total);
    run_program *p = dry ? NULL : eager_find(hash, k, total);
    if (!p) {
        if (!(p = write_piece(site, body, env, n, x, nout))) {
            trace_outside_to(t, outside);
            return cite_all(n, x);
        }
        if (!dry) eager_keep(hash, k, total, p);
    }
    run_array *few[8], **in = n <= 8 ? few : BASE_NEW(trace_temp(), run_array *, n);
    run_array *one[4], **res = nout <= 4 ? one : BASE_NEW(trace_temp(), run_array *, nout);
    int got = 0;
    while (got < n && (in[got] = trace_pin(trace_data(site, x[got])))) got++;
    if (!pin_reserve(nout)) base_unwind((size_t)nout * sizeof *res);
    const bool ok = got == n && run_launch(p, in, NULL, res);
    if (dry) driver_release_program(p);
    trace_outside_to(t, outside);
    for (int j = 0; ok && j < nout; j++) trace_pin(res[j]);
    for (int i = 0; i < got; i++) trace_drop(in[i]);
    for (int j = 0; ok && j < nout; j++) out[j] = trace_concrete(site, res[j], false);
    return ok;
}

void trace_log(base_site site, int n, trace_value *const *y)     /* TUTTI=trace: prints each call as it is recorded */
{
    if (!base_switch("trace")) return;
    base_text t = { .arena = trace_temp() };
    for (int j = 0; j < n; j++) base_appendf(&t, "%s%s", j ? ", " : "", trace_text(y[j]->type));
    base_log("trace %*s%s -> %s", 2 * (trace_depth() - 2), "", site ? site : "(no line)", t.s ? t.s : "nothing");
}

bool trace_do(base_site site, trace_body *body, const void *env, size_t size, int n, trace_value *const *x, int nout,
              trace_value **out)
{
    trace_frame *f = trace_top();
    if (!f) return run_piece(site, body, env, size, n, x, nout, out);
    ir_id *in = BASE_NEW(f->arena, ir_id, n + 1), *y = BASE_NEW(f->arena, ir_id, nout + 1);
    for (int i = 0; i < n; i++) if (!(in[i] = trace_id(f, site, x[i]))) return false;
    ir_site(f->build, site);
    bool ok = body(f->build, in, y, env);
    for (int j = 0; ok && j < nout; j++) ok = y[j] != 0;
    if (ok && !layouts_update(f)) return false;          /* the error already names its operands */
    for (int j = 0; ok && j < nout; j++) out[j] = trace_traced(site, y[j], false);
    if (ok) trace_log(site, nout, out);
    return ok || cite_all(n, x);
}
