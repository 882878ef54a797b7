/* pjrt/open.c - opens a library that has PJRT's C API, checks it, and makes its client: the devices.
 *
 * A library is opened once per process, and stays open: its threads run on. Clients are never destroyed, since launches
 * may be under way when the process ends; an exit handler waits for these. */
#include "inner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- is it PJRT ---- */

typedef struct { const char *name; size_t at; bool used; } member;
#define MEMBER_USED(name, type) { #name, offsetof(pjrt_api, name), true },
#define MEMBER_UNUSED(name)     { #name, offsetof(pjrt_api, name), false },
static const member members[] = { PJRT_FUNCTIONS(MEMBER_USED, MEMBER_USED, MEMBER_UNUSED) };
enum { MEMBERS = sizeof members / sizeof *members };

/* Checks the version and the table of functions; names each that is missing. */
static bool api_fits(const pjrt_api *api, const char **why)
{
    char missing[600] = "";
    size_t n = 0;
    if (!api) return *why = "its GetPjrtApi gives no table of functions", false;
    if (api->head.bytes < offsetof(pjrt_api, Error_Destroy) || api->version.head.bytes < sizeof(pjrt_version))
        return *why = "its table of functions is too short to be one of PJRT's", false;
    if (api->version.major != PJRT_MAJOR || api->version.minor < PJRT_MINOR)
        return *why = pjrt_text("it has version %d.%d of PJRT's API; %d.%d and its later minor versions are known here",
            api->version.major, api->version.minor, PJRT_MAJOR, PJRT_MINOR), false;
    for (int i = 0; i < MEMBERS; i++) {
        void (*f)(void) = NULL;
        if (!members[i].used) continue;
        if (members[i].at + sizeof f <= api->head.bytes) memcpy(&f, (const char *)api + members[i].at, sizeof f);
        if (!f && n < sizeof missing)
            n += (size_t)snprintf(missing + n, sizeof missing - n, "%sPJRT_%s", n ? ", " : "", members[i].name);
    }
    if (*missing) *why = pjrt_text("it lacks functions of PJRT's API: %s", missing);
    return !*missing;
}

static const pjrt_api *library(const char *path, const char **why)
{
    void *const lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) return *why = pjrt_text("%s", dlerror()), NULL;
    void *const at = dlsym(lib, "GetPjrtApi");
    const pjrt_api *(*get)(void);
    if (!at) {
        dlclose(lib);
        return *why = "it is no plug-in of PJRT: it has no GetPjrtApi", NULL;
    }
    memcpy(&get, &at, sizeof get);
    const pjrt_api *const api = get();
    return api_fits(api, why) ? api : NULL;              /* it stays open: it may have started threads */
}

/* ---- the client ---- */

static pjrt_client *client_with(const pjrt_api *api, int devices, const char **why)
{
    static const char name[] = "cpu_device_count";
    const pjrt_option count = { .head = { sizeof count, NULL }, .name = name, .nname = sizeof name - 1,
                                .type = PJRT_INT64, .number = devices, .count = 1 };
    PJRT_CALL(pjrt_create, c, .option = devices ? &count : NULL, .noption = devices != 0);
    return pjrt_good(api, api->Client_Create(&c.a), why) ? c.a.client : NULL;
}

/* The option of how many devices is for libraries that make their devices; others refuse its name. */
static pjrt_client *client_of(const pjrt_api *api, int devices, const char **why)
{
    pjrt_client *const c = client_with(api, devices, why);
    return c || !devices || !strstr(*why, "cpu_device_count") ? c : client_with(api, 0, why);
}

static const char *copied(const char *p, size_t n)       /* NULL: no memory */
{
    char *const s = malloc(n + 1);
    if (s) memcpy(s, p, n), s[n] = '\0';
    return s;
}

static bool named(pjrt_engine *e, const char **why)
{
    const pjrt_api *const api = e->api;
    PJRT_CALL(pjrt_client_text, name, .client = e->client);
    PJRT_CALL(pjrt_client_text, own, .client = e->client);
    if (!pjrt_good(api, api->Client_PlatformName(&name.a), why)) return false;
    if (!pjrt_good(api, api->Client_PlatformVersion(&own.a), why)) return false;
    char version[256];
    const int line = (int)strcspn(own.a.n ? own.a.text : "", "\n");
    snprintf(version, sizeof version, "PJRT %d.%d%s%.*s", api->version.major, api->version.minor, line ? ", " : "",
             line < (int)own.a.n ? line : (int)own.a.n, own.a.n ? own.a.text : "");
    e->engine.platform = copied(name.a.text, name.a.n);
    e->engine.version = copied(version, strlen(version));
    *why = "out of memory";
    return e->engine.platform && e->engine.version;
}

