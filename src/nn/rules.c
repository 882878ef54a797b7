/* nn/rules.c - logical axes to specs by rules, without a mesh: "layer, embed, hidden" by "batch:data, hidden:model"
 * is "_, _, model".
 *
 * Flax Linen's precedence, which tt_jit(.rules) has too: rules are taken in their order, and one applies if its name
 * occurs, its dim has no axis yet and none of its mesh axes is in use; a name for two dims is an error. NNX's is a
 * table: every name is looked up by itself (tt_logical_opts.lookup).
 */
#include "nn.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct { const char *p; size_t n; } word;

static word trimmed(const char *p, size_t n)
{
    while (n && isspace((unsigned char)*p)) p++, n--;
    while (n && isspace((unsigned char)p[n - 1])) n--;
    return (word){ p, n };
}
static bool same(word a, word b) { return a.n == b.n && !memcmp(a.p, b.p, a.n); }
static bool none(word w) { return !w.n || (w.n == 1 && *w.p == '_'); }

/* The words of a list, parted by `by`; how many. */
static int parted(const char *text, size_t size, char by, word *to, int most)
{
    int n = 0;
    const char *end = text + size;
    if (!trimmed(text, size).n) return 0;
    for (const char *p = text; p <= end && n < most; n++) {
        const char *stop = memchr(p, by, (size_t)(end - p));
        to[n] = trimmed(p, (size_t)((stop ? stop : end) - p));
        p = (stop ? stop : end) + 1;
    }
    return n;
}

/* Is one of the axes "data+model" among those that dims have? */
static bool in_use(word axes, const word *dim, int n)
{
    word mine[NN_RANK], theirs[NN_RANK];
    const int k = parted(axes.p, axes.n, '+', mine, NN_RANK);
    for (int d = 0; d < n; d++) {
        const int m = none(dim[d]) ? 0 : parted(dim[d].p, dim[d].n, '+', theirs, NN_RANK);
        for (int i = 0; i < k; i++) for (int j = 0; j < m; j++) if (same(mine[i], theirs[j])) return true;
    }
    return false;
}

static bool no_twins(const char *site, const char *names, const word *name, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!none(name[i]) && same(name[i], name[j])) {
                tt_fail_at(site, TT_ESPEC, "logical axes \"%s\": \"%.*s\" is the name of two dims", names,
                           (int)name[i].n, name[i].p);
                tt_hint("one name per dim, '_' for none");
                return false;
            }
    return true;
}

const char *tt_logical_spec_at(const char *site, const char *names, const char *rules, const tt_logical_opts *o)
{
    if (!TT_CHECKED(tt_logical_opts, site, "logical_spec", o)) return NULL;
    if (!names) return tt_fail_at(site, TT_EARG, "logical_spec: the names are NULL"), NULL;
    static _Thread_local char ring[8][512];
    static _Thread_local int at;
    word name[NN_RANK], dim[NN_RANK] = { { NULL, 0 } }, rule[64];
    bool done[NN_RANK] = { false };
    const int n = parted(names, strlen(names), ',', name, NN_RANK);
    const int k = rules ? parted(rules, strlen(rules), ',', rule, 64) : 0;
    char *to = ring[at++ % 8];
    if (!tt_ok() || (!o->lookup && !no_twins(site, names, name, n))) return "";
    for (int r = 0; r < k; r++) {
        const char *colon = memchr(rule[r].p, ':', rule[r].n);
        if (!colon) {
            tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has no ':'", (int)rule[r].n, rule[r].p);
            tt_hint("rules are \"batch:data, hidden:model\": logical axis to mesh axis, '+' joins axes, '_' none");
            return "";
        }
        if (memchr(colon + 1, ':', rule[r].n - (size_t)(colon + 1 - rule[r].p))) {
            tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has two ':'", (int)rule[r].n, rule[r].p);
            tt_hint("rules are parted by ',': \"batch:data, hidden:model\"");
            return "";
        }
        const word left = trimmed(rule[r].p, (size_t)(colon - rule[r].p));
        const word right = trimmed(colon + 1, rule[r].n - (size_t)(colon - rule[r].p) - 1);
        for (int d = 0; d < n; d++) {
            if (done[d] || !same(name[d], left) || none(name[d]) || (!o->lookup && in_use(right, dim, n))) continue;
            dim[d] = none(right) ? (word){ NULL, 0 } : right;
            done[d] = true;
        }
    }
    size_t len = 0;
    *to = 0;
    for (int d = 0; d < n && len < sizeof ring[0]; d++)
        len += (size_t)snprintf(to + len, sizeof ring[0] - len, "%s%.*s", d ? ", " : "", dim[d].n ? (int)dim[d].n : 1,
                                dim[d].n ? dim[d].p : "_");
    return to;
}

/* ---- names of more or fewer dims ---- */

static const char *rebuilt(int n, const word *name)
{
    static _Thread_local char ring[8][512];
    static _Thread_local int at;
    char *to = ring[at++ % 8];
    size_t len = 0;
    *to = 0;
    for (int i = 0; i < n && len < sizeof ring[0]; i++)
        len += (size_t)snprintf(to + len, sizeof ring[0] - len, "%s%.*s", i ? ", " : "", (int)name[i].n, name[i].p);
    return to;
}

const char *tt_names_with(const char *names, int dim, const char *name)
{
    word all[NN_RANK + 1];
    if (!names || !name || dim < 0) {
        tt_fail_at(NULL, TT_EARG, "names_with: names that are NULL, or a dim below 0 (%d)", dim);
        return "";
    }
    int n = parted(names, strlen(names), ',', all, NN_RANK);
    while (n < dim && n < NN_RANK) all[n++] = (word){ "_", 1 };
    for (int i = n++; i > dim; i--) all[i] = all[i - 1];
    all[dim < n ? dim : n - 1] = trimmed(name, strlen(name));
    return rebuilt(n, all);
}

const char *tt_names_without(const char *names, int dim)
{
    word all[NN_RANK];
    if (!names) return tt_fail_at(NULL, TT_EARG, "names_without: the names are NULL"), "";
    const int n = parted(names, strlen(names), ',', all, NN_RANK);
    for (int i = dim; i >= 0 && i + 1 < n; i++) all[i] = all[i + 1];
    return rebuilt(dim >= 0 && dim < n ? n - 1 : n, all);
}
