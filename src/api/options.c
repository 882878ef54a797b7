/* api/options.c - what is asked of the options of every call: are they of this library's kind, and which are given? */
#include "api.h"

#include <stdio.h>
#include <string.h>

typedef struct { TT_OPTION_HEAD } head;

bool api_options(base_site site, const char *what, size_t given, size_t least, size_t most,
                 const void *name_your_options)
{
    if (name_your_options) {
        base_fail(TT_EARG, site, "%s: an option without its name", what);
        return base_hint("options are written .name = value, after the arguments");
    }
    if (given >= least && given <= most) return true;
    base_fail(TT_EARG, site, "%s: options of %zu bytes, where the library knows %zu", what, given, most);
    return base_hint("the program was compiled with the header of another version");
}

bool tt_given(const void *options, const char *name)
{
    const head *o = options;
    base_option item;
    return o && o->given && *o->given && base_option_find(o->given, name, &item);
}

/* Adds ".name, " of the next item of a list. */
static bool name_of(const char **at, char *to, size_t room)
{
    const size_t n = strlen(to);
    base_option item;
    if (!base_option_next(at, &item)) return false;
    if (n + item.nname + 4 <= room) snprintf(to + n, room - n, ".%.*s, ", (int)item.nname, item.name);
    return true;
}

const char *tt_given_in(const void *options, const char *field, char *to, size_t room)
{
    const head *o = options;
    const char *at = o ? o->given : NULL;
    base_option item;
    if (room) *to = 0;
    while (room && base_option_next(&at, &item)) {
        if (!base_option_is(&item, field)) continue;
        const char *own = memchr(item.value, '{', item.nvalue);
        own += own != NULL;
        if (*item.inner == '.') name_of(&item.inner, to, room);
        else if (own) while (name_of(&own, to, room)) { }
    }
    return room && *to ? to : NULL;
}
