/* run/engine.c - engines whose arrays live elsewhere (engine.h): finding libraries of PJRT, opening one, which is in
 * force.
 *
 * A library is given by a path or by a name. A name is searched for in PJRT_NAMES_AND_LIBRARY_PATHS ("name:path,
 * name:path"), then in the folders jax_plugins and xla_plugins of Python's packages: of $VIRTUAL_ENV, of the user and
 * of the system. It is a folder's name there, or a part of it: "cuda" is xla_cuda13. Files that other users could have
 * put there are refused, as plug-ins of Tutti are. An engine that was opened stays open. */
#include "there.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENGINES = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static run_engine *opened[ENGINES];
/* Number of the engine from 1; 0: the embedded one; -1: one that was asked for and did not open. */
static _Atomic int in_force;
_Thread_local base_site run_site;

int run_engine_number(void) { return atomic_load_explicit(&in_force, memory_order_relaxed); }

run_engine *run_engine_now(void)
{
    const int i = run_engine_number();
    return i > 0 && !run_dry() ? opened[i - 1] : NULL;
}

/* False with the error set: the engine that the program asked for is not there, so nothing is computed elsewhere in its
 * place. */
bool run_engine_ok(void)
{
    if (run_engine_number() >= 0) return true;
    base_fail(TT_EENGINE, run_site, "the engine that this program asked for did not open");
    return base_hint("tt_engine(\"cpu\") goes on with the embedded engine");
}

/* ---- the plug-in that opens libraries ---- */

static run_engine_opener *entered(const char *path, base_text *report)
{
    char real[4096];
    const char *why = "";
    void *const lib = base_plugin_trusted(path, real, &why) ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *const at = lib ? dlsym(lib, "tutti_pjrt") : NULL;
    run_engine_opener *f;
    if (!lib && !*why) why = dlerror();
    if (lib && !at) why = "what should be in it is not there";
    base_appendf(report, "%s%s%s", path, at ? "" : ": ", at ? "" : why);
    memcpy(&f, &at, sizeof f);
    return f;
}

static run_engine_opener *opener(base_text *report)      /* report: which file, or why none */
{
    char list[16384], path[4096];
    base_plugin_places(list, sizeof list);
    for (const char *p = list; *p; p += *p == ':') {
        const size_t n = strcspn(p, ":");
        const int length = base_snprintf(path, sizeof path, "%.*s/libtutti_pjrt.so", (int)n, p);
        p += n;
        if (!n || length >= (int)sizeof path || access(path, R_OK)) continue;
        return entered(path, report);
    }
    base_appendf(report, "no libtutti_pjrt.so in %s", list);
    return NULL;
}

/* ---- where libraries are ---- */

typedef struct { base_arena *arena; base_text list; } search;    /* list: "name\tpath\n" */

static void search_add(search *s, const char *name, size_t n, const char *path)
{
    char line[4352];
    const int length = base_snprintf(line, sizeof line, "\t%s\n", path);
    if (length >= (int)sizeof line || (s->list.n && strstr(s->list.s, line))) return;
    base_appendf(&s->list, "%.*s%s", (int)n, name, line);
}

static void search_variable(search *s, const char *p)    /* "name:path,name:path" */
{
    while (p && *p) {
        const size_t n = strcspn(p, ","), name = strcspn(p, ":");
        if (name < n) search_add(s, p, name, base_format(s->arena, "%.*s", (int)(n - name - 1), p + name + 1));
        p += n + (p[n] == ',');
    }
}

static void search_packages(search *s, const char *root)
{
    static const char *const kind[] = { "jax_plugins", "xla_plugins" };
    for (int k = 0; root && *root == '/' && k < 2; k++) {
        glob_t found;
        const char *const pattern = base_format(s->arena, "%s/lib/python3*/*-packages/%s/*/*.so", root, kind[k]);
        if (!glob(pattern, 0, NULL, &found))
            for (size_t i = 0; i < found.gl_pathc; i++) {
                const char *const path = found.gl_pathv[i], *end = strrchr(path, '/'), *begin = end;
                while (begin[-1] != '/') begin--;
                search_add(s, begin, (size_t)(end - begin), path);
            }
        globfree(&found);
    }
}

const char *run_engine_libraries(base_arena *a)
{
    search s = { a, { .arena = a } };
    const char *const home = secure_getenv("HOME");
    base_appendf(&s.list, "%s", "");
    search_variable(&s, secure_getenv("PJRT_NAMES_AND_LIBRARY_PATHS"));
    search_packages(&s, secure_getenv("VIRTUAL_ENV"));
    if (home) search_packages(&s, base_format(a, "%s/.local", home));
    search_packages(&s, "/usr/local");
    search_packages(&s, "/usr");
    return s.list.s;
}

/* The path of the library that has the name or, if there is none, the name within its own; NULL with the error set. */
static const char *library_called(base_arena *a, base_site site, const char *name)
{
    const char *const list = run_engine_libraries(a), *part = NULL;
    base_text names = { .arena = a };
    const size_t n = strlen(name);
    for (const char *p = list; *p;) {
        const size_t own = strcspn(p, "\t"), line = strcspn(p, "\n");
        const char *const path = base_format(a, "%.*s", (int)(line - own - 1), p + own + 1);
        if (own == n && !memcmp(p, name, n)) return path;
        const char *const at = memmem(p, own, name, n);
        if (at && !part) part = path;
        base_appendf(&names, "%s%.*s", names.n ? ", " : "", (int)own, p);
        p += line + 1;
    }
    if (part) return part;
    if (!*name) base_fail(TT_EENGINE, site, "no library of PJRT is installed");
    else base_fail(TT_EENGINE, site, "no library of PJRT is called \"%s\"%s%s", name, names.n ? "; found: " : "",
                   names.n ? names.s : "");
    return base_hint("give the path of a library: pjrt:/path/to/plugin.so; tutti doctor lists those that are found"),
        NULL;
}

