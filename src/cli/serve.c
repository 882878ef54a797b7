/* cli/serve.c - the tool's side of a job: connections of the watchers, signals, stdin, and how a job is ended.
 *
 * Stages of ending: after the first rank that fails the others have 1 s to end by themselves; then SIGTERM, a second
 * later SIGKILL; a launcher that does not end then is ended too, and ranks of other hosts that have not answered are
 * not waited for: the connection to their host is broken, which their watchers notice as well. If all ranks that have
 * connected have ended, the others must connect within the patience. */
#include "job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <tutti/form.h>
#include <unistd.h>

enum { RUNNING, GRACE, TERM, KILL, LAUNCHER, NOTHING };  /* what has begun */

static double serve_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void signal_rank(job_peer *p, int32_t number)
{
    if (p->socket < 0 || p->ended) return;
    job_send(p->socket, JOB_SIGNAL, &number, sizeof number, NULL);
    p->end_requested |= number != SIGINT;
}

static void signal_ranks(job *j, int32_t number)
{
    for (int r = 0; r < j->ranks; r++) signal_rank(&j->peer[r], number);
}

/* Begins a stage and those before it, if they have not begun. */
static void begin(job *j, int stage)
{
    static const double until_next[] = { 0, 1, 1, 2, 2, 1e9 };
    while (j->stage < stage) {
        j->due = serve_clock() + until_next[++j->stage];
        if (j->stage == TERM) signal_ranks(j, SIGTERM);
        if (j->stage == KILL) signal_ranks(j, SIGKILL);
        if (j->stage >= LAUNCHER && j->pid) kill(-j->pid, j->stage == LAUNCHER ? SIGTERM : SIGKILL);
    }
}

/* ---- watchers ---- */

/* Writes the switches of the ranks: those of the environment, "ranks" once, and the devices. */
static void write_switches(FILE *f, const job *j)
{
    const char *const given = getenv("TUTTI"), *own = given ? given : "";
    for (size_t n; *own; own += n + (own[n] == ',')) {
        n = strcspn(own, ",");
        const bool ranks = (n == 5 && !strncmp(own, "ranks", n)) || (n == 9 && !strncmp(own, "ranks:all", n));
        if (!ranks) fprintf(f, "%.*s,", (int)n, own);
    }
    fprintf(f, "ranks%s", j->all ? ":all" : "");
    if (j->devices) fprintf(f, ",devices:%d", j->devices);
}

/* The message that a watcher begins with: texts, each ending in 0. */
static char *start_message(const job *j, int rank, size_t *bytes)
{
    char *data = NULL;
    const bool input = rank == 0 && (j->far || isatty(0));
    FILE *f = tt_open_memstream(&data, bytes);
    if (!f) return NULL;
    fprintf(f, "%s%s%s", j->far ? "" : "f", input ? "i" : "", j->all ? "a" : "");
    fputc(0, f);
    write_switches(f, j);
    fputc(0, f);
    for (char **a = j->argv; *a; a++) fwrite(*a, 1, strlen(*a) + 1, f);
    fclose(f);
    return data;                                         /* NULL: memory ran out */
}

/* Accepts a connection if it is from a watcher of this job that is not too late. If the job is being ended, the new
 * watcher's program is ended at once. */
static void greet(job *j)
{
    static const int file[JOB_FILES] = { 0, 1, 2 };
    const struct timeval soon = { 2, 0 }, later = { 30, 0 };
    job_message m = { 0 };
    job_hello hello = { .rank = -1 };
    size_t bytes = 0;
    const int s = accept4(j->listener, NULL, NULL, SOCK_CLOEXEC);
    if (s < 0) return;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    if (job_receive(s, &m, NULL) && m.kind == JOB_HELLO && m.bytes == sizeof hello)
        memcpy(&hello, m.data, sizeof hello);
    free(m.data);
    const bool ours = !j->missed && hello.rank >= 0 && hello.rank < j->ranks && j->peer[hello.rank].socket < 0 &&
                      !memcmp(hello.token, j->token, JOB_TOKEN);
    char *data = ours ? start_message(j, hello.rank, &bytes) : NULL;
    if (!data || !job_send(s, JOB_START, data, bytes, j->far ? NULL : file)) {
        close(s);
    } else {
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &later, sizeof later);
        setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &later, sizeof later);
        if (j->far) job_watch_far(s);
        j->peer[hello.rank] = (job_peer){ .socket = s };
        j->connected++;
        if (j->stage == RUNNING) j->due = 0;
        if (j->stage >= TERM) signal_rank(&j->peer[hello.rank], j->stage == TERM ? SIGTERM : SIGKILL);
    }
    free(data);
}

static double patience(void)                             /* TUTTI=patience:N, in seconds */
{
    const char *const word = tt_config_value("patience");
    return word ? atof(word) : 30;
}

static void end_rank(job *j, job_peer *p, int status, bool end_requested)
{
    p->ended = true;
    p->status = status;
    p->end_requested = end_requested;
    p->order = ++j->gone;
    if (status) begin(j, GRACE);
    else job_send(p->socket, JOB_LEAVE, NULL, 0, NULL);
    if (j->gone < j->ranks) {
        if (j->gone == j->connected && j->stage == RUNNING) j->due = serve_clock() + patience();
        return;
    }
    for (int r = 0; r < j->ranks; r++)
        if (j->peer[r].status) job_send(j->peer[r].socket, JOB_LEAVE, NULL, 0, NULL);
    begin(j, KILL);                                      /* the launcher has 2 s to end */
}

