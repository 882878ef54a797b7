/* cli/job.c - tutti run -n R PROGRAM.c: a program in R processes, which the launcher of MPI starts; cli/job.h. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { MOST = 65536 };

static int wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int wrong(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("tutti run: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return 2;
}

/* ---- options ---- */

/* Reads a number of at least 1 into *to, once. */
static bool number(const char *option, const char *what, const char *text, int *to)
{
    char *end = NULL;
    const long n = text ? strtol(text, &end, 10) : 0;
    if (*to) return wrong("%s is given twice", option), false;
    if (!text || !*text || *end || n < 1 || n > MOST)
        return wrong("%s takes %s, 1 to %d, not \"%s\"", option, what, MOST, text ? text : ""), false;
    *to = (int)n;
    return true;
}

static bool hosts(const char *file, const char **to)
{
    if (*to) return wrong("--hosts is given twice"), false;
    if (!file) return wrong("--hosts takes a file, one host a line"), false;
    if (access(file, R_OK)) return wrong("--hosts %s cannot be read: %s", file, strerror(errno)), false;
    *to = file;
    return true;
}

/* True if the switches of the environment have the word "ranks:all", which says the same as --all. */
static bool all_by_switch(void)
{
    const char *at = getenv("TUTTI");
    for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, "ranks:all", 9) && strchr(",", at[9])) return true;
    return false;
}

/* Reads the options before the program; sets *next to the program. False: prints what is wrong. */
static bool options(int argc, char **argv, job *j, int *next)
{
    int i = 1;
    for (; i < argc && *argv[i] == '-'; i++) {
        const char *is = strchr(argv[i], '='), *value = is ? is + 1 : argv[i + 1];
        const size_t n = is ? (size_t)(is - argv[i]) : strlen(argv[i]);
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "--all")) {
            if (j->all) return wrong("--all is given twice"), false;
            j->all = true;
            continue;
        }
        bool good;
        if (!strncmp(argv[i], "-n", n) && n == 2) good = number("-n", "a number of processes", value, &j->ranks);
        else if (!strncmp(argv[i], "--devices", n) && n == 9)
            good = number("--devices", "a number of devices of a process", value, &j->devices);
        else if (!strncmp(argv[i], "--hosts", n) && n == 7) good = hosts(value, &j->hosts);
        else good = wrong("unknown option %s\n  hint: before the program there may be -n R, --devices D, --hosts FILE, "
                          "--all; the program's own arguments stand behind its name", argv[i]) == 0;
        if (!good) return false;
        i += !is;
    }
    *next = i;
    const char *alone = j->devices ? "--devices" : j->hosts ? "--hosts" : j->all ? "--all" : NULL;
    if (!j->ranks && alone)
        return wrong("%s is for a job\n  hint: tutti run -n 4 %s ... PROGRAM.c: four processes", alone, alone), false;
    j->all |= all_by_switch();
    if (i < argc) return true;
    return wrong("there is no program\n  hint: tutti run -n R [--devices D] [--hosts FILE] [--all] PROGRAM.c "
                 "[ARGUMENTS]"), false;
}

/* ---- start ---- */

/* True if ranks may be on other hosts: hosts are given, or this is the script of a batch system. */
static bool may_be_far(const job *j)
{
    static const char *const variables[] = { "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_MCPU_HOSTS", "PE_HOSTFILE" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) if (getenv(variables[i])) return true;
    return j->hosts != NULL;
}

/* Open MPI's launcher, started by root, wants two variables that say so. */
static bool root_may(const job *j)
{
    static const char *const variables[] = { "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" };
    bool allowed = true;
    for (int i = 0; i < 2; i++) allowed = allowed && getenv(variables[i]) && !strcmp(getenv(variables[i]), "1");
    if (geteuid() || !j->launcher.openmpi || allowed) return true;
    wrong("Open MPI starts no processes for root unless %s=1 and %s=1 are set", variables[0], variables[1]);
    return false;
}

static bool make_token(job *j)
{
    unsigned char bits[JOB_TOKEN / 2];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) return false;
    for (int i = 0; i < JOB_TOKEN / 2; i++) snprintf(j->token + 2 * i, 3, "%02x", bits[i]);
    return true;
}

