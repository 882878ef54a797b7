/* wire/open.c - opens the engine of a job: the plug-in libtutti_mpi_NAME.so of the MPI library that started the job.
 *
 * Which MPI library: (a) the one that the program has loaded; (b) the one whose launcher's variables are set; (c) the
 * first that opens. Plug-ins of two libraries differ in their ABI, so the wrong one must not be started: in cases (a)
 * and (b) no other is tried. */
#include "inner.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPENMPI, MPICH, KINDS };
static const struct { const char *name, *title, *symbol, *variable[4]; } kind[KINDS] = {
    { "openmpi", "Open MPI", "ompi_mpi_comm_world", { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK" } },
    { "mpich", "MPICH", "MPIR_Err_create_code", { "MPI_LOCALNRANKS", "PMI_RANK" } },
};

static int preferred(void)                               /* -1: nothing says which */
{
    for (int i = 0; i < KINDS; i++) if (dlsym(RTLD_DEFAULT, kind[i].symbol)) return i;
    for (int i = 0; i < KINDS; i++)
        for (int v = 0; kind[i].variable[v]; v++) if (getenv(kind[i].variable[v])) return i;
    return -1;
}

bool wire_in_job(void)
{
    for (int i = 0; i < KINDS; i++)
        for (int v = 0; kind[i].variable[v]; v++) if (getenv(kind[i].variable[v])) return true;
    return false;
}

/* MPI libraries find their own components by names of the global scope, in older versions; so the second try makes
 * their names visible. */
static void *open_library(const char *path)
{
    void *const lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return lib ? lib : dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* Opens the plug-in at dir. False: *report says why, if the file is there. */
static bool find_at(int i, const char *dir, size_t n, wire_plugin **enter, base_text *report)
{
    char path[4096], real[4096];
    const char *why = "";
    if (base_snprintf(path, sizeof path, "%.*s/libtutti_mpi_%s.so", (int)n, dir, kind[i].name) >= (int)sizeof path)
        return false;
    if (access(path, R_OK)) return false;
    void *const lib = base_plugin_trusted(path, real, &why) ? open_library(real) : NULL;
    void *const at = lib ? dlsym(lib, "tutti_wire") : NULL;
    if (!lib && !*why) why = dlerror();
    if (lib && !at) why = "what should be in it is not there";
    base_appendf(report, "%smpi: %s%s%s", report->n ? "; " : "", path, at ? "" : ": ", at ? "" : why);
    memcpy(enter, &at, sizeof at);
    return at != NULL;
}

static bool find(int i, const char *list, wire_plugin **enter, base_text *report)
{
    for (const char *p = list; *p; p += *p == ':') {
        const size_t n = strcspn(p, ":");
        if (n && find_at(i, p, n, enter, report)) return true;
        p += n;
    }
    return false;
}

bool wire_find(base_text *report, wire_plugin **enter)
{
    char list[16384];
    const int only = preferred();
    *enter = NULL;
    base_plugin_places(list, sizeof list);
    for (int i = 0; i < KINDS; i++) if (only < 0 || i == only) if (find(i, list, enter, report)) return true;
    if (!report->n)
        base_appendf(report, "mpi: no libtutti_mpi_%s.so in %s", only < 0 ? "openmpi.so or libtutti_mpi_mpich" :
                     kind[only].name, list);
    return false;
}

bool wire_open(base_site site, base_arena *a, const wire_host *host)
{
    base_text report = { .arena = a };
    wire_plugin *enter;
    const char *why = NULL;
    if (wire_now()) return base_fail(TT_ERANK, site, "tt_join: this process has joined its job before");
    if (!wire_find(&report, &enter)) {
        base_fail(TT_EENGINE, site, "no engine for several processes: %s", report.s);
        return base_hint("tutti doctor lists the plug-ins; Open MPI or MPICH must be installed when Tutti is built");
    }
    const wire_engine *const e = enter(WIRE_ABI, host, &why);
    if (e && e->size != sizeof *e) why = "it was built for another version";
    if (!e || e->size != sizeof *e) return base_fail(TT_EENGINE, site, "%s: %s", report.s, why);
    wire_use(e);
    return wire_share(site);
}
