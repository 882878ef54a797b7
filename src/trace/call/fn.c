/* trace/call/fn.c - functions as values: C functions, functions with an environment, and transforms of functions.
 *
 * A function is interned by everything that defines it (address, bytes of its environment, options, the transformed
 * function, the line of the call), so that tt_jit(f) in a loop is one function and keeps its cache. A handle is a
 * number and a check word, by which an uninitialised handle is detected. */
#include "../trace.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../inner.h"

enum { CHUNK = 256, CHUNKS = 1 << 14, BUCKETS = 4096 };
static trace_fn *_Atomic chunk[CHUNKS];
static uint32_t nfn = 1, bucket[BUCKETS], *chain;        /* by hash of the key's address; chain[slot]: the next one */
static size_t nchain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t check_word(uint32_t slot) { return (slot * 2246822519u) ^ 0x7474666eu; }

static trace_fn *fn_at(uint32_t slot)
{
    trace_fn *c = slot / CHUNK < CHUNKS ? atomic_load_explicit(&chunk[slot / CHUNK], memory_order_acquire) : NULL;
    return c ? &c[slot % CHUNK] : NULL;
}

trace_fn *trace_fn_get(base_site site, tt_fn h)
{
    if (h.slot && h.born == check_word(h.slot)) return fn_at(h.slot);
    if (!base_failed() || h.slot) base_fail(TT_ELIFE, site, "no function: this tt_fn is empty or was never set");
    return NULL;
}

tt_fn trace_fn_handle(const trace_fn *f) { return f ? (tt_fn){ f->slot, check_word(f->slot) } : (tt_fn){ 0, 0 }; }

static trace_fn *fn_lookup(const fn_key *k)              /* under the lock */
{
    for (uint32_t s = bucket[((uintptr_t)k >> 4) % BUCKETS]; s; s = chain[s]) if (fn_at(s)->key == k) return fn_at(s);
    return NULL;
}

/* True if there is capacity for one more function: allocated before the lock is taken, since an allocation may
 * unwind. */
static bool fn_reserve(void)
{
    if (nfn / CHUNK >= CHUNKS) return false;
    if (nfn + 1 > nchain) {
        const size_t n = 2 * nchain + 256;
        uint32_t *more = base_heap_grow(chain, nchain * sizeof *chain, n * sizeof *chain);
        if (!more) return false;
        chain = more;
        nchain = n;
    }
    if (!atomic_load(&chunk[nfn / CHUNK])) {
        trace_fn *c = base_heap(CHUNK * sizeof *c);
        if (!c) return false;
        atomic_store(&chunk[nfn / CHUNK], c);
    }
    return true;
}

static trace_fn *interned(const fn_key *key)
{
    const fn_key *k = base_intern_bytes(key, sizeof *key);
    pthread_mutex_lock(&lock);
    trace_fn *f = fn_lookup(k);
    if (!f && fn_reserve()) {
        const uint32_t slot = nfn++;
        f = fn_at(slot);
        f->key = k;
        f->slot = slot;
        uint32_t *b = &bucket[((uintptr_t)k >> 4) % BUCKETS];
        chain[slot] = *b;
        *b = slot;
    }
    pthread_mutex_unlock(&lock);
    if (!f) base_unwind(sizeof *f);
    return f;
}

static void clear(fn_key *k, fn_kind kind)
{
    memset(k, 0, sizeof *k);
    k->kind = kind;
}

/* ---- names ---- */

base_name fn_name(const trace_fn *f)
{
    while (f->key->f) f = f->key->f;
    const base_name name = atomic_load_explicit(&f->name, memory_order_acquire);   /* its text too */
    return name ? name : "f";
}

static tt_fn fn_named(trace_fn *f, const char *name)
{
    if (name && !atomic_load(&f->name)) atomic_store(&f->name, base_intern(name));
    return trace_fn_handle(f);
}