static void lose(job *j, job_peer *p, bool silent)
{
    close(p->socket);
    p->socket = -1;
    if (p->ended) return;
    p->lost = true, p->silent = silent;
    end_rank(j, p, SIGKILL, p->end_requested);
}

/* Reads a message of a watcher. A watcher that is gone without having reported the end of its program was ended by
 * SIGKILL, and so was its program. */
static void listen_to(job *j, job_peer *p)
{
    job_message m;
    job_ended end;
    errno = 0;
    if (!job_receive(p->socket, &m, NULL)) {
        lose(j, p, errno == ETIMEDOUT || errno == EHOSTUNREACH);
        return;
    }
    if (m.kind == JOB_OUTPUT) job_write(1, m.data, m.bytes);
    if (m.kind == JOB_ERRORS) job_write(2, m.data, m.bytes);
    if (m.kind == JOB_INPUT_READY) p->input_ready = true;
    if (m.kind == JOB_ENDED && m.bytes == sizeof end && !p->ended) {
        memcpy(&end, m.data, sizeof end);
        end_rank(j, p, end.status, end.end_requested);
    }
    free(m.data);
}

/* ---- the tool's own files and signals ---- */

static void give_stdin(job *j)
{
    char data[JOB_DATA];
    const ssize_t n = read(0, data, sizeof data);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    j->peer[0].input_ready = false;
    job_send(j->peer[0].socket, JOB_INPUT, data, n > 0 ? (size_t)n : 0, NULL);
}

/* True if stdin can be read: a process in the background of its terminal would be stopped. */
static bool may_read(const job *j)
{
    return j->peer[0].input_ready && !j->peer[0].ended && (!isatty(0) || tcgetpgrp(0) == getpgrp());
}

static void hear_launcher(job *j)
{
    char data[1024];
    const ssize_t n = read(j->output_from, data, sizeof data);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        close(j->output_from);
        j->output_from = -1;
        return;
    }
    const size_t space = sizeof j->output - 1 - j->noutput, take = (size_t)n < space ? (size_t)n : space;
    memcpy(j->output + j->noutput, data, take);
    j->noutput += take;
}

static void end_launcher_seen(job *j)
{
    int status;
    if (!j->pid || waitpid(j->pid, &status, WNOHANG) != j->pid) return;
    job_folder_holds(&j->folder, 0);
    j->pid = 0;
    j->launcher_status = status;
    if (j->gone < j->connected) begin(j, j->launcher_status ? KILL : GRACE);
}

static void hear_signal(job *j)
{
    struct signalfd_siginfo s;
    if (read(j->signals, &s, sizeof s) != (ssize_t)sizeof s) return;
    const int number = (int)s.ssi_signo;
    if (number == SIGCHLD) {
        end_launcher_seen(j);
    } else if (number == SIGINT && j->connected == j->ranks && !j->interrupts++) {
        signal_ranks(j, SIGINT);
    } else {
        if (!j->ended_by) j->ended_by = number;
        begin(j, number == SIGINT ? KILL : TERM);
        if (j->connected < j->ranks) begin(j, LAUNCHER);
    }
}

/* All has been done to end the ranks: those that have not answered to it will not be waited for. */
static void lose_silent(job *j)
{
    for (int r = 0; r < j->ranks; r++) if (j->peer[r].socket >= 0 && !j->peer[r].ended) lose(j, &j->peer[r], true);
}

void job_serve(job *j)
{
    struct pollfd *at = calloc((size_t)j->ranks + 4, sizeof *at);
    while (at && (j->pid || j->gone < j->connected)) {
        at[0] = (struct pollfd){ j->signals, POLLIN, 0 };
        at[1] = (struct pollfd){ j->listener, POLLIN, 0 };
        at[2] = (struct pollfd){ j->output_from, POLLIN, 0 };
        at[3] = (struct pollfd){ may_read(j) ? 0 : -1, POLLIN, 0 };
        for (int r = 0; r < j->ranks; r++) at[4 + r] = (struct pollfd){ j->peer[r].socket, POLLIN, 0 };
        const double left = j->due > 0 ? j->due - serve_clock() : 60;
        poll(at, (nfds_t)j->ranks + 4, left > 60 ? 60000 : left > 0 ? (int)(1000 * left) + 1 : 0);
        for (int r = 0; r < j->ranks; r++) if (at[4 + r].revents) listen_to(j, &j->peer[r]);
        if (at[2].revents) hear_launcher(j);
        if (at[3].revents) give_stdin(j);
        if (at[0].revents) hear_signal(j);
        if (at[1].revents) greet(j);
        if (j->due > 0 && serve_clock() >= j->due) {
            j->missed |= j->stage == RUNNING;
            begin(j, j->stage < NOTHING ? j->stage + 1 : NOTHING);
            if (j->stage == NOTHING && j->far) lose_silent(j);
        }
    }
    if (j->output_from >= 0) hear_launcher(j);
    free(at);
}
