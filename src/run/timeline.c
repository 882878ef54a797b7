/* run/timeline.c - TUTTI=time:FILE: every executed step, in the trace format that Chrome and Perfetto open.
 *
 * Steps run one after another, each on all workers, so the timeline has one track. Events are kept until the file is
 * written, up to a limit: of a program that runs for long, the file has the beginning. Callers hold the profile's
 * lock. */
#include "inner.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 20 };                                 /* events: 40 MB of memory, some 150 of text */
typedef struct { base_name name; base_site site; double start, seconds; } event;
static event *at;
static size_t n, cap, lost;

void run_timeline_add(base_name name, base_site site, double start, double seconds)
{
    char name_of[RUN_PATH];
    if (!run_profile_file("time", name_of)) return;
    if (n == cap && cap < MOST) {
        event *grown = base_heap((cap ? 4 * cap : 4096) * sizeof *grown);
        if (grown) {
            if (n) memcpy(grown, at, n * sizeof *at);
            base_heap_free(at);
            at = grown;
            cap = cap ? 4 * cap : 4096;
        }
    }
    if (n < cap) at[n++] = (event){ name, site, start, seconds };
    else lost++;
}

/* Writes a JSON string: escapes; bytes of UTF-8 are copied unchanged. */
static void timeline_text(FILE *f, const char *s)
{
    putc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putc('\\', f);
        if ((unsigned char)*s < ' ') base_fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s);
        else putc(*s, f);
    }
    putc('"', f);
}

void run_timeline_write(void)
{
    char to[RUN_PATH];
    const char *const file = run_profile_file("time", to);
    if (!n || !file) return;
    FILE *f = fopen(file, "w");
    if (!f) {
        run_profile_unwritten("the timeline", file);
        return;
    }
    base_fprintf(f, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (size_t i = 0; i < n; i++) {
        base_fprintf(f, "%s{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f, \"name\": ",
                     i ? ",\n" : "", (at[i].start - at[0].start) * 1e6, at[i].seconds * 1e6);
        timeline_text(f, at[i].name ? at[i].name : "?");
        base_fprintf(f, ", \"args\": {\"line\": ");
        timeline_text(f, at[i].site ? at[i].site : "");
        base_fprintf(f, "}}");
    }
    base_fprintf(f, "\n]}\n");
    const bool bad = ferror(f);
    if (fclose(f) || bad) run_profile_unwritten("the timeline", file);
    else if (lost) base_log("timeline: %s has the first %zu steps; %zu later ones are not in it", file, n, lost);
    else base_log("timeline: %zu steps in %s", n, file);
    base_heap_free(at);
    at = NULL;
    n = cap = lost = 0;
}