/* The beginning of argument i of a call: after its '(' and i commas that are in no inner parentheses. */
static const char *argument_of(const char *s, int i)
{
    int depth = 0;
    bool text = false;
    for (; i && *s; s++) {
        if (*s == '"' && s[-1] != '\\') text = !text;
        if (text) continue;
        depth += (*s == '(' || *s == '{') - (*s == ')' || *s == '}');
        if (depth < 0) return "";
        i -= !depth && *s == ',';
    }
    return s + strspn(s, " ");
}

static bool is_nameless(const trace_fn *f)
{
    return !f->key->f && !atomic_load_explicit(&f->name, memory_order_relaxed);
}

/* Names f by the text of argument i: "mlp.c:31: tt_fori(0, n, body, s)" has body as argument 2. */
void trace_fn_named(trace_fn *f, base_site site, int i)
{
    const char *s = site && is_nameless(f) ? strchr(site, '(') : NULL;
    size_t n = 0;
    if (!s) return;
    s = argument_of(s + 1, i);
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    if (n && !isdigit((unsigned char)*s) && strchr(",) ", s[n])) atomic_store(&f->name, base_intern_n(s, n));
}

/* Names f by its position as first argument: "mlp.c:31: tt_grad(loss, .aux = 1)" has loss. */
void fn_named_by(trace_fn *f, base_site site)
{
    static const char *const no[] = { "tt_cond(", "tt_switch(", "tt_fori(" };
    const char *const s = site && is_nameless(f) ? strchr(site, '(') : NULL;
    for (size_t i = 0; s && i < sizeof no / sizeof *no; i++) {
        const size_t n = strlen(no[i]) - 1;
        if ((size_t)(s - site) >= n && !strncmp(s - n, no[i], n)) return;
    }
    if (s) trace_fn_named(f, site, 0);
}

tt_fn trace_fn_c(const char *name, int arity, void (*f)(void))
{
    fn_key k;
    clear(&k, FN_C);
    if (!f) return (tt_fn){ 0, 0 };  /* the call that gets the handle reports the error, with a line */
    k.arity = arity;
    k.c = f;
    return fn_named(interned(&k), name);
}

tt_fn trace_fn_env(const char *name, tt_env_f *f, void *env, size_t size, int nargs)
{
    fn_key k;
    if (!f || (size && !env)) {
        base_fail(TT_EARG, NULL, "tt_bind_env: the %s is NULL", f ? "environment" : "function");
        return (tt_fn){ 0, 0 };
    }
    clear(&k, FN_ENV);
    k.arity = nargs;
    k.env_f = f;
    k.env = size ? (void *)(uintptr_t)base_intern_bytes(env, size) : env;
    k.env_bytes = (int64_t)size;
    return fn_named(interned(&k), name);
}

/* Begins a transform's key: the function, the line. Returns false with the error set if the function is invalid. */
static bool fn_begin(fn_key *k, fn_kind kind, base_site site, tt_fn f)
{
    clear(k, kind);
    k->site = site;
    k->f = trace_fn_get(site, f);
    if (k->f) fn_named_by(k->f, site);
    return k->f != NULL;
}

static const tt_fn none = { 0, 0 };

tt_fn trace_fn_ir(const ir_fn *ir)
{
    fn_key k;
    clear(&k, FN_IR);
    k.ir = ir;
    return fn_named(interned(&k), ir->name);
}

/* True if the text lists argument numbers, each once, that are below the function's arity; else sets the error. If the
 * arity is unknown, the call checks the numbers. */
static bool fn_check_numbers(base_site site, const char *what, const char *text, const trace_fn *f)
{
    const fn_key *k = f->key;
    const bool known = (k->kind == FN_C || k->kind == FN_ENV) && k->arity >= 0;
    int *list = BASE_NEW(trace_temp(), int, strlen(text ? text : "") + 1);
    return !text || fn_numbers(site, what, text, known ? k->arity : INT_MAX, list, INT_MAX) >= 0;
}

