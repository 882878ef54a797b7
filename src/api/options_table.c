/* api/options_table.c - the table of all options, generated from the headers by tools/options.sh. */
#include "api.h"

#include <string.h>

/* clang-format off */
#define OPTION_BEGIN(T) static const api_option T##_fields[] = {
#define OPTION(T, name, kind, n, least) { #name, NULL, offsetof(T, name), API_##kind, API_##least, n },
#define OPTION_INNER(T, name, inner) { #name, &inner##_are, offsetof(T, name), API_INNER, API_ANY, 1 },
#define OPTION_END(T) \
    }; \
    static const T T##_none = { .size = sizeof(T) }; \
    const api_option_struct T##_are = { #T, sizeof(T), sizeof T##_fields / sizeof *T##_fields, T##_fields, &T##_none };
/* clang-format on */
#define OPTION_SORTED(T)
#include <api/options.h>
#undef OPTION_BEGIN
#undef OPTION
#undef OPTION_INNER
#undef OPTION_END
#undef OPTION_SORTED

#define OPTION_BEGIN(T)
#define OPTION(...)
#define OPTION_INNER(...)
#define OPTION_END(T)
#define OPTION_SORTED(T) &T##_are,
static const api_option_struct *const all[] = {
#include <api/options.h>
};

const api_option_struct *api_option_struct_of(const char *type)
{
    size_t low = 0, high = sizeof all / sizeof *all;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(type, all[middle]->type);
        if (!order) return all[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}
