/* api_loops.c - the progress bar on a terminal of 40 columns, without colour, and on none, in loops inside of loops, on
 * a terminal that becomes narrower; time left and rate; notes; Ctrl-C; threads. */
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

#include "check.h"

static int notes;
static int noted(void) { return ++notes; }

static int bar(void)
{
    for (tt_loop it = tt_steps(50, .bar = "train"); tt_next(&it);) {
        tt_note(&it, "loss %d, and a note that is longer than the line has space for", noted());
        if (it.i == 25) tt_print("halfway");
        usleep(4000);
    }
    return tt_done();
}

static int timed(void)
{
    for (tt_loop it = tt_steps(12, .bar = "t\xc3\xbc\x1b"); tt_next(&it);) usleep(it.i ? 30000 : 300000);
    return tt_done();
}

static int nested(void)
{
    for (tt_loop it = tt_steps(3, .bar = "outer"); tt_next(&it);)
        for (tt_loop in = tt_steps(4, .bar = "inner"); tt_next(&in);) usleep(40000);
    return tt_done();
}

static int narrower(void)
{
    for (tt_loop it = tt_steps(20, .bar = "train"); tt_next(&it);) {
        usleep(20000);
        if (it.i == 10) ioctl(STDERR_FILENO, TIOCSWINSZ, &(struct winsize){ .ws_row = 30, .ws_col = 24 });
    }
    return tt_done();
}

static void *beside(void *p)
{
    for (tt_loop it = tt_steps(10, .bar = "second"); tt_next(&it);) usleep(20000);
    return tt_done(), p;
}
static int both(void)
{
    pthread_t t;
    tt_loop it = tt_steps(20, .bar = "first");
    tt_next(&it), tt_next(&it);                          /* it has the screen */
    pthread_create(&t, NULL, beside, NULL);
    while (tt_next(&it)) {
        usleep(20000);
        if (it.i == 18) pthread_join(t, NULL);           /* the second ends while this loop has the screen */
    }
    return tt_done();
}

static void starts(void)
{
    int64_t first = -1, n = 0;
    for (tt_loop it = tt_steps(10, .start = 7); tt_next(&it); n++) if (first < 0) first = it.i;
    CHECK(first == 7 && n == 3, "from %d, %d iterations", (int)first, (int)n);
    for (tt_loop it = tt_steps(10, .start = 10); tt_next(&it);) n++;
    CHECK(n == 3 && tt_ok(), "nothing is left: %s", tt_error());
    for (tt_loop it = tt_steps(10, .start = 11); tt_next(&it);) n++;
    CHECK(n == 3 && strstr(tt_error(), ".start = 11 of a loop of 10 iterations"), "%s", tt_error());
    tt_clear();
    for (tt_loop it = tt_steps(10, .start = -1); tt_next(&it);) n++;
    CHECK(n == 3 && !tt_ok(), "-1");
    tt_clear();
}

static int interrupted(void)
{
    for (tt_loop it = tt_steps(1000000); tt_next(&it);) {
        if (it.i == 3) raise(SIGINT);
        usleep(1000);
    }
    for (tt_loop it = tt_steps(5); tt_next(&it);) tt_print("a later loop");
    char folder[64] = "/tmp/tutti-interrupt-XXXXXX", path[80], command[96];
    snprintf(path, sizeof path, "%s/run", check_folder(folder) ? folder : "/nowhere");
    const bool saved = tt_save(path, tt_dict("w", tt_f(7)));
    tt_print("a save: %d, %g", saved, tt_num(tt_get(tt_load(path), "w")));
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) tt_print("the save stays");
    tt_print("after it: %g %s", tt_num(tt_neg(tt_f(1))), tt_ok() ? "ok" : "failed");
    return tt_done();
}

static int long_line(void)
{
    tt_print("%9000d is the end of a long line\n", 7);
    return tt_done();
}

static int resumed(void)
{
    int turns = 0;
    for (tt_loop it = tt_steps(10); tt_next(&it);) if (it.i == 3) raise(SIGINT);
    tt_clear();
    for (tt_loop it = tt_steps(10); tt_next(&it);) turns++;
    tt_print("%d turns more", turns);
    return tt_done();
}

