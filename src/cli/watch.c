/* cli/watch.c - tutti run --rank: the watcher beside a rank, which the launcher of MPI starts.
 *
 * The program has a process group of its own, so that signals of the launcher come to the watcher alone. A launcher's
 * SIGTERM reaches the program 0.2 s later, since a program that has ended its job by itself is about to exit, with the
 * status that counts. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
enum { LINE = 1 << 16, FAILED = 127 };

typedef struct {
    int control, signals, rank;
    const char *how;
    char **argv;
    int in, out, err;                                    /* ends of pipes to the program, or -1 */
    int file[JOB_FILES];                                 /* where the program's files go, or -1 */
    pid_t program;
    /* input_requested: input is under way; middle: within a line */
    bool end_requested, input_requested, middle;
    double due;                                          /* when a launcher's SIGTERM goes on; 0: there is none */
    char line[LINE];
    size_t n;
} watcher;

static double watch_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int number_in(const char *const *names, int otherwise)    /* of the first variable that is there */
{
    for (; *names; names++) if (getenv(*names)) return atoi(getenv(*names));
    return otherwise;
}

static bool watch_has(const watcher *w, int letter) { return strchr(w->how, letter) != NULL; }

static void set_environment(const char *words)
{
    setenv("TUTTI", words, 1);
    setenv("MPIR_CVAR_SUPPRESS_ABORT_MESSAGE", "1", 0);  /* MPICH's: the library has told the error */
    unsetenv(JOB_VARIABLE);
}

/* ---- the program ---- */

/* In the child: the program's files, then the program. Does not return. */
static void become(const watcher *w, const int *file, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL), signal(SIGINT, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(FAILED);              /* the watcher had ended before */
    for (int i = 0; i < JOB_FILES; i++) if (dup2(file[i], i) < 0) _exit(FAILED);
    execve(w->argv[0], w->argv, environ);
    fprintf(stderr, "tutti run: rank %d: %s: %s\n", w->rank, w->argv[0], strerror(errno));
    _exit(FAILED);
}

/* Makes a pipe; *mine is the watcher's end of it. The other end, or -1. */
static int piped(int *mine, bool to_program)
{
    int p[2];
    if (pipe2(p, O_CLOEXEC)) return -1;
    *mine = p[to_program];
    return p[!to_program];
}

static bool start(watcher *w)
{
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool files = watch_has(w, JOB_HOW_FILES), all = watch_has(w, JOB_HOW_ALL);
    int file[JOB_FILES] = { none, none, none };
    const pid_t me = getpid();
    if (w->rank == 0) file[0] = watch_has(w, JOB_HOW_INPUT) ? piped(&w->in, true) : files ? w->file[0] : none;
    if (all || (!files && w->rank == 0)) file[1] = piped(&w->out, false);
    else if (w->rank == 0) file[1] = w->file[1];
    file[2] = files ? w->file[2] : piped(&w->err, false);
    for (int i = 0; i < JOB_FILES; i++) if (file[i] < 0) return false;
    w->program = fork();
    if (!w->program) become(w, file, me);
    for (int i = 0; i < JOB_FILES; i++) if (file[i] != none && file[i] != w->file[i]) close(file[i]);
    close(none);
    if (w->program > 0) setpgid(w->program, w->program);
    return w->program > 0;
}

static void signal_program(watcher *w, int number)
{
    if (number != SIGINT) w->end_requested = true;
    if (kill(-w->program, number)) kill(w->program, number);
}

/* ---- what it writes and reads ---- */

static void forward_bytes(watcher *w, int kind, const char *data, size_t bytes)
{
    if (!bytes) return;
    if (watch_has(w, JOB_HOW_FILES)) job_write(w->file[1], data, bytes);
    else for (size_t at = 0; at < bytes; at += JOB_DATA)
        job_send(w->control, kind, data + at, bytes - at < JOB_DATA ? bytes - at : JOB_DATA, NULL);
}

/* Writes the complete lines of w->line in one piece, each after "[rank] "; at the end also an incomplete line. Lines
 * that the library prints have the prefix already. */