/* In the child: the launcher, in a session of its own, so that Ctrl-C comes to the tool alone. Does not return. */
static void become_launcher(const job *j, int output)
{
    char self[CLI_PATH] = "", n[16];
    const char *argv[24] = { j->launcher.path };
    int c = 1;
    sigset_t none;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) _exit(127);
    if (j->launcher.openmpi) {
        argv[c++] = "--bind-to", argv[c++] = "none";     /* a rank has several workers */
        if (!j->far) argv[c++] = "--oversubscribe";
        if (j->far) argv[c++] = "-x", argv[c++] = JOB_VARIABLE;
    }
    if (j->hosts) argv[c++] = j->launcher.openmpi ? "--hostfile" : "-f", argv[c++] = j->hosts;
    snprintf(n, sizeof n, "%d", j->ranks);
    argv[c++] = "-n", argv[c++] = n, argv[c++] = self, argv[c++] = "run", argv[c++] = "--rank";
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0), dup2(output, 1), dup2(output, 2);
    execv(argv[0], (char **)argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Open MPI's variables, 4.x and 5.x: where its own files are; when its daemon on a host that is cut off ends, in
 * seconds, which it does after eight minutes by itself. */
static void set_launcher(const job *j)
{
    static const char *const daemon[][2] = { { "time", "10" }, { "intvl", "5" }, { "probes", "4" } };
    char name[64];
    for (int i = 0; j->far && i < 6; i++) {
        snprintf(name, sizeof name, "%s_MCA_oob_tcp_keepalive_%s", i % 2 ? "PRTE" : "OMPI", daemon[i / 2][0]);
        setenv(name, daemon[i / 2][1], 0);
    }
    if (j->far) return;
    setenv("OMPI_MCA_orte_tmpdir_base", j->folder.dir, 0);
    setenv("PRTE_MCA_prte_tmpdir_base", j->folder.dir, 0);
}

/* Starts the launcher. What it writes comes through a pipe. */
static bool launch(job *j)
{
    char at[CLI_PATH + JOB_TOKEN + 2];
    int output[2];
    snprintf(at, sizeof at, "%s@%s", j->token, j->address);
    setenv(JOB_VARIABLE, at, 1);
    set_launcher(j);
    if (pipe2(output, O_CLOEXEC | O_NONBLOCK)) return false;
    fcntl(output[1], F_SETFL, 0);
    j->pid = fork();
    if (!j->pid) become_launcher(j, output[1]);
    close(output[1]);
    j->output_from = output[0];
    if (j->pid > 0) job_folder_holds(&j->folder, j->pid);
    return j->pid > 0;
}

/* Makes signals readable, but for those that the tool was started to ignore. */
static bool take_signals(job *j)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
    struct sigaction is;
    sigset_t mine;
    sigemptyset(&mine);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &is) && is.sa_handler != SIG_IGN) sigaddset(&mine, numbers[i]);
    sigprocmask(SIG_BLOCK, &mine, NULL);
    return (j->signals = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK)) >= 0;
}

/* ---- end ---- */

static void print_end(int status)
{
    if (WIFSIGNALED(status)) fprintf(stderr, "was stopped by signal %d (%s)", WTERMSIG(status),
                                     strsignal(WTERMSIG(status)));
    else fprintf(stderr, "ended with status %d", WEXITSTATUS(status));
}

static int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/* What the launcher has written, without its lines of dashes. */
static void print_launcher_output(job *j)
{
    char *rest = j->output;
    j->output[j->noutput] = '\0';
    for (char *line; (line = strsep(&rest, "\n"));)
        if (line[strspn(line, "-= \t\r")]) fprintf(stderr, "  %s\n", line);
}

static void print_others(int n, const char *why)
{
    if (n == 1) fprintf(stderr, "; the other one was ended%s\n", why);
    else if (n) fprintf(stderr, "; the %d others were ended%s\n", n, why);
    else fputc('\n', stderr);
}

/* The first rank for which `is` returns true, or NULL. */
static const job_peer *first_of(const job *j, bool (*is)(const job_peer *))
{
    const job_peer *first = NULL;
    for (int r = 0; r < j->ranks; r++) {
        const job_peer *p = &j->peer[r];
        if (p->ended && is(p) && (!first || p->order < first->order)) first = p;
    }
    return first;
}
static bool has_failed(const job_peer *p) { return p->status && !p->end_requested && !p->lost; }
static bool is_lost(const job_peer *p) { return p->lost && !p->end_requested && !p->silent; }
static bool was_ended(const job_peer *p) { return p->end_requested && !p->silent; }
static bool is_silent(const job_peer *p) { return p->silent; }
static bool ended_well(const job_peer *p) { return !p->status; }

static int how_many(const job *j, bool (*is)(const job_peer *))
{
    int n = 0;
    for (int r = 0; r < j->ranks; r++) n += j->peer[r].ended && is(&j->peer[r]);
    return n;
}

/* Ranks whose host did not answer: they end by themselves when they notice it. */
static void report_silent(const job *j)
{
    const int all = how_many(j, is_silent);
    int n = 0;
    if (!all) return;
    fprintf(stderr, "tutti run: the host of rank%s", all > 1 ? "s" : "");
    for (int r = 0; r < j->ranks && n < 8; r++)
        if (j->peer[r].silent) fprintf(stderr, "%s %d", n++ ? "," : "", r);
    fprintf(stderr, "%s does not answer\n", all > n ? ", ..." : "");
}

/* A rank failed by itself: says which, unless all have ended with one status. */
static int report_failed(const job *j, const job_peer *p)
{
    const int code = code_of(p->status);
    bool alike = true;
    for (int r = 0; r < j->ranks; r++) alike = alike && has_failed(&j->peer[r]) && j->peer[r].status == p->status;
    if (alike && !WIFSIGNALED(p->status)) return code;   /* as one process would */
    if (alike && j->ranks > 1) fprintf(stderr, "tutti run: each of the %d ranks ", j->ranks);
    else fprintf(stderr, "tutti run: rank %d ", (int)(p - j->peer));
    print_end(p->status);
    print_others(how_many(j, was_ended) + how_many(j, is_lost), "");
    return code;
}

