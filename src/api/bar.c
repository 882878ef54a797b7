/* api/bar.c - progress bars on stderr: name, number, bar, time, time left, rate, note.
 *
 * On a terminal the bar is drawn at most ten times a second, within the columns that the terminal has then; otherwise,
 * and with TERM=dumb, a line is written at each tenth of the loop, and after a minute without one. One bar is on the
 * screen: that of the innermost loop of the thread that began first; bars of other threads wait.
 *
 * The rate is tqdm's: exponential means of iterations and of seconds between two drawings, weight 0.3, divided. The
 * first iteration, which compiles, is not in it. */
#include "bar.h"

#include "api.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS = 40, NAME = 4 * COLUMNS + 1, NOTE = 160, LINE = 1024 };
struct api_bar {
    char name[NAME], note[NOTE];
    int64_t from, n;
    double begin, drawn;                                 /* drawn: when it was last */
    int64_t tenth;
    int64_t seen; double seen_at;                        /* at the last drawing */
    bool first_over; double first_at;                    /* the first iteration is over, and when */
    double iterations, seconds;                          /* exponential means */
    int columns;                                         /* of what is on the screen */
    pthread_t thread;
    struct api_bar *below;                               /* the outer loop's, while this one has the screen */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static api_bar *screen;                                  /* under the lock */

/* ---- the terminal ---- */

static int terminal_columns(void)
{
    struct winsize w;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 0) return w.ws_col;
    const char *s = getenv("COLUMNS");
    return s && atoi(s) > 0 ? atoi(s) : 80;
}