static void forward_lines(watcher *w, bool end)
{
    char prefix[16], *out = malloc(LINE * (sizeof prefix + 1) + sizeof prefix);
    const size_t np = (size_t)snprintf(prefix, sizeof prefix, "[%d] ", w->rank);
    size_t n = 0, taken = 0;
    const bool full = w->n == LINE;
    const char *last = memrchr(w->line, '\n', w->n);
    const size_t whole = end || (full && !last) ? w->n : last ? (size_t)(last + 1 - w->line) : 0;
    for (; out && taken < whole; taken++) {
        const bool has = whole - taken >= np && !memcmp(w->line + taken, prefix, np);       /* the library's lines */
        if (!w->middle && !has) memcpy(out + n, prefix, np), n += np;
        out[n++] = w->line[taken];
        w->middle = w->line[taken] != '\n';
    }
    if (end && w->middle && out) out[n++] = '\n', w->middle = false;
    if (out) forward_bytes(w, JOB_OUTPUT, out, n);
    memmove(w->line, w->line + whole, w->n - whole);
    w->n -= whole;
    free(out);
}

/* Passes on what is in the pipe of stdout or stderr. False: the pipe has ended. */
static bool pass_on(watcher *w, int *pipe, int kind)
{
    char data[JOB_DATA];
    const bool lines = kind == JOB_OUTPUT && watch_has(w, JOB_HOW_ALL);
    const ssize_t n = lines ? read(*pipe, w->line + w->n, LINE - w->n) : read(*pipe, data, sizeof data);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n > 0 && lines) w->n += (size_t)n;
    if (lines) forward_lines(w, n <= 0);
    else if (n > 0) forward_bytes(w, kind, data, (size_t)n);
    if (n > 0) return true;
    close(*pipe);
    *pipe = -1;
    return false;
}

static void give_input(watcher *w, const job_message *m)
{
    w->input_requested = false;
    if (w->in >= 0 && m->bytes && job_write(w->in, m->data, m->bytes)) return;
    if (w->in >= 0) close(w->in);
    w->in = -1;
}

/* ---- the watch ---- */

/* Executes the message of the tool. False if the tool is gone. */
static bool obey(watcher *w)
{
    job_message m;
    if (!job_receive(w->control, &m, NULL)) return false;
    if (m.kind == JOB_SIGNAL) signal_program(w, *(const int32_t *)(const void *)m.data);
    if (m.kind == JOB_INPUT) give_input(w, &m);
    free(m.data);
    return true;
}

/* True if the program has ended. */
static bool heard(watcher *w)
{
    struct signalfd_siginfo s;
    siginfo_t end = { 0 };
    if (read(w->signals, &s, sizeof s) == (ssize_t)sizeof s && s.ssi_signo == SIGTERM && w->due == 0)
        w->due = watch_clock() + 0.2, w->end_requested = true;
    return !waitid(P_PID, (id_t)w->program, &end, WEXITED | WNOWAIT | WNOHANG) && end.si_pid == w->program;
}

/* Returns when the program has ended, or false when the tool has. */
static bool watch_program(watcher *w)
{
    for (;;) {
        struct pollfd at[] = { { w->control, POLLIN, 0 }, { w->signals, POLLIN, 0 }, { w->out, POLLIN, 0 },
                               { w->err, POLLIN, 0 }, { w->input_requested ? -1 : w->in, POLLOUT, 0 } };
        const double left = w->due > 0 ? w->due - watch_clock() : 3600;
        poll(at, sizeof at / sizeof *at, left > 0 ? (int)(1000 * left) + 1 : 0);
        if (w->due > 0 && watch_clock() >= w->due) signal_program(w, SIGTERM), w->due = 1e300;
        if (at[0].revents && !obey(w)) return false;
        if (at[2].revents) pass_on(w, &w->out, JOB_OUTPUT);
        if (at[3].revents) pass_on(w, &w->err, JOB_ERRORS);
        if (at[4].revents & POLLERR) close(w->in), w->in = -1;       /* the program has closed its stdin */
        else if (at[4].revents) w->input_requested = job_send(w->control, JOB_INPUT_READY, NULL, 0, NULL);
        if (at[1].revents && heard(w)) return true;
    }
}

