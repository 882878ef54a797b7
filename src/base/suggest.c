/* base/suggest.c - the hint for an unknown word: lists the valid words and suggests a similar one. */
#include "base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int distance(const char *a, size_t n, const char *b, size_t m)    /* edits between words of at most 31 letters */
{
    enum { MAX = 32 };
    int row[MAX + 1];
    if (n >= MAX || m >= MAX) return MAX;
    for (size_t j = 0; j <= m; j++) row[j] = (int)j;
    for (size_t i = 0; i < n; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t j = 0; j < m; j++) {
            const int best = row[j] < row[j + 1] ? row[j] + 1 : row[j + 1] + 1;
            const int through = diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
            diagonal = row[j + 1];
            row[j + 1] = through < best ? through : best;
        }
    }
    return row[m];
}

/* The next word of a list separated by blanks or ", "; NULL: none. */
static const char *next_word(const char **p, size_t *n)
{
    const char *const at = *p + strspn(*p, ", ");
    *n = strcspn(at, ", ");
    *p = at + *n;
    return *n ? at : NULL;
}

bool base_hint_choices(const char *lead, const char *word, size_t n, const char *words)
{
    char list[1024];
    bool cut = false, same = false;                      /* same: the word is in the list, and wrong for its place */
    size_t end = 0, m, nnear = 0;
    int least = n > 4 ? 3 : 2;                           /* suggests words with fewer edits */
    const char *near = NULL;
    for (const char *p = words, *w; (w = next_word(&p, &m));) {
        const char *const size = memchr(w, ':', m);      /* of "data:2", only "data" is compared */
        const size_t name = size ? (size_t)(size - w) : m;
        const int d = distance(word, n, w, name);
        same |= name == n && !memcmp(w, word, n);
        if (d < least && (size_t)d < name) least = d, near = w, nnear = name;
        if (!cut && end + m + 8 < sizeof list)
            end += (size_t)snprintf(list + end, sizeof list - end, "%s%.*s", end ? ", " : "", (int)m, w);
        else if (!cut) end += (size_t)snprintf(list + end, sizeof list - end, "%s...", end ? ", " : ""), cut = true;
    }
    if (same) near = NULL;
    if (!lead || !*lead) return near ? base_hint("did you mean \"%.*s\"?", (int)nnear, near) : false;
    if (!end) return base_hint("%s: none", lead);
    if (!near) return base_hint("%s: %s", lead, list);
    return base_hint("did you mean \"%.*s\"? %c%s: %s", (int)nnear, near, toupper((unsigned char)*lead), lead + 1,
                     list);
}