/* True if stderr is a terminal on which a line can be written again. */
static bool repaints(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

static bool bar_colors(void)
{
    const char *s = base_switch("color"), *no = getenv("NO_COLOR");
    if (s) return !strcmp(s, "always");
    return !(no && *no) && repaints();
}

/* Goes to the beginning of what is on the screen and erases it. A terminal that has become narrower has wrapped it. */
static void erase(const api_bar *b)
{
    const int now = terminal_columns(), up = b->columns > now && now > 0 ? (b->columns - 1) / now : 0;
    if (up) fprintf(stderr, "\033[%dA", up);
    fputs("\r\033[J", stderr);
}

/* ---- texts ---- */

/* The bytes of the first character of a text, and its columns: those of East Asia and emoji take two. */
static int character(const char *s, int *columns)
{
    const unsigned char *u = (const unsigned char *)s;
    const int n = *u < 0x80 ? 1 : *u >= 0xf0 ? 4 : *u >= 0xe0 ? 3 : *u >= 0xc0 ? 2 : 1;
    uint32_t c = n == 1 ? *u : *u & (0x7f >> n);
    for (int i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80) return *columns = 1, 1;
        c = c << 6 | (u[i] & 0x3f);
    }
    const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
                      (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
                      (c >= 0x1f300 && c < 0x1fb00) || c >= 0x20000;
    *columns = wide ? 2 : 1;
    return n;
}

/* The bytes of a text that fit into so many columns; *used: the columns that they take. */
static int fitting(const char *s, int columns, int *used)
{
    int at = 0, one;
    *used = 0;
    while (s[at]) {
        const int n = character(s + at, &one);
        if (*used + one > columns) break;
        *used += one;
        at += n;
    }
    return at;
}

static void one_line(char *s)                            /* no character that would leave the line */
{
    for (; *s; s++) if ((unsigned char)*s < ' ' || *s == 127) *s = ' ';
}

static void put_time(char *s, size_t capacity, double t)
{
    if (t < 100) snprintf(s, capacity, "%.1fs", t);
    else if (t < 6000) snprintf(s, capacity, "%dm%02ds", (int)t / 60, (int)t % 60);
    else if (t < 360000) snprintf(s, capacity, "%dh%02dm", (int)t / 3600, (int)t / 60 % 60);
    else snprintf(s, capacity, "%.0fd", t / 86400);
}

static void put_rate(char *s, size_t capacity, double rate)
{
    if (rate >= 100) snprintf(s, capacity, "%.0f/s", rate);
    else if (rate >= 1) snprintf(s, capacity, "%.1f/s", rate);
    else snprintf(s, capacity, "%.*fs each", rate > 0.1 ? 2 : 1, 1 / rate);
}

/* ---- rates ---- */

static void bar_measure(api_bar *b, int64_t i, double now)
{
    const double weight = 0.3, seconds = now - b->seen_at;
    if (i > b->seen && seconds > 0) {
        b->iterations = weight * (double)(i - b->seen) + (1 - weight) * b->iterations;
        b->seconds = weight * seconds + (1 - weight) * b->seconds;
    }
    b->seen = i;
    b->seen_at = now;
}

/* Iterations per second: the mean of all at the end; 0: not known yet. */
static double rate_of(const api_bar *b, int64_t i, double now)
{
    const int64_t all = i - b->from - 1;
    if (i < b->n) return b->seconds > 0 ? b->iterations / b->seconds : 0;
    return all > 0 && now > b->first_at ? (double)all / (now - b->first_at) : 0;
}

/* " 12.3s, 1m28s left, 9.9/s  loss 0.12"; parts: 3 all, 2 without the rate, 1 the time and the note. */
static void put_tail(const api_bar *b, int64_t i, double now, int parts, char *to, size_t capacity)
{
    char took[24], left[32] = "", rate[32] = "";
    const double r = rate_of(b, i, now);
    put_time(took, sizeof took, now - b->begin);
    if (parts > 1 && r > 0 && i < b->n) {
        char t[24];
        put_time(t, sizeof t, (double)(b->n - i) / r);
        snprintf(left, sizeof left, ", %s left", t);
    }
    if (parts > 2 && r > 0) {
        memcpy(rate, ", ", 3);
        put_rate(rate + 2, sizeof rate - 2, r);
    }
    snprintf(to, capacity, "%s%s%s%s%s", took, left, rate, *b->note ? "  " : "", b->note);
}

/* ---- drawing ---- */

/* "train 120/200 [=====> ] 12.3s, 8.2s left, 9.8/s  loss 0.1234". What the line has no space for is left out: the rate,
 * then the time left; the bar is down to four columns then, and the note is cut. */
static void paint(api_bar *b, int64_t i, double now)
{
    enum { LEAST = 10, MOST = 40 };
    char head[NAME + 48], tail[NOTE + 96], line[LINE];
    const int wide = terminal_columns() - 1;
    int h, t = 0, parts = 4;
    snprintf(head, sizeof head, "%s %lld/%lld ", b->name, (long long)i, (long long)b->n);
    const int head_bytes = fitting(head, wide > 0 ? wide : 0, &h);
    do {
        put_tail(b, i, now, --parts, tail, sizeof tail);
        fitting(tail, LINE, &t);
    } while (parts > 1 && h + t + 3 + LEAST > wide);
    int bar = wide - h - t - 3;
    if (bar > MOST) bar = MOST;
    if (bar < 4) bar = wide - h - 2 >= 4 ? 4 : 0;
    size_t at = (size_t)snprintf(line, sizeof line, "%.*s", head_bytes, head);
    if (bar) {
        const int full = b->n ? (int)((double)bar * (double)i / (double)b->n) : bar;
        at += (size_t)snprintf(line + at, sizeof line - at, "%s[", bar_colors() ? "\033[36m" : "");
        for (int k = 0; k < bar && at + 1 < sizeof line; k++) line[at++] = k < full ? '=' : k == full ? '>' : ' ';
        at += (size_t)snprintf(line + at, sizeof line - at, "]%s ", bar_colors() ? "\033[0m" : "");
    }
    const int used = h + (bar ? bar + 3 : 0);
    const int tail_bytes = fitting(tail, wide > used ? wide - used : 0, &t);
    erase(b);
    fprintf(stderr, "%s%.*s", line, tail_bytes, tail);
    fflush(stderr);
    b->columns = used + t;
}

static void plain_line(const api_bar *b, int64_t i, double now)
{
    char tail[NOTE + 96];
    put_tail(b, i, now, 3, tail, sizeof tail);
    fprintf(stderr, "%s %lld/%lld %s\n", b->name, (long long)i, (long long)b->n, tail);
    fflush(stderr);
}

/* True if the bar has the screen, or gets it: it is free, or an outer loop of the thread has it. Under the lock. */
static bool has_screen(api_bar *b)
{
    if (screen == b) return true;
    for (const api_bar *p = screen; p; p = p->below) if (p == b) return false;   /* an inner loop's bar is over it */
    if (screen && !pthread_equal(screen->thread, b->thread)) return false;
    if (screen) b->columns = screen->columns;
    b->below = screen;
    screen = b;
    return true;
}

static void leave_screen(const api_bar *b)
{
    for (api_bar **p = &screen; *p; p = &(*p)->below) {
        if (*p != b) continue;
        if (p == &screen && b->below) b->below->columns = b->columns, b->below->drawn = 0;
        *p = b->below;
        return;
    }
}

/* ---- around other output ---- */

void api_bar_hide(void)
{
    pthread_mutex_lock(&lock);
    if (screen && repaints()) {
        erase(screen);
        fflush(stderr);
        screen->columns = 0;
    }
    pthread_mutex_unlock(&lock);
}

void api_bar_show(void)
{
    pthread_mutex_lock(&lock);
    if (screen) screen->drawn = 0;                       /* drawn again at the next iteration */
    pthread_mutex_unlock(&lock);
}

/* ---- for loops ---- */

api_bar *api_bar_new(const char *name, int64_t from, int64_t n)
{
    api_bar *b = base_heap(sizeof *b);
    if (!b) base_unwind(sizeof *b);
    const double now = base_seconds();
    *b = (api_bar){ .from = from, .n = n, .begin = now, .seen = from, .seen_at = now, .thread = pthread_self() };
    b->drawn = repaints() ? 0 : now;
    b->tenth = n ? from * 10 / n : 0;
    int used;
    snprintf(b->name, sizeof b->name, "%.*s", fitting(name, COLUMNS, &used), name);
    one_line(b->name);
    return b;
}

void api_bar_delete(api_bar *b)
{
    if (!b) return;
    pthread_mutex_lock(&lock);
    leave_screen(b);
    pthread_mutex_unlock(&lock);
    base_heap_free(b);
}

bool api_bar_is_due(api_bar *b, int64_t i)
{
    const double now = base_seconds();
    pthread_mutex_lock(&lock);
    if (i == b->from && repaints()) has_screen(b);       /* before the bars of loops in this one */
    pthread_mutex_unlock(&lock);
    if (i + 1 >= b->n) return true;
    if (repaints()) return now - b->drawn >= 0.1;
    return now - b->drawn >= 60 || (b->n - b->from >= 10 && (i + 1) * 10 / b->n > b->tenth);
}

void api_bar_note(api_bar *b, const char *fmt, va_list v)
{
    vsnprintf(b->note, sizeof b->note, fmt, v);
    one_line(b->note);
}

void api_bar_draw(api_bar *b, int64_t done, bool due)
{
    const double now = base_seconds();
    pthread_mutex_lock(&lock);
    if (!b->first_over) b->first_over = true, b->first_at = b->seen_at = now, b->seen = done;
    if (!due && b->drawn) {
        pthread_mutex_unlock(&lock);
        return;
    }
    bar_measure(b, done, now);
    b->drawn = now;
    b->tenth = b->n ? done * 10 / b->n : 0;
    if (!repaints()) plain_line(b, done, now);
    else if (has_screen(b)) paint(b, done, now);
    pthread_mutex_unlock(&lock);
}

void api_bar_end(api_bar *b, bool whole)
{
    pthread_mutex_lock(&lock);
    if (screen == b && repaints()) {
        if (whole && !b->below) fputs("\n", stderr), b->columns = 0;
        else erase(b), b->columns = 0;
        fflush(stderr);
    }
    leave_screen(b);
    pthread_mutex_unlock(&lock);
}
