/* api/error.c - entries, and errors reported once: message, site, operands with their lines, transforms, hint.
 *
 *     error: matmul: inner dimensions differ: 1024 and 256
 *       at   demo.c:7: tt_matmul(h, w2)
 *       #0   f32[64, 1024]  from demo.c:6: tt_relu(tt_matmul(x, w1))
 *       #1   f32[256, 10]   from demo.c:22: tt_zeros(TT_F32, 256, 10)
 *       in   tt_value_and_grad(loss) at demo.c:31
 *       hint: ...
 *
 * A thread keeps its first error until tt_clear(). A handler set by tt_on_error() receives it instead of stderr. */
#include "api.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../base/thread.h"
#include "../wire/wire.h"

static _Thread_local tt_entry entered;                   /* the outermost running TT_ENTRY, and their number */
static _Thread_local uint64_t program_mode;              /* of the processor, before the first TT_ENTRY that runs */
static _Thread_local int paused;                         /* entries that a tt_entry_pause suspends */
static _Thread_local struct {
    char *buffer; size_t capacity; const char *text;
    tt_error_info info;
    bool done;
} reported;

static struct { void (*handler)(const tt_error_info *, void *); void *env; } on_error;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tt_on_error_break(void);
__attribute__((noinline)) void tt_on_error_break(void) { __asm__ volatile(""); }   /* a breakpoint for debuggers */

/* Writes "mlp.c:31: tt_grad(loss)" as "tt_grad(loss) at mlp.c:31". */
static int put_call(char *s, size_t capacity, base_site site)
{
    const char *colon = site ? strstr(site, ": ") : NULL;
    if (!site) return snprintf(s, capacity, "an unknown line");
    if (!colon) return snprintf(s, capacity, "%s", site);
    return snprintf(s, capacity, "%s at %.*s", colon + 2, (int)(colon - site), site);
}

