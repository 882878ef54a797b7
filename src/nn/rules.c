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
static bool rules_same(word a, word b) { return a.n == b.n && !memcmp(a.p, b.p, a.n); }
static bool none(word w) { return !w.n || (w.n == 1 && *w.p == '_'); }

/* What is left of a list; its p is NULL at the end. */
static word rules_list(const char *p, size_t n) { return trimmed(p, n).n ? (word){ p, n } : (word){ NULL,
    0 }; }
static word list_of(const char *text) { return rules_list(text, strlen(text)); }

/* The first word of a list, which loses it. False: there is none. */
static bool rules_next(word *left, char by, word *first)
{
    if (!left->p) return false;
    const char *stop = memchr(left->p, by, left->n);
    const size_t n = stop ? (size_t)(stop - left->p) : left->n;
    *first = trimmed(left->p, n);
    *left = stop ? (word){ stop + 1, left->n - n - 1 } : (word){ NULL, 0 };
    return true;
}

/* True if w is a name: neither empty nor several words. */
static bool rules_name(word w)
{
    for (size_t i = 0; i < w.n; i++) if (isspace((unsigned char)w.p[i])) return false;
    return w.n > 0;
}

/* The names of dims; how many; -1 with the error set: more than an array has, or no names. */
static int rules_dims_of(const char *site, const char *names, word *to)
{
    word left = list_of(names), name;
    for (int n = 0;; to[n++] = name) {
        if (!rules_next(&left, ',', &name)) return n;
        if (n < NN_RANK && rules_name(name)) continue;
        if (n == NN_RANK)
            tt_fail_at(site, TT_ESPEC, "logical axes \"%s\": more than the limit of %d dims", names, NN_RANK);
        else tt_fail_at(site, TT_ESPEC, "logical axes \"%s\": \"%.*s\" is no name", names, (int)name.n, name.p);
        tt_hint("write a comma between two names, and '_' for a dim without a name");
        return -1;
    }
}

/* True if one of the axes "data+model" is among those that dims have. */
static bool in_use(word axes, const word *dim, int n)
{
    word mine, other;
    for (word left = rules_list(axes.p, axes.n); rules_next(&left, '+', &mine);)
        for (int d = 0; d < n; d++)
            for (word its = none(dim[d]) ? (word){ NULL, 0 } : rules_list(dim[d].p, dim[d].n);
            rules_next(&its, '+', &other);)
                if (rules_same(mine, other)) return true;
    return false;
}

static bool no_twins(const char *site, const char *names, const word *name, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!none(name[i]) && rules_same(name[i], name[j])) {
                tt_fail_at(site, TT_ESPEC, "logical axes \"%s\": \"%.*s\" is the name of two dims", names,
                           (int)name[i].n, name[i].p);
                tt_hint("one name per dim, '_' for none");
                return false;
            }
    return true;
}

/* True if no mesh axis is twice in "data+model"; else sets the error. */
static bool distinct(const char *site, word rule, word right)
{
    word first, second;
    for (word all = right; rules_next(&all, '+', &first);)
        for (word rest = all; rules_next(&rest, '+', &second);)
            if (rules_same(first, second)) {
                tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has the mesh axis \"%.*s\" twice", (int)rule.n, rule.p,
                           (int)first.n, first.p);
                return false;
            }
    return true;
}

/* A rule's two sides; false with the error set. */
static bool sides(const char *site, word rule, word *left, word *right)
{
    const char *colon = memchr(rule.p, ':', rule.n), *end = rule.p + rule.n;
    if (!colon) {
        tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has no ':'", (int)rule.n, rule.p);
        tt_hint("rules are \"batch:data, hidden:model\": logical axis to mesh axis, '+' joins axes, '_' none");
        return false;
    }
    if (memchr(colon + 1, ':', (size_t)(end - colon) - 1)) {
        tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has two ':'", (int)rule.n, rule.p);
        tt_hint("rules are parted by ',': \"batch:data, hidden:model\"");
        return false;
    }
    *left = trimmed(rule.p, (size_t)(colon - rule.p));
    *right = trimmed(colon + 1, (size_t)(end - colon) - 1);
    bool joined = right->n > 0;
    word axis;
    for (word all = (word){ right->p, right->n }; joined && rules_next(&all, '+', &axis);) joined = axis.n > 0;
    if (left->n && joined) return distinct(site, rule, *right);
    tt_fail_at(site, TT_ESPEC, "the rule \"%.*s\" has no %s axis", (int)rule.n, rule.p, left->n ? "mesh" : "logical");
    tt_hint("\"batch:_\" leaves that dim unsharded; '+' joins axes");
    return false;
}

