/* bench/tokenizer.c - text to ids: megabytes in a second of processor time, the best of some rounds.
 *
 * usage: tokenizer FILE TEXT [ROUNDS]. `python bench/peers/with_tokenizers.py FILE TEXT [ROUNDS]` prints the same of
 * the library `tokenizers` on one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tutti.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 3) return fprintf(stderr, "usage: tokenizer FILE TEXT [ROUNDS]\n"), 2;
    const double began = seconds();
    const tt_tokenizer t = tt_tokenizer_open(argv[1]);
    const double opened = seconds() - began;
    const tt_val bytes = tt_read_text(argv[2]);
    if (!tt_ok()) return tt_done();
    const size_t n = (size_t)tt_bytes(bytes);
    char *const text = malloc(n + 1);
    if (!text || !tt_read(bytes, text, n)) return tt_done();
    double best = 1e9;
    int64_t ids = 0;
    for (int i = argc > 3 ? atoi(argv[3]) : 5; i > 0; i--) {
        const double from = seconds();
        ids = tt_tokenizer_ids(t, text, 0, NULL, .length = (int64_t)n);
        if (seconds() - from < best) best = seconds() - from;
    }
    printf("opened in %.1f ms; %zu bytes, %lld ids: %.1f MB/s\n", 1e3 * opened, n, (long long)ids,
           (double)n / 1e6 / best);
    free(text);
    return tt_done();
}
