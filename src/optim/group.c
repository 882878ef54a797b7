/* optim/group.c - groups of parameters: masked(chain, mask=words) applies a chain to the leaves that the words select,
 * and partition(kernel=chain, others=chain) gives each leaf to one chain. In the text of the parts each part of the
 * chain has only=words. */
#include "optim.h"

#include <stdio.h>
#include <string.h>

/* Appends the parts of `inner`, each with only=words. */
static bool group_parts(const tt_form *f, const char *inner, const char *words, char to[OPTIM_TEXT])
{
    char parts[OPTIM_TEXT];
    size_t n = strlen(to);
    if (!optim_expand(f->site, inner, parts)) return false;
    if (strstr(parts, "only="))
        return tt_form_fail(f, f->name, "a group (masked, partition) inside a group is not supported"), false;
    for (const char *p = parts; *p; p += strspn(p, "; ")) {
        int deep = 0;
        const char *const from = p;
        do deep += (*p == '(') - (*p == ')');
        while (*p++ != ')' || deep);
        const int len = (int)(p - from) - 1;
        tt_form part;
        const char *at = from;
        if (!tt_form_read(f->site, parts, &at, &part)) return false;
        optim_chain none = { 0 };
        const int wraps = optim_wrapper(&none, &part);
        if (wraps < 0) return false;
        if (wraps) {
            tt_form_fail(f, f->name, "%.*s applies to the whole chain: write it once, before the chain", part.name.n,
                         part.name.p);
            return false;
        }
        if (n + (size_t)len + strlen(words) + 16 > OPTIM_TEXT)
            return tt_fail_at(f->site, TT_EARG, "optimizer: the text is longer than %d characters", OPTIM_TEXT - 1),
                false;
        n += (size_t)snprintf(to + n, OPTIM_TEXT - n, "%s%.*s%sonly=%s)", n ? "; " : "", len, from,
                              from[len - 1] == '(' ? "" : ", ", words);
    }
    return true;
}

static bool masked(tt_form *f, char to[OPTIM_TEXT])
{
    char inner[OPTIM_TEXT], words[512];
    if (!tt_form_keys(f, "inner mask")) return false;
    if (!tt_form_has(f, "inner") || !tt_form_has(f, "mask")) {
        tt_form_fail(f, f->name, "masked: %s is missing", tt_form_has(f, "inner") ? "mask" : "inner");
        tt_hint("masked(adam(0.01), mask=kernel) steps the leaves whose path ends in \"kernel\"");
        return false;
    }
    if (!tt_form_word(f, "inner", "", inner, sizeof inner) || !tt_form_word(f, "mask", "", words, sizeof words))
        return false;
    return group_parts(f, inner, words, to);
}

/* The words of a group: its name, or for "others" all names but it after "not". False with the error set. */
static bool group_words(const tt_form *f, int i, char to[512])
{
    size_t n = 0;
    *to = 0;
    if (f->arg[i].key.n != 6 || memcmp(f->arg[i].key.p, "others", 6) != 0)
        n = (size_t)snprintf(to, 512, "%.*s", f->arg[i].key.n, f->arg[i].key.p);
    else
        for (int k = 0; k < f->n; k++)
            if (k != i && n < 512)
                n += (size_t)snprintf(to + n, 512 - n, "%s%.*s", n ? " " : "not ", f->arg[k].key.n, f->arg[k].key.p);
    return n < 512 || (tt_form_fail(f, f->name, "partition: the names of the groups have more than 511 characters"),
                       false);
}

static bool partition(const tt_form *f, char to[OPTIM_TEXT])
{
    char inner[OPTIM_TEXT], words[512];
    for (int i = 0; i < f->n; i++) {
        const tt_span v = f->arg[i].value;
        if (!f->arg[i].key.n) {
            tt_form_fail(f, v, "partition: a chain without the name of its group");
            tt_hint("partition(kernel=adam(0.01), others=sgd(0.1)): groups are ends of paths");
            return false;
        }
        if (v.n >= OPTIM_TEXT)
            return tt_form_fail(f, v, "partition: a chain of %d characters; at most %d", v.n, OPTIM_TEXT - 1), false;
        snprintf(inner, sizeof inner, "%.*s", v.n, v.p);
        if (!group_words(f, i, words) || !group_parts(f, inner, words, to)) return false;
    }
    return f->n || (tt_form_fail(f, f->name, "partition: no groups; expected 1 or more"), false);
}

bool optim_groups(const char *site, const tt_form *f, char to[OPTIM_TEXT])
{
    tt_form own = *f;
    own.site = site;
    return tt_form_is(f, "masked") ? masked(&own, to) : partition(&own, to);
}

static bool ends_in(const char *path, tt_span word)
{
    const size_t whole = strlen(path), n = (size_t)word.n;
    const char *end = path + whole - n;
    return n <= whole && !strncmp(end, word.p, n) && (n == whole || end[-1] == '.');
}

/* True if each leaf is in one group of the partition; else sets the error. */
static bool partition_ok(const tt_form *f, tt_val params)
{
    const int n = tt_tree_leaves_at(f->site, params, 0, NULL);
    for (int i = 0; i < n && tt_ok(); i++) {
        const char *path = tt_leaf_path_at(f->site, params, i);
        int groups = 0, others = 0, last = 0;
        for (int k = 0; k < f->n; k++) {
            const bool rest = f->arg[k].key.n == 6 && !memcmp(f->arg[k].key.p, "others", 6);
            others += rest;
            if (rest || !ends_in(path, f->arg[k].key)) continue;
            groups++;
            last = k;
        }
        if (groups == 1 || (!groups && others)) continue;
        if (groups) tt_form_fail(f, f->arg[last].key, "partition: \"%s\" is in %d groups", path, groups);
        else tt_form_fail(f, f->name, "partition: \"%s\" is in no group", path);
        tt_hint("a group is the end of its paths; \"others\" are all that are in no other group");
    }
    return tt_ok();
}

bool optim_groups_ok(const char *site, const char *text, tt_val params)
{
    for (const char *at = text + strspn(text, " "); *at && tt_ok(); at += strspn(at, "; ")) {
        tt_form f;
        if (!tt_form_read(site, text, &at, &f)) return false;
        if (tt_form_is(&f, "partition") && !partition_ok(&f, params)) return false;
    }
    return tt_ok();
}