tt_fn trace_fn_jit(base_site site, tt_fn f, const tt_jit_opts *o, bool any_gather)
{
    fn_key k;
    if (!fn_begin(&k, FN_JIT, site, f)) return none;
    k.mesh = o->mesh.p ? o->mesh.p : trace_used(&k.rules);
    if (o->rules) k.rules = base_intern(o->rules);
    k.in = base_intern(o->in);
    k.out = base_intern(o->out);
    k.donate = base_intern(o->donate);
    k.flag = o->reproducible;
    k.length = any_gather ? -1 : o->strict;
    if ((k.in || k.out || k.rules) && !k.mesh && !(k.rules && !k.in && !k.out)) {
        base_fail(TT_EMESH, site, "tt_jit: specs in .in or .out without a mesh");
        base_hint("give .mesh = mesh, or call tt_jit inside TT_WITH(mesh)");
        return none;
    }
    if (k.rules && !trace_rules_ok(site, k.mesh, k.rules)) return none;
    if (!fn_check_numbers(site, ".donate", k.donate, k.f)) return none;
    if (o->strict < 0) {
        base_fail(TT_EARG, site, "tt_jit: .strict is %lld bytes; expected 0 or more", (long long)o->strict);
        base_hint("0 allows every gather; 1 none that was not requested; n > 1 gathers of up to n bytes");
        return none;
    }
    return trace_fn_handle(interned(&k));
}

static tt_fn derivative(fn_kind kind, const char *what, base_site site, tt_fn f, const tt_grad_opts *o, bool value)
{
    fn_key k;
    if (!fn_begin(&k, kind, site, f)) return none;
    if (o->wrt && !o->wrt[strspn(o->wrt, ", \t\n")]) {
        base_fail(TT_EARG, site, "%s: .wrt = \"%s\" names no argument", what, o->wrt);
        base_hint("\"0\" is the first argument, the default; \"0, 2\" gives a tuple of %s",
                  kind == FN_GRAD ? "gradients" : "jacobians");
        return none;
    }
    k.wrt = base_intern(o->wrt ? o->wrt : "0");
    if (!fn_check_numbers(site, ".wrt", o->wrt, k.f)) return none;
    k.flag = o->aux != 0;
    k.value = value;
    return trace_fn_handle(interned(&k));
}

tt_fn trace_fn_grad(base_site site, tt_fn f, const tt_grad_opts *o, bool value)
{
    return derivative(FN_GRAD, value ? "value_and_grad" : "grad", site, f, o, value);
}
tt_fn trace_fn_jacobian(base_site site, tt_fn f, const tt_grad_opts *o, bool reverse)
{
    return derivative(reverse ? FN_JACREV : FN_JACFWD, reverse ? "jacrev" : "jacfwd", site, f, o, false);
}

static tt_fn simple(fn_kind kind, base_site site, tt_fn f)
{
    fn_key k;
    return fn_begin(&k, kind, site, f) ? trace_fn_handle(interned(&k)) : none;
}

tt_fn trace_fn_jvp(base_site site, tt_fn f) { return simple(FN_JVP, site, f); }
tt_fn trace_fn_vjp(base_site site, tt_fn f) { return simple(FN_VJP, site, f); }
tt_fn trace_fn_hessian(base_site site, tt_fn f) { return simple(FN_HESSIAN, site, f); }
tt_fn trace_fn_linearize(base_site site, tt_fn f) { return simple(FN_LINEARIZE, site, f); }
tt_fn trace_fn_linear(base_site site, tt_fn f) { return simple(FN_LINEAR, site, f); }
tt_fn trace_fn_remat(base_site site, tt_fn f, base_name policy)
{
    fn_key k;
    if (!fn_begin(&k, FN_REMAT, site, f)) return none;
    k.wrt = policy;
    return trace_fn_handle(interned(&k));
}

/* True unless `rule` is a C function with another number of parameters; functions of other kinds are checked when they
 * are called. */
static bool takes(base_site site, const char *what, const trace_fn *rule, int n, const char *which)
{
    const fn_key *k = rule->key;
    if ((k->kind != FN_C && k->kind != FN_ENV) || k->arity < 0 || k->arity == n) return true;
    return base_fail(TT_EARG, site, "%s takes %d values (%s); the function given takes %d", what, n, which, k->arity);
}

