/* base/plugin.c - where plug-ins are searched for, and which files may be loaded.
 *
 * Folders that are searched:
 * - the folder of the shared library that contains this code, and its subfolder tutti/;
 * - if a program contains this code: the build folder, the install folder, and, for a program in PREFIX/bin,
 *   LIBDIR/tutti. The program's own folder is never searched, since all users may have the right to write to it.
 *
 * A plug-in runs with the rights of this user. So the file and its folder must belong to root, to this user or to the
 * owner of this code, and no other user may have the right to write to them. A process with more rights than the user
 * who started it ignores TUTTI_PLUGINS. */
#include "base.h"
#include "thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char here;                                  /* an address of this code */

static void plugin_append(char *list, size_t capacity, const char *fmt, const char *dir, int n)
{
    const size_t used = strlen(list);
    if (used + 1 < capacity) snprintf(list + used, capacity - used, fmt, n, dir);
}

/* Sets *me to the file that this code was loaded from. True if that file is a library and not the program. */
static bool in_library(Dl_info *me)
{
    Dl_info program = { 0 };
    const unsigned long entry = getauxval(AT_ENTRY);
    *me = (Dl_info){ 0 };
    if (!dladdr(&here, me) || !me->dli_fname || !strchr(me->dli_fname, '/')) return false;
    return !entry || !dladdr((void *)(uintptr_t)entry, &program) || program.dli_fbase != me->dli_fbase;
}

static void installed(char *list, size_t capacity)       /* of PREFIX/bin/program: LIBDIR/tutti below PREFIX */
{
    char program[PATH_MAX] = "";
    if (!*TUTTI_LIB || readlink("/proc/self/exe", program, sizeof program - 1) <= 0) return;
    char *slash = strrchr(program, '/');
    if (!slash) return;
    *slash = '\0';
    slash = strrchr(program, '/');
    if (slash && !strcmp(slash, "/bin")) plugin_append(list, capacity, "%.*s/" TUTTI_LIB "/tutti:", program,
        (int)(slash - program));
}

void base_plugin_places(char *list, size_t capacity)
{
    const char *own = secure_getenv("TUTTI_PLUGINS");
    Dl_info me;
    *list = '\0';
    if (own) {
        plugin_append(list, capacity, "%.*s", own, (int)strlen(own));
        return;
    }
    if (in_library(&me)) {
        const int n = (int)(strrchr(me.dli_fname, '/') - me.dli_fname);
        plugin_append(list, capacity, "%.*s:", me.dli_fname, n);
        plugin_append(list, capacity, "%.*s/tutti", me.dli_fname, n);
        return;
    }
    installed(list, capacity);
    plugin_append(list, capacity, "%.*s:", TUTTI_BUILD, (int)sizeof TUTTI_BUILD - 1);
    plugin_append(list, capacity, "%.*s", TUTTI_PLUGINS, (int)sizeof TUTTI_PLUGINS - 1);
}

/* Why the file or folder at path cannot be trusted, or NULL. A group may have the right to write if its number is the
 * owner's: many systems give each user a group of the user's number. */
static const char *distrust(const char *path, const struct stat *code)
{
    struct stat s;
    if (stat(path, &s)) return "it cannot be looked at";
    if (s.st_uid && s.st_uid != geteuid() && (!code || s.st_uid != code->st_uid)) return "it belongs to another user";
    if (s.st_mode & S_IWOTH) return "everybody may write to it";
    return s.st_mode & S_IWGRP && s.st_gid && s.st_gid != s.st_uid ? "its group may write to it" : NULL;
}

bool base_plugin_trusted(const char *path, char real[4096], const char **why)
{
    enum { TEXT = 4200 };
    static _Thread_local char *text;
    char program[] = "/proc/self/exe", folder[PATH_MAX];
    struct stat code;
    Dl_info me;
    const bool known = !stat(in_library(&me) ? me.dli_fname : program, &code);
    *why = "its path cannot be followed";
    if (!realpath(path, real)) return false;
    snprintf(folder, sizeof folder, "%s", real);
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    const char *of_file = distrust(real, known ? &code : NULL);
    const char *bad = of_file ? of_file : distrust(folder, known ? &code : NULL);
    if (!bad) return true;
    *why = bad;
    if (!text && !base_thread_memory(&text, TEXT)) return false;
    snprintf(text, TEXT, "not loaded: %s%s%s", bad, of_file ? "" : ", the folder ", of_file ? "" : folder);
    return *why = text, false;
}
