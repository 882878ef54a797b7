/* output.c - lines of tt_print and tt_show: none is lost while signals interrupt writes, or the status says so; none
 * goes into a file that was opened where a standard stream was closed.
 *
 * usage: output [--inside PART FOLDER]. The program starts itself with the streams that a case is of. */
#include "check.h"
#include "tutti.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tutti/metrics.h>
#include <unistd.h>

enum { LINES = 200, LONG = 3000 };
static char room[64] = "/tmp/tutti-output-XXXXXX";

/* ---- inside ---- */

static void heard(int number) { (void)number; }

/* Prints much while a timer interrupts; its handler does not let calls start again. */
static void interrupted(void)
{
    const struct sigaction hears = { .sa_handler = heard };
    const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
    static char text[LONG];
    memset(text, 'x', sizeof text - 1);
    sigaction(SIGALRM, &hears, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < LINES; i++) tt_print("%d %s", i, text);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void measured(const char *folder)
{
    const tt_metric_writer w = tt_metric_writer_open(folder, .formats = "csv, jsonl");
    for (int i = 0; i < 3; i++) {
        tt_write_scalars(w, i, tt_dict("loss", tt_f(i)));
        tt_print("a line of output at step %d", i);
    }
    tt_metric_writer_flush(w);
}

static int inside(const char *part, const char *folder)
{
    if (!strcmp(part, "interrupted")) interrupted();
    if (!strcmp(part, "measured")) measured(folder);
    if (!strcmp(part, "printf")) printf("a line that stays in the stream\n");
    if (!strcmp(part, "line") || !strcmp(part, "undone")) tt_show(tt_f(1));
    return strcmp(part, "undone") ? tt_done() : 0;
}

/* ---- outside ---- */

/* Starts a part; out, err: its streams, -1: closed. Its number. */
static pid_t starts(const char *part, int out, int err)
{
    const pid_t pid = fork();
    if (pid) return pid;
    if (out < 0) close(0), close(1);
    else dup2(out, 1);
    if (err >= 0) dup2(err, 2);
    execl("/proc/self/exe", "output", "--inside", part, room, (char *)NULL);
    _exit(99);
}

static int status_of(pid_t pid)
{
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads slowly what a part prints; counts the complete lines of a length, and the others. */
static void lines_of(int from, size_t length, int *whole, int *other)
{
    char data[2000];
    size_t at = 0;
    *whole = *other = 0;
    for (ssize_t n; (n = read(from, data, sizeof data)) > 0; usleep(1000))
        for (ssize_t i = 0; i < n; i++) {
            if (data[i] != '\n') { at++; continue; }
            ++*(at > length && at <= length + 4 ? whole : other);
            at = 0;
        }
}

static void while_signals_come(void)
{
    int pipes[2], whole, other;
    if (pipe2(pipes, O_CLOEXEC)) return;
    const pid_t pid = starts("interrupted", pipes[1], -1);
    close(pipes[1]);
    lines_of(pipes[0], LONG - 1, &whole, &other);
    close(pipes[0]);
    const int status = status_of(pid);
    CHECK(status == 0 && whole == LINES && !other, "status %d, %d of %d lines, %d others", status, whole, LINES, other);
}

/* What a part says on stderr, with its stdout there. */
static int told(const char *part, const char *stdout_is, char *text, size_t capacity)
{
    int pipes[2];
    size_t n = 0;
    if (pipe2(pipes, O_CLOEXEC)) return -1;
    const int out = stdout_is ? open(stdout_is, O_WRONLY | O_CLOEXEC) : -1;
    const pid_t pid = starts(part, out, pipes[1]);
    close(pipes[1]);
    if (out >= 0) close(out);
    for (ssize_t k; n + 1 < capacity && (k = read(pipes[0], text + n, capacity - 1 - n)) > 0;) n += (size_t)k;
    text[n] = 0;
    close(pipes[0]);
    return status_of(pid);
}

static void on_a_full_disk(void)
{
    static const char *const parts[] = { "line", "printf", "undone" };
    char text[1000];
    for (int i = 0; i < 3; i++) {
        const int status = told(parts[i], "/dev/full", text, sizeof text);
        CHECK(status == TT_EIO && strstr(text, "the output is not written: No space left on device"),
              "%s: status %d: %s", parts[i], status, text);
    }
    CHECK(told("line", NULL, text, sizeof text) == 0 && !*text, "stdout is closed: %s", text);
    CHECK(told("line", "/dev/null", text, sizeof text) == 0 && !*text, "nobody reads: %s", text);
}

static size_t file_of(const char *name, char *text, size_t capacity)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", room, name);
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(text, 1, capacity - 1, f) : 0;
    if (f) fclose(f);
    return text[n] = 0, n;
}

static void with_closed_streams(void)
{
    char text[2000];
    const int status = told("measured", NULL, text, sizeof text);
    CHECK(status == 0, "status %d: %s", status, text);
    CHECK(file_of("metrics.csv", text, sizeof text) && !strncmp(text, "step,wall_time,loss\n0,", 22) &&
              !strstr(text, "output"), "a line is in the file: %s", text);
    CHECK(file_of("metrics.jsonl", text, sizeof text) && !strncmp(text, "{\"step\": 0", 10) && !strstr(text, "output"),
          "a line is in the file: %s", text);
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "--inside")) return inside(argv[2], argv[3]);
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    char command[100];
    if (!check_folder(room)) return 1;
    while_signals_come();
    on_a_full_disk();
    with_closed_streams();
    snprintf(command, sizeof command, "rm -rf %s", room);
    CHECK(system(command) == 0, "%s stays", room);
    tt_done();
    return check_done();
}
