/* ckpt/format/spec.c - the text of a layout in a checkpoint: "data+model, k.2.2" and the mesh that it is on.
 *
 * Which axes shard which dim is stored. What propagation reads is not: open dims, priorities, states ("+sum(a)"). */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of an axis in "data:2 explicit, model:4"; 0: there is none of this name. */
static int64_t size_in(const char *mesh, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = mesh; *p && *p != '@'; p += strcspn(p, ",@"), p += *p == ',') {
        p += strspn(p, " ");
        if (!strncmp(p, name, n) && p[n] == ':') return strtoll(p + n + 1, NULL, 10);
    }
    return 0;
}

/* The number of parts by the axis "data" or by its part "k.2.2"; 0: the mesh does not have the axis, or the axis has
 * not the size to which the part belongs. */
static int64_t parts_by(const char *text, size_t n, const char *sizes, tt_mesh mesh, bool *whole)
{
    char name[256];
    long long before, size;
    const size_t k = strcspn(text, ". +,?!");
    if (k >= sizeof name) return 0;
    snprintf(name, sizeof name, "%.*s", (int)k, text);
    const int64_t all = tt_mesh_size(mesh, name);
    if (k >= n || !all) return all;
    *whole = false;
    return sscanf(text + k, ".%lld.%lld", &before, &size) == 2 && size_in(sizes, name) == all ? size : 0;
}

bool ckpt_spec_on(const char *spec, const char *sizes, tt_mesh mesh, int rank, char *to, int64_t *part)
{
    bool whole = true;
    char *out = to;
    int d = 0;
    for (int i = 0; i < rank; i++) part[i] = 1;
    for (const char *p = spec; *p && d < rank; d++) {
        char *const item = out;
        for (p += strspn(p, " "); *p && *p != ','; p += strspn(p, " +?")) {
            const size_t n = strcspn(p, " ,+?!(");
            if (p[n] == '(') break;                      /* a state: the items end before it */
            const bool none = !n || (n == 1 && *p == '_');
            const int64_t size = none ? 0 : parts_by(p, n, sizes, mesh, &whole);
            if (size) out += sprintf(out, "%s%.*s", out > item ? "+" : "", (int)n, p);
            if (size && __builtin_mul_overflow(part[d], size, &part[d])) part[d] = INT64_MAX;
            p += n;
            if (*p == '!') p += 1 + strspn(p + 1, "0123456789");
        }
        if (out == item) *out++ = '_';
        if (*p != ',') break;
        p++;
        if (d + 1 < rank) *out++ = ',', *out++ = ' ';
    }
    *out = 0;
    return whole;
}