/* Passes on the rest of what the program has written, for at most 0.5 s: a child of the program may keep it open. */
static void drain(watcher *w)
{
    const double end = watch_clock() + 0.5;
    while ((w->out >= 0 || w->err >= 0) && watch_clock() < end) {
        struct pollfd at[] = { { w->out, POLLIN, 0 }, { w->err, POLLIN, 0 } };
        if (poll(at, 2, 100) <= 0) continue;
        if (at[0].revents) pass_on(w, &w->out, JOB_OUTPUT);
        if (at[1].revents) pass_on(w, &w->err, JOB_ERRORS);
    }
    if (w->n) forward_lines(w, true);
}

/* Reports how the program ended, and waits until the tool lets the watcher go: at once if the program ended well, else
 * when the other ranks have had time for their output, since a launcher would end them. A socket that is closed before
 * all of its input is read loses the output that is still in it. */
static int report_end(watcher *w)
{
    int status = 0;
    if (w->end_requested) kill(-w->program, SIGKILL);    /* and what the program has started */
    while (waitpid(w->program, &status, 0) < 0) if (errno != EINTR) break;
    drain(w);
    const job_ended end = { status, w->end_requested };
    if (job_send(w->control, JOB_ENDED, &end, sizeof end, NULL)) {
        job_message m;
        while (job_receive(w->control, &m, NULL)) {
            free(m.data);
            if (m.kind == JOB_LEAVE) break;
        }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool join(watcher *w, job_message *m)
{
    static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL };
    const char *at = getenv(JOB_VARIABLE);
    job_hello hello = { .rank = number_in(ranks, -1) };
    if (!at || strlen(at) < JOB_TOKEN + 1) {
        fprintf(stderr, "tutti run: --rank is what a launcher of MPI is told by tutti run -n\n");
        return false;
    }
    memcpy(hello.token, at, JOB_TOKEN);
    w->rank = hello.rank;
    w->control = job_connect(at + JOB_TOKEN + 1);
    if (w->control >= 0 && hello.rank >= 0 && job_send(w->control, JOB_HELLO, &hello, sizeof hello, NULL) &&
        job_receive(w->control, m, w->file) && m->kind == JOB_START && m->bytes > 3) return true;
    fprintf(stderr, "tutti run: rank %d cannot reach the tool at %s: %s\n", hello.rank, at + JOB_TOKEN + 1,
            strerror(errno));
    return false;
}

/* The texts of JOB_START: how, words, then the program's arguments. */
static bool read_start(watcher *w, const job_message *m)
{
    size_t texts = 0, n = 0;
    for (size_t i = 0; i < m->bytes; i++) texts += !m->data[i];
    w->argv = calloc(texts + 1, sizeof *w->argv);
    if (!w->argv || texts < 3) return false;
    w->how = m->data;
    const char *words = m->data + strlen(m->data) + 1;
    for (const char *p = words + strlen(words) + 1; p < m->data + m->bytes; p += strlen(p) + 1)
        w->argv[n++] = (char *)p;
    set_environment(words);
    return true;
}

int cli_rank(void)
{
    static watcher w = { .in = -1, .out = -1, .err = -1, .file = { -1, -1, -1 } };
    static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 };
    job_message m = { 0 };
    sigset_t mine;
    sigemptyset(&mine);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&mine, numbers[i]);
    sigprocmask(SIG_BLOCK, &mine, NULL);
    signal(SIGPIPE, SIG_IGN);
    w.signals = signalfd(-1, &mine, SFD_CLOEXEC);
    if (!join(&w, &m)) return 2;
    if (!read_start(&w, &m) || !start(&w)) {
        fprintf(stderr, "tutti run: rank %d cannot be started: %s\n", w.rank, strerror(errno));
        return 1;
    }
    if (watch_program(&w)) return report_end(&w);
    kill(-w.program, SIGKILL);
    return 128 + SIGTERM;
}
