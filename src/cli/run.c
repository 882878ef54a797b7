/* cli/run.c - tutti run program.c [arguments]: compiles against the library, runs, and returns the program's status.
 * Also dry, for explain and plan.
 *
 * The compiler is $CC, cc, gcc or clang. A build tree is used if the tool is in one, else the installed library. The
 * program is linked with the shared library, which finds its plug-ins in its own folder. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { PATH = 4096, REPORT = 3 };

static int spawn_and_wait(char *const *argv, char *const *env, bool report, int *status)
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

typedef struct { char include[PATH], library[PATH]; } place;

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

static bool in_build_tree(place *p, const char *self)
{
    struct stat built, here;
    return !stat(TUTTI_BUILD, &built) && !stat(self, &here) && built.st_ino == here.st_ino &&
           built.st_dev == here.st_dev && trusted(self) && readable(TUTTI_ROOT "/include", "tutti.h") &&
           run_join_path(p->library, self, "") && run_join_path(p->include, TUTTI_ROOT, "include");
}

/* Finds headers and library: next to this program in a build tree, or under its prefix, or under the configured
 * prefix. */
static bool find_place(place *p)
{
    char self[PATH], up[PATH];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        char *slash = strrchr(self, '/');
        if (slash) *slash = 0;
        if (in_build_tree(p, self)) return true;
        if (run_join_path(up, self, "..") && readable(up, "include/tutti.h") && readable(up, "lib/libtutti.so"))
            return run_join_path(p->include, up, "include") && run_join_path(p->library, up, "lib") &&
                trusted(p->library);
    }
    return run_join_path(p->include, TUTTI_PREFIX, "include") && run_join_path(p->library, TUTTI_PREFIX, "lib") &&
           readable(p->library, "libtutti.so");
}

static bool ends_in(const char *source, const char *const *ends, size_t n)      /* True if source ends in one of them */
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

/* True if the file is one that the compiler can take for a C or C++ source; else says what it is. */
static bool is_program(const char *command, const char *source)
{
    static const char *const ends[] = { ".c" };
    struct stat at;
    if (stat(source, &at) || access(source, R_OK))
        fprintf(stderr, "tutti %s: %s cannot be read: %s\n", command, source, strerror(errno));
    else if (S_ISDIR(at.st_mode)) fprintf(stderr, "tutti %s: %s is a directory\n", command, source);
    else if (!is_cpp(source) && !ends_in(source, ends, 1))
        fprintf(stderr, "tutti %s: %s is no C or C++ source by its name\n", command, source);
    else return true;
    fprintf(stderr, "  hint: a program is a .c, .cpp, .cc, .cxx or .C file, or a MODEL.mlir\n");
    return false;
}

/* Makes errors of gcc's warnings about integers converted to pointers, as in .dims = 1 for .dims = "1". */
static char *const c_words[] = { "-std=gnu17", "-Werror=int-conversion", "-Werror=incompatible-pointer-types" };
static char *const cpp_words[] = { "-std=gnu++20", "-Wnarrowing", "-pthread" };

static int compile(const char *command, const char *source, const char *program, const place *p)
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
        char *argv[] = { (char *)compilers[i], words[0], words[1], words[2], "-O1", "-g", "-Wall", include, "-o",
                         (char *)program, (char *)source, library, at_run, "-ltutti", "-lm", NULL };
        const int failed = spawn_and_wait(argv, environ, false, &status);
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

/* The environment with words added to TUTTI. */
static char **with_words(const char *words, char *tutti, size_t capacity)
{
    static char *env[4096];
    int n = 0;
    const char *own = getenv("TUTTI");
    snprintf(tutti, capacity, "TUTTI=%s%s%s", own ? own : "", own && *own ? "," : "", words);
    for (char **e = environ; *e && n < 4094; e++) if (strncmp(*e, "TUTTI=", 6)) env[n++] = *e;
    env[n++] = tutti;
    env[n] = NULL;
    return env;
}

/* args: the source's name, which is replaced by the program's, and the program's arguments up to a NULL. */
static int execute(const char *command, char *program, const char *words, char **args)
{
    char tutti[PATH];
    const char *source = args[0];
    int status = 0;
    args[0] = program;
    signal(SIGINT, SIG_IGN);                             /* Ctrl-C is for the program, whose status is returned here */
    char **env = words ? with_words(words, tutti, sizeof tutti) : environ;
    const int failed = spawn_and_wait(args, env, words != NULL, &status);
    if (failed) {
        fprintf(stderr, "tutti %s: %s: %s\n", command, source, strerror(failed));
        return 1;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "tutti %s: %s was stopped by signal %d (%s)\n", command, source, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

int cli_program(const char *command, char **argv, const char *words)
{
    char dir[] = "/tmp/tutti-run-XXXXXX", program[64];
    place p;
    if (!is_program(command, argv[1])) return 2;
    if (!find_place(&p)) {
        fprintf(stderr, "tutti %s: libtutti.so is neither beside this tool nor in %s/lib\n", command, TUTTI_PREFIX);
        return 1;
    }
    if (!mkdtemp(dir)) {
        fprintf(stderr, "tutti %s: /tmp: %s\n", command, strerror(errno));
        return 1;
    }
    snprintf(program, sizeof program, "%s/program", dir);
    int status = compile(command, argv[1], program, &p);
    if (status == 0) status = execute(command, program, words, argv + 1);
    unlink(program);
    rmdir(dir);
    return status;
}

int cli_is_model(int argc, char **argv)
{
    const size_t n = argc >= 2 ? strlen(argv[1]) : 0;
    return n > 5 && !strcmp(argv[1] + n - 5, ".mlir");
}

int cli_run(int argc, char **argv)
{
    if (cli_is_model(argc, argv)) return cli_model_run(argc, argv);
    if (argc >= 2) return cli_program("run", argv, NULL);
    fprintf(stderr, "usage: tutti run PROGRAM.c [ARGUMENTS], or MODEL.mlir --in A.npz\n");
    return 2;
}
