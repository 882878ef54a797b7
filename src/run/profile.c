/* run/profile.c - TUTTI=time: how long steps took, by kernel and the user's line, over all programs of the process.
 *
 * While the switch is on every step is a phase of its own, so that its time can be told; that costs a little. Accounts are
 * made when a program is first launched so, under the launch lock. They are said at exit, unless somebody did before. */
#include "run.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct run_spent { base_name name; base_site site; double seconds; int64_t times; struct run_spent *next; } run_spent;
static run_spent *first;

static run_spent *account(base_name name, base_site site)
{
    run_spent *s = first;
    while (s && (s->name != name || s->site != site)) s = s->next;
    if (s || !(s = base_heap(sizeof *s))) return s;
    *s = (run_spent){ .name = name, .site = site, .next = first };
    return first = s;
}

static bool list(const run_bound_list *l)
{
    for (run_bound *b = l->at; b < l->at + l->n; b++) {
        const run_step *s = b->step;
        const int nsub = s->kind == RUN_LOOP ? 2 : s->kind == RUN_CHOOSE ? (int)s->nbranch : 0;
        for (int i = 0; i < nsub; i++) if (!list(&b->sub[i])) return false;
        b->spent = account(s->kind == RUN_COMPUTE && b->kernel->name ? b->kernel->name : s->name, s->site);
        if (!b->spent) return false;
    }
    return true;
}

bool run_profile_program(run_program *p)
{
    static bool asked;
    if (!asked) asked = !atexit(run_profile_say);
    return list(&p->body);
}

void run_spend(run_spent *s, double seconds)
{
    s->seconds += seconds;
    s->times++;
}

static int longer(const void *x, const void *y)
{
    const double a = (*(run_spent *const *)x)->seconds, b = (*(run_spent *const *)y)->seconds;
    return a < b ? 1 : a > b ? -1 : 0;
}

void run_profile_say(void)
{
    enum { LINES = 40 };
    size_t n = 0, i = 0;
    double all = 0;
    for (run_spent *s = first; s; s = s->next) n++, all += s->seconds;
    run_spent **by = all > 0 ? base_heap(n * sizeof *by) : NULL;
    if (!by) return;
    for (run_spent *s = first; s; s = s->next) by[i++] = s;
    qsort(by, n, sizeof *by, longer);
    base_say("time of steps: %.3f ms; 40 longest", all * 1e3);
    for (i = 0; i < n && i < LINES; i++)
        if (by[i]->times)
            base_say("  %8.3f ms %5.1f %%  %7lld x %9.2f us  %-24s %s", by[i]->seconds * 1e3, 100 * by[i]->seconds / all,
                     (long long)by[i]->times, by[i]->seconds * 1e6 / (double)by[i]->times, by[i]->name ? by[i]->name : "?",
                     by[i]->site ? by[i]->site : "");
    for (i = 0; i < n; i++) {
        by[i]->seconds = 0;
        by[i]->times = 0;
    }
    base_heap_free(by);
}
