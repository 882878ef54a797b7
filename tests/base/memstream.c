/* memstream.c - a text that is written to memory is whole, or its stream tells: each growth is refused once, and all
 * from then on. */
#include "check.h"

#include <stdlib.h>

static int grown, refused_at;
static bool and_later;

static void *refusing(void *p, size_t n)
{
    grown++;
    return refused_at && (and_later ? grown >= refused_at : grown == refused_at) ? NULL : realloc(p, n);
}

#define realloc refusing
#include "base/memstream.h"
#undef realloc

enum { LINES = 3000 };

/* Writes lines, of which some are longer than the buffer of a stream. Returns what fclose did. */
static int written(char **text, size_t *bytes)
{
    FILE *f = base_open_memstream(text, bytes);
    if (!f) return -2;
    for (int i = 0; i < LINES; i++) fprintf(f, "%d %*s\n", i, i % 100 ? i % 50 : 5000, "x");
    fputc(0, f), fputs("after a 0\n", f);
    return fclose(f);
}

static void whole(void)
{
    char *text = NULL, line[8192];
    size_t bytes = 0, at = 0;
    int same = 0;
    grown = refused_at = 0;
    CHECK(!written(&text, &bytes) && text, "written");
    for (int i = 0; text && i < LINES; i++) {
        const int n = snprintf(line, sizeof line, "%d %*s\n", i, i % 100 ? i % 50 : 5000, "x");
        same += at + (size_t)n <= bytes && !memcmp(text + at, line, (size_t)n);
        at += (size_t)n;
    }
    CHECK(same == LINES && bytes == at + 11 && text && !memcmp(text + at, "\0after a 0\n", 12),
          "%d lines of %d are right", same, LINES);
    CHECK(grown > 5, "%d growths", grown);
    free(text);
}

static void refusals(void)
{
    char *made = NULL;
    size_t n;
    grown = refused_at = 0;
    written(&made, &n), free(made);
    const int most = grown;
    int told = 0;
    for (int turn = 0; turn < 2 * most; turn++) {
        char *text = (char *)"not set";
        size_t bytes = 7;
        grown = 0, refused_at = turn / 2 + 1, and_later = turn % 2;
        told += written(&text, &bytes) == EOF && !text && !bytes;
    }
    CHECK(told == 2 * most, "%d refusals of %d are told", told, 2 * most);
    refused_at = 0;
}

static void none(void)
{
    char *text = NULL;
    size_t bytes = 7;
    FILE *f = base_open_memstream(&text, &bytes);
    CHECK(f && !fclose(f) && text && !*text && !bytes, "a text of nothing");
    free(text);
    grown = 0, refused_at = 1;
    f = base_open_memstream(&text, &bytes);
    CHECK(f && fclose(f) == EOF && !text && !bytes, "no memory for nothing");
    refused_at = 0;
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(whole());
    CHECK_RUN(refusals());
    CHECK_RUN(none());
    return check_done();
}