/* Ends of main without tt_done. */
static tt_val wrong(void) { return tt_matmul(tt_ones(TT_F32, 2), tt_ones(TT_F32, 3)); }
static void *wrong_thread(void *p)
{
    wrong();
    return p;
}
static void on_thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wrong_thread, NULL);
    pthread_join(t, NULL);
}
static int silent(void) { return wrong(), exit(0), 0; }
static int own_status(void) { return wrong(), exit(5), 0; }
static int cleared(void) { return wrong(), tt_clear(), exit(0), 0; }
static int error_read(void) { return wrong(), (void)tt_error(), exit(0), 0; }
static int done(void) { return wrong(), (void)tt_done(), exit(0), 0; }
static int other_thread(void) { return on_thread(), tt_ok() ? tt_done() : 99; }
static int other_silent(void) { return on_thread(), exit(0), 0; }
static int forked(void)
{
    const pid_t child = (wrong(), fork());
    int status = 0;
    if (!child) exit(0);
    waitpid(child, &status, 0);
    return tt_clear(), WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int twice(void)
{
    for (tt_loop it = tt_steps(1000000); tt_next(&it);) {
        raise(SIGINT);
        raise(SIGINT);
    }
    return 0;
}

/* Runs f in a child whose three files are a terminal (columns > 0) or a pipe; its output in text. */
static int run(int (*f)(void), int columns, char *text, size_t capacity)
{
    struct winsize w = { .ws_row = 24, .ws_col = (unsigned short)columns };
    int fd[2] = { -1, -1 }, status = 0;
    size_t n = 0;
    pid_t child;
    fflush(stdout);
    if (columns) {
        child = forkpty(&fd[0], NULL, NULL, &w);
    } else {
        if (pipe(fd)) return -1;
        child = fork();
        if (!child) dup2(fd[1], 1), dup2(fd[1], 2);
        else close(fd[1]);
    }
    if (!child) {
        signal(SIGINT, SIG_DFL);
        const int rc = f();
        fflush(stdout);
        _exit(rc);
    }
    for (ssize_t got; n + 1 < capacity && (got = read(fd[0], text + n, capacity - n - 1)) > 0;) n += (size_t)got;
    text[n] = '\0';
    close(fd[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int widest(const char *s)                         /* between returns, without escapes */
{
    int wide = 0, here = 0;
    for (; *s; s++) {
        if (*s == '\033') {
            while (*s && !((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) s++;
            continue;
        }
        here = *s == '\r' || *s == '\n' ? 0 : here + 1;
        if (here > wide) wide = here;
    }
    return wide;
}

static tt_val thread_result[4];
static tt_val square(tt_val x) { return tt_mul(x, x); }
static tt_val shared;

static void *in_thread(void *p)
{
    const int me = (int)(intptr_t)p;
    bool *good = calloc(1, sizeof *good);
    *good = true;
    for (int i = 0; i < 200; i++) {
        tt_scope s = tt_scope_open();
        const tt_val y = tt_add(tt_call(tt_jit(square), shared), tt_f(me));
        *good &= tt_num(tt_sum(y)) == 4.0 * (9 + me);
        tt_scope_close(s);
    }
    tt_add(tt_ones(TT_F32, 2), tt_ones(TT_F32, 3));      /* an error is this thread's own */
    *good &= !tt_ok();
    tt_clear();
    thread_result[me] = tt_keep(tt_f(me));               /* a kept value outlives its thread */
    tt_done();
    return good;
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

static void threads(void)
{
    pthread_t t[4];
    shared = tt_mul(tt_ones(TT_F32, 4), tt_f(3));
    tt_on_error(quiet, NULL);
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, in_thread, (void *)(intptr_t)i);
    for (int i = 0; i < 4; i++) {
        void *good;
        pthread_join(t[i], &good);
        CHECK(*(bool *)good, "thread %d", i);
        CHECK(tt_num(thread_result[i]) == i, "a kept value of thread %d", i);
        tt_drop(thread_result[i]);
        free(good);
    }
    CHECK(tt_ok(), "errors of other threads are theirs");
    tt_on_error(NULL, NULL);
}

/* Two loops that advance together: an iteration of the outer one ends that of the inner one, and not the other way. */
static void together(void)
{
    tt_loop inner = tt_steps(50);
    double sum = 0;
    for (tt_loop outer = tt_steps(50); tt_next(&outer);) {
        const tt_val x = tt_add(tt_ones(TT_F32, 2), tt_i(outer.i));
        if (!tt_next(&inner)) break;
        const tt_val y = tt_add(tt_ones(TT_F32, 2), tt_i(inner.i));
        sum += tt_num(tt_sum(tt_add(x, y)));
    }
    CHECK(tt_ok() && sum == 4 * 50 * 51 / 2, "%g: %s", sum, tt_error());
    tt_clear();
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    static char text[1 << 16];
    unsetenv("NO_COLOR");
    CHECK(run(bar, 40, text, sizeof text) == 0, "the bar ends well");
    CHECK(widest(text) <= 40 && strchr(text, '\r') && strstr(text, "\033[36m"), "40 columns: %d", widest(text));
    CHECK(strstr(text, "train 50/50") && strstr(text, "halfway\r\n"), "%s", text);
    CHECK(run(timed, 100, text, sizeof text) == 0 && strstr(text, "s left, ") && strstr(text, "/s"), "%s", text);
    const char *end = strstr(text, "t\xc3\xbc  12/12 ");
    CHECK(end && !strstr(end, "left") && strstr(end, "/s\r\n"), "the last line has the rate of all: %s", text);
    CHECK(run(nested, 80, text, sizeof text) == 0 && strstr(text, "inner 4/4") && strstr(text, "outer 2/3"), "%s",
          text);
    end = strstr(text, "outer 3/3");
    CHECK(end && !strchr(text, '\n')[1] && strchr(end, '\n') == strchr(text, '\n'), "one line stays: %s", text);
    CHECK(run(narrower, 80, text, sizeof text) == 0 && (end = strstr(text, "\033[3A\r\033[J")), "%s", text);
    CHECK(end && widest(end) <= 24, "24 columns: %s", text);
    CHECK(run(both, 80, text, sizeof text) == 0 && strstr(text, "first 20/20") && !strstr(text, "second 5/10"), "%s",
          text);
    setenv("TERM", "dumb", 1);
    CHECK(run(bar, 80, text, sizeof text) == 0 && !strchr(text, '\033') && strstr(text, "train 50/50 "), "%s", text);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    CHECK(run(bar, 80, text, sizeof text) == 0 && !strstr(text, "\033[36m"), "NO_COLOR");
    unsetenv("NO_COLOR");
    CHECK(run(bar, 0, text, sizeof text) == 0 && !strchr(text, '\r') && !strchr(text, '\033'), "no terminal: %s", text);
    int lines = 0;
    for (const char *s = text; *s; s++) lines += *s == '\n';
    CHECK(lines >= 10 && lines <= 13, "a line now and then: %d", lines);
    CHECK(run(interrupted, 0, text, sizeof text) == 130 && strstr(text, "interrupted: loops end"), "Ctrl-C: %s", text);
    CHECK(strstr(text, "a save: 1, 7"), "a save after Ctrl-C: %s", text);
    CHECK(strstr(text, "after it: -1 ok") && !strstr(text, "a later loop"), "after Ctrl-C: %s", text);
    CHECK(run(long_line, 0, text, sizeof text) == 0 && strstr(text, "7 is the end of a long line\n"), "a long line");
    CHECK(run(resumed, 0, text, sizeof text) == 130 && strstr(text, "10 turns more"), "Ctrl-C, cleared: %s", text);
    const int code = run(silent, 0, text, sizeof text);
    CHECK(code == TT_ESHAPE && strstr(text, "main ended with 0 and without tt_done()"), "%d: %s", code, text);
    CHECK(run(own_status, 0, text, sizeof text) == 5 && !strstr(text, "tt_done()"), "a status of its own: %s", text);
    CHECK(run(cleared, 0, text, sizeof text) == 0, "a cleared error: %s", text);
    CHECK(run(error_read, 0, text, sizeof text) == 0, "an error that was asked for: %s", text);
    CHECK(run(done, 0, text, sizeof text) == 0, "a status that main does not want: %s", text);
    CHECK(run(other_thread, 0, text, sizeof text) == TT_ESHAPE, "an error on another thread: %s", text);
    CHECK(run(other_silent, 0, text, sizeof text) == TT_ESHAPE, "the same without tt_done: %s", text);
    CHECK(run(forked, 0, text, sizeof text) == 0, "a fork's exit: %s", text);
    CHECK(run(twice, 0, text, sizeof text) == 1000 + SIGINT, "the second Ctrl-C kills");
    starts();
    threads();
    together();
    bar();
    CHECK(notes > 0 && notes < 50, "notes are evaluated when due: %d", notes);
    CHECK(tt_done() == 0, "done");
    return check_done();
}
