/* cli/compile.c - compiles a one-file program against the library.
 *
 * The compiler is $CC, cc, gcc or clang. A build tree is used if the tool is in one, else the installed library. The
 * program is linked with the shared library, which finds its plug-ins in its own folder. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { PATH = CLI_PATH, REPORT = 3 };

int cli_spawn(char *const *argv, char *const *env, bool report, int *status)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    posix_spawnattr_t own;
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_init(&own);
    posix_spawnattr_setsigdefault(&own, &interrupt);     /* restores signals that this tool ignores */
    posix_spawnattr_setflags(&own, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    if (report) {
        posix_spawn_file_actions_adddup2(&files, 1, REPORT);
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    }
    const int started = posix_spawnp(&pid, argv[0], &files, &own, argv, env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&own);
    if (started != 0) return started;
    while (waitpid(pid, status, 0) < 0) if (errno != EINTR) return errno;
    return 0;
}

static bool run_join_path(char *to, const char *a, const char *b)
{
    return snprintf(to, PATH, "%s/%s", a, b) < PATH;
}

static bool readable(const char *dir, const char *file)
{
    char path[PATH];
    return run_join_path(path, dir, file) && access(path, R_OK) == 0;
}

/* True if only root, this user and the owner of this tool can have written the library. */
static bool trusted(const char *dir)
{
    char path[PATH];
    struct stat lib, folder, tool;
    if (!run_join_path(path, dir, "libtutti.so") || stat(path, &lib) || stat(dir, &folder) ||
        stat("/proc/self/exe", &tool))
        return false;
    const struct stat *each[] = { &lib, &folder };
    for (int i = 0; i < 2; i++)
        if ((each[i]->st_uid && each[i]->st_uid != geteuid() && each[i]->st_uid != tool.st_uid) ||
            each[i]->st_mode & S_IWOTH)
            return false;
    return true;
}

static bool in_build_tree(cli_paths *p, const char *self)
{
    struct stat built, here;
    return !stat(TUTTI_BUILD, &built) && !stat(self, &here) && built.st_ino == here.st_ino &&
           built.st_dev == here.st_dev && trusted(self) && readable(TUTTI_ROOT "/include", "tutti.h") &&
           run_join_path(p->library, self, "") && run_join_path(p->include, TUTTI_ROOT, "include");
}

/* Finds headers and library: next to this program in a build tree, or under its prefix, or under the configured
 * prefix. */
static bool find_paths(cli_paths *p)
{
    char self[PATH], up[PATH];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        char *slash = strrchr(self, '/');
        if (slash) *slash = 0;
        if (in_build_tree(p, self)) return true;
        if (*TUTTI_LIB && run_join_path(up, self, "..") && readable(up, "include/tutti.h") &&
            readable(up, TUTTI_LIB "/libtutti.so"))
            return run_join_path(p->include, up, "include") && run_join_path(p->library, up, TUTTI_LIB) &&
                trusted(p->library);
    }
    return run_join_path(p->include, TUTTI_PREFIX, "include") &&
           snprintf(p->library, PATH, "%s", TUTTI_LIBDIR) < PATH && readable(p->library, "libtutti.so");
}

bool cli_find_paths(const char *command, cli_paths *p)
{
    if (find_paths(p)) return true;
    fprintf(stderr, "tutti %s: libtutti.so is neither next to this tool nor in %s\n", command, TUTTI_LIBDIR);
    return false;
}

/* True if source ends in one of them. */
static bool ends_in(const char *source, const char *const *ends, size_t n)
{
    const char *dot = strrchr(source, '.');
    for (size_t i = 0; dot && i < n; i++) if (!strcmp(dot, ends[i])) return true;
    return false;
}

/* True if the file's name has an ending of C++. */
static bool is_cpp(const char *source)
{
    static const char *const ends[] = { ".cpp", ".cc", ".cxx", ".C" };
    return ends_in(source, ends, sizeof ends / sizeof *ends);
}

bool cli_is_source(const char *path)
{
    static const char *const ends[] = { ".c" };
    return is_cpp(path) || ends_in(path, ends, 1);
}

bool cli_is_program(const char *command, const char *source)
{
    struct stat at;
    if (stat(source, &at) || access(source, R_OK))
        fprintf(stderr, "tutti %s: %s cannot be read: %s\n", command, source, strerror(errno));
    else if (S_ISDIR(at.st_mode)) fprintf(stderr, "tutti %s: %s is a directory\n", command, source);
    else if (!cli_is_source(source))
        fprintf(stderr, "tutti %s: %s is no C or C++ source by its name\n", command, source);
    else return true;
    fprintf(stderr, "  hint: a program is a .c, .cpp, .cc, .cxx or .C file, or a MODEL.mlir\n");
    return false;
}

/* Makes errors of gcc's warnings about integers converted to pointers, as in .dims = 1 for .dims = "1", and about an
 * option that is given twice, of which C takes the last. */
static char *const c_words[] = { "-std=gnu17", "-Werror=int-conversion", "-Werror=incompatible-pointer-types",
                                 "-Werror=override-init" };
static char *const cpp_words[] = { "-std=gnu++20", "-Wnarrowing", "-pthread", "-Wall" };

int cli_compile(const char *command, const char *source, const char *program, const cli_paths *p)
{
    const bool cpp = is_cpp(source);
    const char *own = getenv(cpp ? "CXX" : "CC");
    const char *const compilers[] = { own && *own ? own : cpp ? "c++" : "cc", cpp ? "g++" : "gcc",
                                      cpp ? "clang++" : "clang" };
    char *const *const words = cpp ? cpp_words : c_words;
    char include[PATH + 8], library[PATH + 8], at_run[PATH + 16];
    int status = 0;
    snprintf(include, sizeof include, "-I%s", p->include);
    snprintf(library, sizeof library, "-L%s", p->library);
    snprintf(at_run, sizeof at_run, "-Wl,-rpath,%s", p->library);
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        char *argv[] = { (char *)compilers[i], words[0], words[1], words[2], words[3], "-O1", "-g", "-Wall", include,
                         "-o", (char *)program, (char *)source, library, at_run, "-ltutti", "-lm", NULL };
        const int failed = cli_spawn(argv, environ, false, &status);
        if (failed == ENOENT || (failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)) continue;
        if (failed) {
            fprintf(stderr, "tutti %s: %s: %s\n", command, compilers[i], strerror(failed));
            return 1;
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
        fprintf(stderr, "tutti %s: %s does not compile\n", command, source);
        return 1;
    }
    fprintf(stderr, "tutti %s: there is no %s compiler (tried $%s, %s); install %s\n", command, cpp ? "C++" : "C",
            cpp ? "CXX" : "CC", cpp ? "c++, g++, clang++" : "cc, gcc, clang", cpp ? "g++" : "gcc");
    return 1;
}