/* The words as one list; it lives till the eighth call after. "" with the error set: it is too long, or no memory. */
static const char *rules_written(const char *site, int n, const word *dim)
{
    static const char *const kinds[] = { "axes 1", "axes 2", "axes 3", "axes 4",
                                        "axes 5", "axes 6", "axes 7", "axes 8" };
    static _Thread_local unsigned at;
    char to[1024] = "";
    size_t len = 0;
    for (int d = 0; d < n && len < sizeof to; d++)
        len += (size_t)snprintf(to + len, sizeof to - len, "%s%.*s", d ? ", " : "", dim[d].n ? (int)dim[d].n : 1,
                                dim[d].n ? dim[d].p : "_");
    const char *const kept = len < sizeof to ? tt_keep_latest(kinds[at++ % 8], to, len + 1) : "";
    if (len >= sizeof to)
        tt_fail_at(site, TT_ESPEC, "the axes of %d dims are a text of more than %zu characters", n, sizeof to - 1);
    return kept ? kept : "";
}

const char *tt_logical_spec_at(const char *site, const char *names, const char *rules, const tt_logical_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_logical_opts, site, "logical_spec", o)) return "";
    if (!names) return tt_fail_at(site, TT_EARG, "logical_spec: the names are NULL"), "";
    word name[NN_RANK], dim[NN_RANK] = { { NULL, 0 } }, rule, left, right;
    bool done[NN_RANK] = { false };
    const int n = rules_dims_of(site, names, name);
    if (n < 0 || !tt_ok() || (!o->lookup && !no_twins(site, names, name, n))) return "";
    for (word all = list_of(rules ? rules : ""); rules_next(&all, ',', &rule);) {
        if (!sides(site, rule, &left, &right)) return "";
        for (int d = 0; d < n; d++) {
            if (done[d] || !rules_same(name[d], left) || none(name[d]) || (!o->lookup && in_use(right, dim, n)))
                continue;
            dim[d] = none(right) ? (word){ NULL, 0 } : right;
            done[d] = true;
        }
    }
    return rules_written(site, n, dim);
}

/* ---- names of more or fewer dims ---- */

const char *tt_names_with_at(const char *site, const char *names, int dim, const char *name)
{
    TT_ENTRY(site);
    word all[NN_RANK + 1];
    if (!names || !name || dim < 0 || dim > NN_RANK) {
        if (names && name) tt_fail_at(site, TT_EARG, "names_with: dim %d; expected 0 to %d", dim, NN_RANK);
        else tt_fail_at(site, TT_EARG, "names_with: the %s NULL", names ? "name is" : "names are");
        return "";
    }
    const word one = trimmed(name, strlen(name));
    if (!one.n || memchr(one.p, ',', one.n)) {
        tt_fail_at(site, TT_ESPEC, "names_with: \"%s\" is not the name of one dim", name);
        tt_hint("a name is one word, or '_' for none");
        return "";
    }
    int n = rules_dims_of(site, names, all);
    if (n < 0) return "";
    while (n < dim) all[n++] = (word){ "_", 1 };
    for (int i = n++; i > dim; i--) all[i] = all[i - 1];
    all[dim] = one;
    return rules_written(site, n, all);
}

const char *tt_names_without_at(const char *site, const char *names, int dim)
{
    TT_ENTRY(site);
    word all[NN_RANK];
    if (!names) return tt_fail_at(site, TT_EARG, "names_without: the names are NULL"), "";
    const int n = rules_dims_of(site, names, all);
    if (n >= 0 && (dim < 0 || dim >= n))
        return tt_fail_at(site, TT_ESPEC, "names_without: no dim %d in \"%s\"", dim, names), "";
    for (int i = dim; i >= 0 && i + 1 < n; i++) all[i] = all[i + 1];
    return n < 0 ? "" : rules_written(site, dim >= 0 && dim < n ? n - 1 : n, all);
}