static bool devices_of(pjrt_engine *e, const char **why)
{
    const pjrt_api *const api = e->api;
    PJRT_CALL(pjrt_devices, d, .client = e->client);
    if (!pjrt_good(api, api->Client_AddressableDevices(&d.a), why)) return false;
    if (!d.a.n) return *why = "it has no device", false;
    const char **const kind = calloc(d.a.n, sizeof *kind);
    if (!kind) return *why = "out of memory", false;
    for (size_t i = 0; i < d.a.n; i++) {
        PJRT_CALL(pjrt_describe, of, .device = d.a.device[i]);
        if (!pjrt_good(api, api->Device_GetDescription(&of.a), why)) return false;
        PJRT_CALL(pjrt_kind, k, .of = of.a.description);
        PJRT_CALL(pjrt_id, id, .of = of.a.description);
        if (!pjrt_good(api, api->DeviceDescription_Kind(&k.a), why)) return false;
        if (!pjrt_good(api, api->DeviceDescription_Id(&id.a), why)) return false;
        if (id.a.id != (int)i)
            return *why = pjrt_text("its device %zu has the number %d; only numbers from 0 up are known here", i,
                id.a.id), false;
        if (!(kind[i] = copied(k.a.text, k.a.n))) return *why = "out of memory", false;
    }
    e->device = d.a.device;
    e->engine.devices = (int)d.a.n;
    e->engine.device = kind;
    return true;
}

/* ---- the end of the process ---- */

/* The time of day may be set while a thread waits. */
static void condition(pthread_cond_t *c)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(c, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static pjrt_engine *opened[16];
static int nopened;

static void settle_all(void)
{
    const char *why;
    for (int i = 0; i < nopened; i++) if (!opened[i]->lost) pjrt_do_settle(&opened[i]->engine, &why);
}

/* ---- a fork ---- */

/* No thread is in the middle of a launch or of an engine's counts when the process is copied. */
static void pjrt_before_fork(void)
{
    for (int i = 0; i < nopened; i++) pthread_mutex_lock(&opened[i]->launching), pthread_mutex_lock(&opened[i]->lock);
}

static void pjrt_in_parent(void)
{
    for (int i = nopened; i--;) pthread_mutex_unlock(&opened[i]->lock), pthread_mutex_unlock(&opened[i]->launching);
}

/* The devices are lost here: what is under way never ends, and no call may reach the library. */
static void pjrt_in_child(void)
{
    for (int i = 0; i < nopened; i++) {
        opened[i]->forked = true;
        opened[i]->lost = true;
        *opened[i]->untold = '\0';
        condition(&opened[i]->changed);
    }
    pjrt_in_parent();
}

static const run_engine table = {
    .size = sizeof table, .compile = pjrt_do_compile, .forget = pjrt_do_forget, .results = pjrt_do_results,
    .launch = pjrt_do_launch, .put = pjrt_do_put, .copy = pjrt_do_copy, .get = pjrt_do_get, .drop = pjrt_do_drop,
    .wait = pjrt_do_wait, .settle = pjrt_do_settle, .memory = pjrt_do_memory, .has = pjrt_do_has,
    .needs = pjrt_do_needs,
    .failure = pjrt_failure, .save = pjrt_do_save, .release = pjrt_do_release, .load = pjrt_do_load,
    .trace = pjrt_do_trace, .take_trace = pjrt_do_traced,
};

static bool begun(pjrt_engine *e, int devices, const char **why)
{
    pjrt_nothing none = { { sizeof none, NULL } };
    if (!pjrt_good(e->api, e->api->Plugin_Initialize(&none), why)) return false;
    return (e->client = client_of(e->api, devices, why)) && named(e, why) && devices_of(e, why);
}

__attribute__((visibility("default")))
run_engine *tutti_pjrt(uint32_t abi, const run_engine_host *host, const char *path, int devices, const char **why)
{
    *why = "it was built for another version";
    if (abi != RUN_ENGINE_ABI || host->size != sizeof *host) return NULL;
    *why = "too many libraries of PJRT are open";
    if (nopened == sizeof opened / sizeof *opened) return NULL;
    setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);              /* else the library writes to stderr as it likes */
    pjrt_engine *const e = calloc(1, sizeof *e);
    *why = "out of memory";
    if (!e || !(e->engine.path = copied(path, strlen(path)))) return free(e), NULL;
    const char *const kept = e->engine.path;
    e->engine = table;
    e->engine.path = kept;
    e->engine.self = e;
    e->patience = host->patience;
    pthread_mutex_init(&e->launching, NULL);
    pthread_mutex_init(&e->lock, NULL);
    condition(&e->changed);
    if (!(e->api = library(path, why)) || !begun(e, devices, why)) return NULL;
    if (!nopened) atexit(settle_all), pthread_atfork(pjrt_before_fork, pjrt_in_parent, pjrt_in_child);
    opened[nopened++] = e;
    return &e->engine;
}
