/* base/link.c - a link between machines as text: "10us+5GB/s", the time until a message begins to arrive, and how many
 * bytes then arrive in a second. */
#include "base.h"

#include <string.h>

#define LINK_MOST 1e30                                /* of any unit: no link takes so long, or is so fast */

typedef struct { const char *name; double factor; } unit;

/* The factor of the unit at p; *end behind it. 0: none of the list. */
static double factor_of(const unit *list, int n, const char *p, const char **end)
{
    for (int i = 0; i < n; i++) {
        const size_t k = strlen(list[i].name);
        if (strncmp(p, list[i].name, k)) continue;
        *end = p + k;
        return list[i].factor;
    }
    return 0;
}

bool base_link_read(const char *text, double *latency, double *per_byte)
{
    static const unit times[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
    static const unit rates[] = { { "KB/s", 1e3 }, { "MB/s", 1e6 }, { "GB/s", 1e9 }, { "TB/s", 1e12 }, { "B/s", 1 } };
    char *behind;
    const char *end = text;
    const double t = base_strtod(text, &behind);
    const double unit_t = behind > text ? factor_of(times, 4, behind, &end) : 0;
    if (!(t >= 0 && t < LINK_MOST) || !unit_t || *end != '+') return false;
    const char *const rate = end + 1;
    const double r = base_strtod(rate, &behind);
    const double unit_r = behind > rate ? factor_of(rates, 5, behind, &end) : 0;
    if (!(r > 0 && r < LINK_MOST) || !unit_r || *end) return false;
    *latency = t * unit_t;
    *per_byte = 1 / (r * unit_r);
    return true;
}