/* ---- opening ---- */

static int opened_as(const char *real)                   /* of the engine of this file; 0: not open */
{
    for (int i = 0; i < ENGINES && opened[i]; i++) if (!strcmp(opened[i]->path, real)) return i + 1;
    return 0;
}

static void hold(bool held)
{
    if (held) run_there_launch_hold(true), run_there_constants_hold(true), run_there_hold(true);
    else run_there_hold(false), run_there_constants_hold(false), run_there_launch_hold(false);
}

static void engine_before_fork(void) { hold(true); }
static void engine_after_fork(void) { hold(false); }

static int engine_add(base_site site, const char *real, run_engine_opener *open)
{
    const char *const words = base_switch("devices"), *why = "", *const patience = base_switch("patience");
    const run_engine_host host = { sizeof host, patience ? atof(patience) : 30 };
    enum { USUAL = 8 };
    int i = 0;
    while (i < ENGINES && opened[i]) i++;
    if (i == ENGINES) return base_fail(TT_EENGINE, site, "%d engines are open, the limit", ENGINES);
    static bool watched;
    if (!watched) watched = !pthread_atfork(engine_before_fork, engine_after_fork, engine_after_fork);
    run_engine *const e = open(RUN_ENGINE_ABI, &host, real, words ? atoi(words) : USUAL, &why);
    if (e && e->size == sizeof *e) opened[i] = e;
    else if (e) why = "libtutti_pjrt.so was built for another version";
    if (!opened[i]) base_fail(TT_EENGINE, site, "%s: %s", real, why);
    if (opened[i]) run_trace_there(opened[i]);
    return opened[i] ? i + 1 : 0;
}

void run_traces_end(void)
{
    for (int i = 0; i < ENGINES && opened[i]; i++) run_traces_there_end(opened[i]);
}

int run_engine_open(base_arena *a, base_site site, const char *library)
{
    char real[4096];
    const char *why = "", *const path = strchr(library, '/') ? library : library_called(a, site, library);
    base_text report = { .arena = a };
    if (!path) return 0;
    if (run_job_real()) {
        base_fail(TT_EENGINE, site, "an engine of PJRT in a job of several processes is not supported");
        return base_hint("one process has all devices of its machine: run the program without a launcher"), 0;
    }
    if (access(path, F_OK)) return base_fail(TT_EENGINE, site, "there is no file %s", path), 0;
    if (!base_plugin_trusted(path, real, &why)) return base_fail(TT_EENGINE, site, "%s: %s", path, why), 0;
    pthread_mutex_lock(&lock);
    int n = opened_as(real);
    run_engine_opener *const open = n ? NULL : opener(&report);
    if (!n && !open) base_fail(TT_EENGINE, site, "pjrt: %s", report.s);
    if (open) n = engine_add(site, real, open);
    pthread_mutex_unlock(&lock);
    return n;
}

run_engine *run_engine_at(int number) { return number > 0 && number <= ENGINES ? opened[number - 1] : NULL; }

bool run_engine_settle(void)
{
    bool good = true;
    for (int i = 0; i < ENGINES && opened[i]; i++) {
        const char *why = "";
        if (opened[i]->settle(opened[i], &why)) continue;
        run_site = NULL;
        good = run_there_failed(opened[i], "a launch", why);
    }
    return good;
}

int run_engine_devices(const run_engine *e) { return e->devices; }
const char *run_engine_device(const run_engine *e, int device) { return e->device[device]; }
const char *run_engine_platform(const run_engine *e) { return e->platform; }

void run_engine_use(int number)
{
    atomic_store(&in_force, number);
}

/* What a library has, or why it cannot be used: "8 devices (cpu, cpu), PJRT 0.81, cpu". */
static void report_library(base_text *t, base_arena *a, const char *path)
{
    const bool before = base_failed() != NULL;
    const int n = run_engine_open(a, NULL, path);
    const run_engine *const e = run_engine_at(n);
    if (e) base_appendf(t, "%d device%s (%s, %s), %s", e->devices, e->devices == 1 ? "" : "s", e->platform,
                        e->device[0], e->version);
    else base_appendf(t, "%s", before ? "not opened, since the program has failed before" : base_failed()->what);
    if (!e && !before) base_clear_error();
}

const char *run_engine_report(base_arena *a)
{
    base_text t = { .arena = a };
    run_engine_opener *const open = opener(&t);
    const char *const list = open ? run_engine_libraries(a) : "";
    if (open && !*list) base_appendf(&t, "\n               no library of PJRT among Python's packages");
    for (const char *p = list; *p; p += strcspn(p, "\n") + 1) {
        const size_t own = strcspn(p, "\t"), line = strcspn(p, "\n");
        const char *const path = base_format(a, "%.*s", (int)(line - own - 1), p + own + 1);
        base_appendf(&t, "\n               %.*s: ", (int)own, p);
        report_library(&t, a, path);
        base_appendf(&t, "; %s", path);
    }
    return t.s;
}
