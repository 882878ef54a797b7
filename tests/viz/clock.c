/* clock.c - the time of day is set while a program runs: it goes back by an hour, or ahead, at each look. What is
 * measured does not change. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

static int64_t jump, looks;                              /* seconds at each look; looks at the time of day */

/* These come before libc's because the program is looked through first. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int r = (int)syscall(SYS_clock_gettime, clock, t);
    if (!r && clock == CLOCK_REALTIME) t->tv_sec += jump * ++looks;
    return r;
}
int timespec_get(struct timespec *t, int base) { return clock_gettime(CLOCK_REALTIME, t) ? 0 : base; }
time_t time(time_t *to)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return to ? *to = t.tv_sec : t.tv_sec;
}

static tt_val work(tt_val x) { return tt_sum(tt_tanh(tt_matmul(x, x))); }

/* True if the text's first number, in seconds, is that of a call. */
static bool is_plausible(const char *text)
{
    char unit[8] = "";
    double n = -1;
    const double scale = sscanf(text, "%lf %7s", &n, unit) < 2 ? NAN : !strcmp(unit, "s") ? 1
                         : !strcmp(unit, "ms") ? 1e-3 : !strcmp(unit, "ns") ? 1e-9 : 1e-6;
    return n * scale > 0 && n * scale < 60;
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    static const int64_t jumps[] = { -3600, 3600 };
    const tt_val x = tt_ones(TT_F32, 64, 64);
    tt_config("timeit:2");
    alarm(300);                                          /* a time that never grows is waited for without end */
    for (int i = 0; i < 2; i++) {
        jump = jumps[i], looks = 0;
        const char *const text = tt_timeit(work, x);
        CHECK(is_plausible(text), "%lld s at each look: %s", (long long)jump, text);
        int n = 0;
        for (tt_loop l = tt_steps(20, .bar = "steps"); tt_next(&l); n++) tt_num(work(x));
        CHECK(n == 20 && tt_ok(), "%d iterations: %s", n, tt_error());
    }
    return tt_done() ? 1 : check_done();
}