static void error_add(size_t *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void error_add(size_t *n, const char *fmt, ...)
{
    va_list v;
    if (*n >= reported.capacity) return;
    va_start(v, fmt);
    const int took = base_vsnprintf(reported.buffer + *n, reported.capacity - *n, fmt, v);
    va_end(v);
    if (took > 0) *n += (size_t)took;
}

static bool is_type(const char *what)                    /* True if the text begins with a type, as an operand's does */
{
    return !strncmp(what, "tree of ", 8) || (strchr(what, '[') && strncmp(what, "at leaf ", 8));
}

static void write_text(const base_error *e)
{
    size_t n = 0;
    int wide = 0, operand = 0;
    char call[512];
    enum { MANY = 8192 };
    reported.capacity = base_thread_text(&reported.buffer, MANY);
    for (int i = 0; i < e->ncite; i++)
        if (is_type(e->cite[i].what) && (int)strlen(e->cite[i].what) > wide) wide = (int)strlen(e->cite[i].what);
    error_add(&n, "error: %s\n", e->what);
    if (e->site) error_add(&n, "  at   %s\n", e->site);
    for (int i = 0; i < e->ncite; i++) {
        const base_cite *c = &e->cite[i];
        put_call(call, sizeof call, c->site);
        if (!strcmp(c->what, "in")) error_add(&n, "  in   %s\n", call);
        else if (is_type(c->what) && c->site) error_add(&n, "  #%d   %-*s  from %s\n", operand++, wide, c->what,
            c->site);
        else if (is_type(c->what)) error_add(&n, "  #%d   %s\n", operand++, c->what);
        else if (c->site) error_add(&n, "  %s: %s\n", c->what, c->site);
        else if (strcmp(c->what, "created at")) error_add(&n, "  %s\n", c->what);
    }
    if (e->hint) error_add(&n, "  hint: %s\n", e->hint);
    if (n && n < reported.capacity) reported.buffer[n - 1] = '\0'; /* remove the final newline */
    reported.text = reported.capacity ? reported.buffer : "error: out of memory";
}

static void print_line(const char *text)
{
    char rank[32] = "";
    if (run_job_real() && wire_rank()) snprintf(rank, sizeof rank, "rank %d: ", wire_rank());
    api_bar_hide();
    fflush(stdout);
    fprintf(stderr, "%s%s\n", rank, text);
    api_bar_show();
}

static void blame(void *site) { base_blame(base_intern(site)); }

/* A handler has jumped out of the call that failed, as an exception does. */
static void handler_left(void *none)
{
    (void)none;
    if (entered.depth && !paused) base_rounding_back(program_mode);
    entered = (tt_entry){ 0 };
}

static void error_report(void)
{
    const base_error *e = base_failed();
    if (entered.site && !e->site) base_catch(blame, (void *)(uintptr_t)entered.site);
    trace_chain();
    write_text(e);
    reported.done = true;
    reported.info = (tt_error_info){ e->code, e->what, e->site ? e->site : "", e->hint ? e->hint : "" };
    api_error_met(e->code);
    api_process_error_met(e->code, reported.text);
    tt_on_error_break();
    pthread_mutex_lock(&lock);
    void (*handler)(const tt_error_info *, void *) = on_error.handler;
    void *env = on_error.env;
    pthread_mutex_unlock(&lock);
    if (handler) {
        base_guard guard;
        base_guard_begin(&guard, handler_left, NULL);
        handler(&reported.info, env);
        base_guard_end(&guard);
        return;
    }
    if (!api_process_defers(e->code, reported.text)) print_line(reported.text);
}

bool api_error_handled(void)
{
    pthread_mutex_lock(&lock);
    const bool handled = on_error.handler != NULL;
    pthread_mutex_unlock(&lock);
    return handled;
}

/* Reports an interrupt in the form of an error; nothing has failed. */
void api_report_interrupt(base_site site)
{
    static const char *const what = "interrupted: loops end, what follows them runs",
        *const hint = "a second Ctrl-C ends the program at once; tt_clear() lets loops go on";
    pthread_mutex_lock(&lock);
    void (*handler)(const tt_error_info *, void *) = on_error.handler;
    void *env = on_error.env;
    pthread_mutex_unlock(&lock);
    const tt_error_info info = { TT_EINTR, what, site ? site : "", hint };
    char text[1024];
    if (!api_process_prints() && !handler) return;       /* all ranks end their loops */
    snprintf(text, sizeof text, "%s\n  at   %s\n  hint: %s", what, site ? site : "an unknown line", hint);
    if (handler) handler(&info, env);
    else print_line(text);
}

static bool error_due(void)                              /* reports a pending error; true if there is an error */
{
    if (!base_failed()) return false;
    if (!reported.done) error_report();
    return true;
}

static void error_begin(void)
{
    base_set_log_sink(api_report_line);
    api_output_begin();
    api_exit_watch();
}

static void read_switches(void *p)
{
    (void)p;
    trace_leaf(NULL, false);                             /* interned once, so that creating a value does not intern */
    if (!base_switches_env()) return;
    api_process_begin();
    api_engine_begin("TUTTI=pjrt in the environment");
    api_report_there(base_intern("TUTTI in the environment"));
}

typedef struct { uint64_t rounding; int paused; } entrance;

/* The call is left for good: what goes on is the program, outside of any TT_ENTRY. */
static void entrance_left(void *p)
{
    const entrance *const e = p;
    entered = (tt_entry){ 0 };
    paused = e->paused;
    base_rounding_back(e->rounding);
}

void api_enter(void (*body)(void *), void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Atomic bool begun;
    if (!atomic_load_explicit(&begun, memory_order_acquire)) {
        pthread_once(&once, error_begin);
        atomic_store(&begun, true);
        base_catch(read_switches, NULL);                 /* an unknown word becomes this thread's first error */
    }
    error_due();
    if (api_process_forked()) body = api_process_refuse;
    entrance e = { base_rounding(), paused };
    const tt_entry outside = tt_entry_pause();           /* a user's function that the body calls begins anew */
    trace_enter_guarded(body, arg, entrance_left, &e);
    entered = outside;
    paused -= outside.depth && paused;
    base_rounding_back(e.rounding);
    error_due();
}

tt_entry tt_entry_begin(const char *site)
{
    const tt_entry was = entered;
    if (!entered.depth++) entered.site = site;
    if (!was.depth && !paused) program_mode = base_rounding();
    return was;
}

tt_entry tt_entry_pause(void)
{
    const tt_entry was = entered;
    entered = (tt_entry){ 0 };
    paused += was.depth > 0;
    return was;
}

void tt_entry_end(const tt_entry *was)
{
    const tt_entry none = { 0 };
    if (!was) was = &none;
    const bool last = entered.depth && !was->depth, resumed = !entered.depth && was->depth;
    if (last) error_due();
    if (last && !paused) base_rounding_back(program_mode);
    paused -= resumed && paused;
    entered = *was;
}

int tt_ok(void) { return !error_due(); }

bool tt_is_inside(void) { return trace_in_entry(); }

const char *tt_error(void)
{
    api_error_read();
    return error_due() ? reported.text : "";
}

const tt_error_info *tt_error_record(void)
{
    static const tt_error_info none = { TT_OK, "", "", "" };
    api_error_read();
    return error_due() ? &reported.info : &none;
}

void tt_clear(void)
{
    error_due();                                         /* reports an error of tt_fail_at that nothing has reported */
    base_clear_error();
    trace_chain_forget();
    api_error_cleared();
    api_process_error_cleared();
    api_interrupt_forget();
    reported.done = false;
}

void tt_on_error(void (*handler)(const tt_error_info *, void *env), void *env)
{
    pthread_mutex_lock(&lock);
    on_error.handler = handler;
    on_error.env = env;
    pthread_mutex_unlock(&lock);
}

typedef struct { const char *site; tt_code code; const char *what; } failing;

static void fail_run(void *p)
{
    const failing *f = p;
    base_fail(f->code, trace_site(f->site), "%s", f->what);
}

/* A tt_hint may follow, so the error is not reported here but by tt_hint, or at the thread's next query, call or
 * tt_clear. */
tt_val tt_fail_at(const char *site, tt_code code, const char *fmt, ...)
{
    char what[1024];
    va_list v;
    va_start(v, fmt);
    base_vsnprintf(what, sizeof what, fmt, v);
    va_end(v);
    failing f = { site, code ? code : TT_EARG, what };
    trace_enter(fail_run, &f);
    return trace_poison;
}

void tt_hint(const char *fmt, ...)
{
    char what[1024];
    va_list v;
    va_start(v, fmt);
    base_vsnprintf(what, sizeof what, fmt, v);
    va_end(v);
    base_hint("%s", what);
    if (!entered.depth) error_due();
}

void tt_hint_choices(const char *lead, const char *word, int n, const char *words)
{
    const char *const w = word ? word : "";
    base_hint_choices(lead, w, n < 0 ? strlen(w) : (size_t)n, words ? words : "");
    if (!entered.depth) error_due();
}

ENTRY0(bool, false, api_clear_caches)
{
    trace_jit_forget();
    driver_forget_idle();
    return true;
}
void tt_clear_caches(void) { api_clear_caches_at(NULL); }