tt_fn trace_fn_custom_vjp(base_site site, tt_fn f, tt_fn fwd, tt_fn bwd)
{
    fn_key k;
    if (!fn_begin(&k, FN_CUSTOM_VJP, site, f) || !(k.g = trace_fn_get(site, fwd)) || !(k.h = trace_fn_get(site, bwd)))
        return none;
    return takes(site, "bwd of tt_custom_vjp", k.h, 2, "residuals, cotangent") ? trace_fn_handle(interned(&k)) : none;
}

tt_fn trace_fn_custom_jvp(base_site site, tt_fn f, tt_fn rule)
{
    fn_key k;
    if (!fn_begin(&k, FN_CUSTOM_JVP, site, f) || !(k.g = trace_fn_get(site, rule))) return none;
    return takes(site, "the rule of tt_custom_jvp", k.g, 2, "primals, tangents") ? trace_fn_handle(interned(&k)) : none;
}

tt_fn trace_fn_custom_tangent(base_site site, tt_fn f, tt_fn tangent)
{
    fn_key k;
    if (!fn_begin(&k, FN_CUSTOM_TANGENT, site, f) || !(k.g = trace_fn_get(site, tangent))) return none;
    return takes(site, "the rule of tt_custom_tangent", k.g, 3, "primals, result, tangents")
               ? trace_fn_handle(interned(&k)) : none;
}

/* True if the name is NULL or usable by a collective: letters, digits and '_', as in the names of mesh axes. */
static bool axis_word(base_site site, const char *what, const char *axis)
{
    size_t n = 0;
    while (axis && (isalnum((unsigned char)axis[n]) || axis[n] == '_')) n++;
    if (!axis || (n && !axis[n] && !isdigit((unsigned char)*axis) && strcmp(axis, "_"))) return true;
    base_fail(TT_EARG, site, "%s: .axis = \"%s\" is not the name of an axis", what, axis);
    return base_hint("a name is one word of letters, digits and '_'; leave .axis out where no collective names the "
                     "axis");
}

tt_fn trace_fn_vmap(base_site site, tt_fn f, const tt_vmap_opts *o, int64_t length)
{
    fn_key k;
    if (!fn_begin(&k, FN_VMAP, site, f) || !axis_word(site, "tt_vmap", o->axis)) return none;
    k.axis = base_intern(o->axis);
    k.in = base_intern(o->in);
    k.out = base_intern(o->out);
    k.length = length;
    return trace_fn_handle(interned(&k));
}

tt_fn trace_fn_pmap(base_site site, tt_fn f, const tt_pmap_opts *o)
{
    fn_key k;
    if (!fn_begin(&k, FN_PMAP, site, f) || !axis_word(site, "tt_pmap", o->axis)) return none;
    k.axis = base_intern(o->axis);
    k.in = base_intern(o->in);
    k.out = base_intern(o->out);
    k.donate = base_intern(o->donate);
    k.mesh = o->mesh.p ? o->mesh.p : trace_used(NULL);
    return fn_check_numbers(site, ".donate", k.donate, k.f) ? trace_fn_handle(interned(&k)) : none;
}

tt_fn trace_fn_shard_map(base_site site, tt_fn f, const tt_shard_map_opts *o)
{
    fn_key k;
    if (!fn_begin(&k, FN_SHARD_MAP, site, f)) return none;
    k.mesh = o->mesh.p ? o->mesh.p : trace_used(NULL);
    if (!k.mesh) {
        base_fail(TT_EMESH, site, "tt_shard_map: there is no mesh");
        base_hint("give .mesh = mesh, or call tt_shard_map inside TT_WITH(mesh)");
        return none;
    }
    k.in = base_intern(o->in);
    k.out = base_intern(o->out);
    k.axes = base_intern(o->axes);
    if (k.axes && !k.axes[strspn(k.axes, ", \t\n")]) {
        base_fail(TT_ESPEC, site, "tt_shard_map: .axes = \"%s\" names no axis", k.axes);
        base_hint("list the manual axes, separated by ','; without .axes all are manual");
        return none;
    }
    k.flag = o->unchecked != 0;
    return trace_fn_handle(interned(&k));
}
