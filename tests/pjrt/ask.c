/* pjrt/ask.c - what a program meets on an engine: opens argv[1], then computes what the other arguments say. */
#include <stdio.h>
#include <string.h>
#include <tutti.h>

static tt_val next(tt_val x) { return tt_add(x, tt_f(1)); }

static void say(void)
{
    if (tt_ok()) return;
    printf("%s\n", tt_error());
    tt_clear();
}

int main(int n, char **arg)
{
    static float data[4096];
    if (n > 1 && !tt_engine(arg[1])) {
        say();
        if (n > 2 && !strcmp(arg[2], "on")) tt_zeros(TT_F32, 4), say();
        return 0;
    }
    fputs(tt_devices(), stdout);
    for (int i = 2; i < n; i++) {
        const tt_mesh m = tt_mesh("data:8");
        const tt_val x = tt_shard(tt_array(TT_F32, data, !strcmp(arg[i], "large") ? 4096 : 16), m, "data");
        say();
        if (!strcmp(arg[i], "unread")) tt_call(tt_jit(next), x);
        if (!strcmp(arg[i], "cpu")) printf("engine %d\n", tt_engine("cpu"));
        if (!strcmp(arg[i], "one")) printf("%g\n", tt_num(tt_call(tt_jit(next), tt_array(TT_F32, data, 1))));
        if (!strcmp(arg[i], "launch")) {
            const tt_val y = tt_call(tt_jit(next), x);
            say();
            tt_show(y);
            say();
        }
    }
    say();
    tt_done();
    say();
    puts("the end");
    return 0;
}
