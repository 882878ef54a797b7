/* model/names.c - which layer of params is which of a file: "layers.up: layers.*.mlp.up_proj, ...". */
#include "export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool model_trimmed(const char *p, const char *end, char to[MODEL_PATH])
{
    while (p < end && isspace((unsigned char)*p)) p++;
    while (end > p && isspace((unsigned char)end[-1])) end--;
    snprintf(to, MODEL_PATH, "%.*s", (int)(end - p), p);
    return end > p && end - p < MODEL_PATH;
}

static int stars(const char *s) { int n = 0; while (*s) n += *s++ == '*'; return n; }

void model_read_names(name_pairs *e, const char *names, model_issues *s)
{
    for (const char *p = names; *p;) {
        const size_t n = strcspn(p, ",");
        const char *const colon = memchr(p, ':', n);
        name_pair *const a = &e->pair[e->n];
        if (e->n == EXPORT_PAIRS) {
            model_issue(s, ".names: more than %d pairs", EXPORT_PAIRS);
            return;
        }
        if (!colon || !model_trimmed(p, colon, a->ours) || !model_trimmed(colon + 1, p + n, a->theirs) ||
            stars(a->theirs) > 1)
            model_issue(s, ".names: \"%.*s\"; expected \"layer.of.the.params: layer.of.the.file\"", (int)n, p);
        else {
            for (int i = 0; i < e->n; i++)
                if (!strcmp(e->pair[i].theirs, a->theirs)) model_issue(s, ".names: \"%s\" is given twice", a->theirs);
            e->n++;
        }
        p += n + (p[n] == ',');
    }
}

/* What nn's attention and gated layers call the layers in them, and what files call those. */
static const char *const inner[][2] = {
    { "query", "q_proj" }, { "key", "k_proj" }, { "value", "v_proj" }, { "out", "o_proj" }, { "gate", "gate_proj" },
    { "up", "up_proj" }, { "down", "down_proj" },
};

/* True if the name is the pattern, in which * is a layer's number; without a * no layer is set. */
static bool matches(const char *pattern, const char *name, int64_t *layer)
{
    for (; *pattern && *pattern != '*'; pattern++, name++) if (*pattern != *name) return false;
    if (!*pattern) return !*name;
    char *end = (char *)name;
    if (isdigit((unsigned char)*name)) *layer = strtoll(name, &end, 10);
    return end != name && !strcmp(pattern + 1, end);
}

void model_numbered(const char *pattern, int64_t layer, const char *child, char to[2 * MODEL_PATH + 8])
{
    const char *const star = strchr(pattern, '*'), *const dot = *child ? "." : "";
    if (!star) snprintf(to, 2 * MODEL_PATH + 8, "%s%s%s", pattern, dot, child);
    else snprintf(to, 2 * MODEL_PATH + 8, "%.*s%lld%s%s%s", (int)(star - pattern), pattern, (long long)layer, star + 1,
                  dot, child);
}

bool model_name_is(const char *pattern, const char *name, int64_t *layer, const char **child)
{
    char outer[2 * MODEL_PATH];
    *child = "";
    if (matches(pattern, name, layer)) return true;
    snprintf(outer, sizeof outer, "%.390s", name);
    char *const dot = strrchr(outer, '.');
    if (!dot) return false;
    *dot = 0;
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (!strcmp(dot + 1, inner[i][1])) *child = inner[i][0];
    return **child && matches(pattern, outer, layer);
}
