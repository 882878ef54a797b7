/* cli/launcher.c - finds a launcher of MPI and the plug-in that belongs to it.
 *
 * A program finds its plug-in in the folder of libtutti.so (src/base/plugin.c), and a launcher of one library cannot
 * start ranks of another library. So the tool takes the first launcher on PATH whose library has a plug-in there; the
 * order of PATH is the user's choice. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPENMPI, MPICH, LIBRARIES };
static const struct { const char *name, *title, *install; } library[LIBRARIES] = {
    { "openmpi", "Open MPI", "libopenmpi-dev openmpi-bin" },
    { "mpich", "MPICH", "libmpich-dev mpich" },
};
static const char *const launchers[] = { "mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra" };
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* Finds the file of a program on PATH. */
static bool on_path(const char *name, char path[CLI_PATH])
{
    const char *list = getenv("PATH");
    for (const char *p = list ? list : ""; *p; p += *p == ':') {
        const size_t n = strcspn(p, ":");
        const int all = snprintf(path, CLI_PATH, "%.*s/%s", (int)n, p, name);
        p += n;
        if (n && all < CLI_PATH && !access(path, X_OK)) return true;
    }
    return false;
}

/* Which library the launcher belongs to, by what it prints as its version; -1: none of those, or, with *asked false, it
 * could not be asked. */
static int library_of(const char *path, char version[64], bool *asked)
{
    char command[CLI_PATH + 64], line[1024];
    int found = -1;
    *version = '\0';
    if (strchr(path, '\'')) return -1;
    snprintf(command, sizeof command, "'%s' --version 2>&1 </dev/null", path);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, ") "), *v = strstr(line, "Version:");
        if (found < 0 && (strstr(line, "(Open MPI)") || strstr(line, "(OpenRTE)"))) {
            found = OPENMPI;
            if (at) sscanf(at + 2, "%63s", version);
        } else if (found < 0 && strstr(line, "HYDRA")) {
            found = MPICH;
        } else if (found == MPICH && v && !*version) {
            sscanf(v + 8, "%63s", version);
        }
    }
    if (!f || ferror(f)) *asked = false;
    if (f) pclose(f);
    return found;
}

static bool plugin_in(const char *dir, size_t n, int which, char path[CLI_PATH])
{
    while (n > 1 && dir[n - 1] == '/') n--;
    return snprintf(path, CLI_PATH, "%.*s/libtutti_mpi_%s.so", (int)n, dir, library[which].name) < CLI_PATH &&
           !access(path, R_OK);
}

/* Finds the plug-in of a library where programs will look for it. */
static bool find_plugin(const char *dir, int which, char path[CLI_PATH])
{
    const char *own = getenv("TUTTI_PLUGINS");
    char sub[CLI_PATH];
    for (const char *p = own ? own : ""; *p; p += *p == ':') {
        const size_t n = strcspn(p, ":");
        if (n && plugin_in(p, n, which, path)) return true;
        p += n;
    }
    if (own) return false;
    return plugin_in(dir, strlen(dir), which, path) ||
           (snprintf(sub, sizeof sub, "%s/tutti", dir) < CLI_PATH && plugin_in(sub, strlen(sub), which, path));
}

/* Finds the i-th launcher and its plug-in. False: there is no such launcher; *which -1: its library is unknown. Sets
 * *asked to false if it could not be run. */
static bool launcher_at(int i, const char *dir, job_launcher *l, int *which, bool *asked)
{
    *which = -1;
    if (!on_path(launchers[i], l->path)) return false;
    *which = library_of(l->path, l->version, asked);
    *l->plugin = '\0';
    if (*which < 0) return true;
    if (!find_plugin(dir, *which, l->plugin)) *l->plugin = '\0';
    l->openmpi = *which == OPENMPI;
    snprintf(l->title, sizeof l->title, "%s", library[*which].title);
    return true;
}

bool job_find_launcher(const char *dir, job_launcher *l, char *why, size_t capacity)
{
    char plugin[CLI_PATH];
    bool has[LIBRARIES], any = false, asked = true;
    int which;
    for (int i = 0; i < LAUNCHERS; i++) if (launcher_at(i, dir, l, &which, &asked) && *l->plugin) return true;
    for (int i = 0; i < LIBRARIES; i++) any |= has[i] = find_plugin(dir, i, plugin);
    if (!any)
        snprintf(why, capacity, "several processes need a plug-in for MPI: there is no libtutti_mpi_openmpi.so in "
                 "%s\n  hint: install its package, libtutti-openmpi; or install MPI (Debian: %s) and build Tutti again",
                 dir, library[OPENMPI].install);
    else
        snprintf(why, capacity, "no launcher of %s%s%s on PATH (mpirun, mpiexec)\n  hint: install it (Debian: %s)",
                 has[OPENMPI] ? "Open MPI" : "MPICH", has[OPENMPI] && has[MPICH] ? " or " : "",
                 has[OPENMPI] && has[MPICH] ? "MPICH" : "", has[OPENMPI] ? "openmpi-bin" : "mpich");
    return false;
}

bool cli_job_doctor(void)
{
    cli_paths paths;
    char plugin[CLI_PATH];
    bool asked = true;
    printf("several processes\n");
    if (!cli_find_paths("doctor", &paths)) return false;
    for (int k = 0; k < LIBRARIES; k++) {
        job_launcher l = { 0 };
        int which = -1;
        for (int i = 0; i < LAUNCHERS && which != k; i++) launcher_at(i, paths.library, &l, &which, &asked);
        printf("  %-12s ", library[k].title);
        if (which == k) printf("%s, launcher %s", l.version, l.path);
        else printf("no launcher on PATH (Debian: %s)", library[k].install);
        if (find_plugin(paths.library, k, plugin)) printf(", plug-in %s\n", plugin);
        else printf(", no plug-in: not installed, or mpicc.%s was not there when Tutti was built\n", library[k].name);
    }
    if (!asked) fputs("tutti doctor: a launcher on PATH could not be run\n", stderr);
    return asked;
}
