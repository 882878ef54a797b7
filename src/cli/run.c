/* cli/run.c - tutti run program.c [arguments]: compiles against the library, runs, and returns the program's status.
 * Also dry, for explain and plan. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { PATH = CLI_PATH };

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
    const int failed = cli_spawn(args, env, words != NULL, &status);
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
    cli_paths p;
    if (!cli_is_program(command, argv[1])) return 2;
    if (!cli_find_paths(command, &p)) return 1;
    if (!mkdtemp(dir)) {
        fprintf(stderr, "tutti %s: /tmp: %s\n", command, strerror(errno));
        return 1;
    }
    snprintf(program, sizeof program, "%s/program", dir);
    int status = cli_compile(command, argv[1], program, &p);
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
    if (argc >= 2 && *argv[1] == '-') return cli_job(argc, argv);
    if (argc >= 2) return cli_program("run", argv, NULL);
    fprintf(stderr, "usage: tutti run [-n R] PROGRAM.c [ARGUMENTS], or MODEL.mlir --in A.npz\n");
    return 2;
}
