/* Programs that fill the memory: one that loops in plain C is told so once, before it hurts; when memory is refused the
 * error names the line, the array, who holds most, and the way out. */
#include <tutti.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Not under the address sanitizer, which has no memory to refuse. */
TT_UNUSED static void wide(void) { tt_ones(TT_F32, 1LL << 39); }

static void many(void)                                   /* in main: no scope ends */
{
    const tt_val one = tt_ones(TT_F32, 4);
    for (int i = 0; i < 140000; i++) tt_neg(one);
}

static void in_turns(void)
{
    const tt_val one = tt_ones(TT_F32, 4);
    for (tt_loop it = tt_steps(140000); tt_next(&it);) tt_neg(one);
}

TT_UNUSED static void full(void)
{
    const struct rlimit most = { (rlim_t)1200 << 20, (rlim_t)1200 << 20 };
    const tt_val x = tt_ones(TT_F32, 1024, 1024);
    tt_neg(x);                                           /* its threads are there */
    setrlimit(RLIMIT_AS, &most);
    for (int i = 0; i < 2000 && tt_ok(); i++) tt_add(tt_neg(x), x);   /* never given back */
}

static int run(void (*f)(void), char *text, size_t capacity)
{
    int fd[2], status = 0;
    size_t n = 0;
    if (pipe(fd)) return -1;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        dup2(fd[1], 1), dup2(fd[1], 2), close(fd[0]);
        f();
        const int code = tt_done();
        fflush(stdout);
        _exit(code);
    }
    close(fd[1]);
    for (ssize_t got; n + 1 < capacity && (got = read(fd[0], text + n, capacity - n - 1)) > 0;) n += (size_t)got;
    text[n] = 0;
    close(fd[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    static char text[1 << 16];
    const char *note = "note: ", *way = "for (tt_loop it = tt_steps(n); tt_next(&it);)";
    CHECK(run(many, text, sizeof text) == 0 && strstr(text, note) && strstr(text, "tt_neg(one)") && strstr(text, way),
          "a plain loop: %s", text);
    CHECK(!strstr(strstr(text, note) ? strstr(text, note) + 200 : text, "alive from"), "told twice: %s", text);
    CHECK(run(in_turns, text, sizeof text) == 0 && !strstr(text, note), "a loop of turns: %s", text);
#ifndef __SANITIZE_ADDRESS__
    CHECK(run(wide, text, sizeof text) == TT_EMEM, "%s", text);
    CHECK(strstr(text, "memory_full.c") && strstr(text, "tt_ones(TT_F32, 1LL << 39)"), "no line: %s", text);
    CHECK(strstr(text, "array f32[549755813888]") && strstr(text, "hint: "), "no array: %s", text);
    CHECK(run(full, text, sizeof text) == TT_EMEM &&
          strstr(text, "GB, from tests/api/memory/memory_full.c"), "%s", text);
    CHECK(strstr(text, "  at   tests/api/memory/memory_full.c") && strstr(text, way), "no way out: %s", text);
#endif
    return check_done();
}