/* No rank failed by itself, but ranks were ended: by the launcher, by its end, or by the end of watchers. */
static int report_ended(job *j)
{
    const job_peer *lost = first_of(j, is_lost), *well = first_of(j, ended_well);
    const int launcher = code_of(j->launcher_status), killed = 128 + SIGKILL;
    const int others = how_many(j, was_ended) + how_many(j, is_lost);
    const char *name = strrchr(j->launcher.path, '/') + 1;
    if (WIFSIGNALED(j->launcher_status)) {
        fprintf(stderr, "tutti run: %s ", name);
        print_end(j->launcher_status);
        fprintf(stderr, "; the %d rank%s ended\n", others, others == 1 ? " was" : "s were");
        return launcher;
    }
    if (lost && (!launcher || launcher == SIGKILL || launcher == killed)) {
        fprintf(stderr, "tutti run: rank %d was lost, since the process that watches it was ended",
                (int)(lost - j->peer));
        print_others(others - 1, "");
        return killed;
    }
    if (well) {
        fprintf(stderr, "tutti run: rank %d ended with status 0", (int)(well - j->peer));
        print_others(others, ", which still ran");
        return launcher ? launcher : 1;
    }
    fprintf(stderr, "tutti run: %s ended the %d rank%s\n", name, others, others == 1 ? "" : "s");
    return launcher ? launcher : 1;
}

static int report_end(job *j)
{
    const job_peer *failed = first_of(j, has_failed);
    report_silent(j);
    if (j->ended_by) return 128 + j->ended_by;
    if (j->connected < j->ranks) {
        fprintf(stderr, "tutti run: %s started %d of %d ranks\n", j->launcher.path, j->connected, j->ranks);
        print_launcher_output(j);
    }
    if (failed) return report_failed(j, failed);
    if (j->connected < j->ranks)
        return !WIFSIGNALED(j->launcher_status) && code_of(j->launcher_status) ? code_of(j->launcher_status) : 1;
    if (first_of(j, is_lost) || first_of(j, was_ended)) return report_ended(j);
    return first_of(j, is_silent) ? 1 : 0;
}

/* ---- the job ---- */

/* Compiles, starts, serves, and reports the end; argv[0] of the program is the source. */
static int run(job *j, const cli_paths *paths)
{
    char program[CLI_PATH + 16];
    const char *source = j->argv[0];
    snprintf(program, sizeof program, "%s/program", j->folder.dir);
    const int status = cli_compile("run", source, program, paths);
    if (status) return status;
    j->argv[0] = program;
    if (!(j->peer = calloc((size_t)j->ranks, sizeof *j->peer))) return wrong("out of memory"), 1;
    for (int r = 0; r < j->ranks; r++) j->peer[r].socket = -1;
    if (!take_signals(j) ||
        (j->listener = job_listen(j->folder.dir, j->far, j->address, sizeof j->address)) < 0 || !launch(j))
        return wrong("%s: %s", j->launcher.path, strerror(errno)), 1;
    job_serve(j);
    if (j->far) job_end_left(j->token);
    const int code = report_end(j);
    free(j->peer);
    return code;
}

static int start_in_folder(job *j, const cli_paths *paths)
{
    char real[CLI_PATH] = "/tmp";
    if (j->far && realpath(j->argv[0], real)) *strrchr(real, '/') = '\0';
    if (!make_token(j) || !job_folder_open(&j->folder, real, j->token))
        return wrong("a folder in %s: %s", real, strerror(errno)), 1;
    const int code = run(j, paths);
    job_folder_close(&j->folder);
    return code;
}

int cli_job(int argc, char **argv)
{
    static job j;                                        /* all zero */
    cli_paths paths;
    char why[CLI_PATH + 512];
    int next;
    if (argc == 2 && !strcmp(argv[1], "--rank")) return cli_rank();
    if (!options(argc, argv, &j, &next)) return 2;
    if (!j.ranks) return argv[next - 1] = argv[0], cli_run(argc - next + 1, argv + next - 1);
    if (cli_is_model(argc - next + 1, argv + next - 1))
        return wrong("-n is for a program in C or C++; %s runs in one process: tutti run %s --in A.npz\n"
                     "  hint: a program that calls tt_import(\"%s\") runs it in several",
                     argv[next], argv[next], argv[next]);
    if (!cli_is_program("run", argv[next])) return 2;
    if (!cli_find_paths("run", &paths)) return 1;
    if (!job_find_launcher(paths.library, &j.launcher, why, sizeof why)) return wrong("%s", why), 1;
    if (!root_may(&j)) return 1;
    for (int i = 0; i < 3; i++) if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return 1;
    j.argv = argv + next;
    j.far = may_be_far(&j);
    return start_in_folder(&j, &paths);
}
