/* oracle/form.c - a description {"fn": NAME, arguments} as the text of a form, NAME(key=value, ...). */
#include "kinds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3)))
static void add(char to[ORACLE_FORM], const char *fmt, ...)
{
    const size_t n = strlen(to);
    va_list v;
    va_start(v, fmt);
    vsnprintf(to + n, ORACLE_FORM - n, fmt, v);
    va_end(v);
}

static void write_value(const json_t *v, char to[ORACLE_FORM])   /* a number, a word, a list parted by blanks, a form */
{
    if (json_is_object(v)) oracle_form(v, oracle_text(v, "fn", "cycle"), "", to);
    else if (json_is_boolean(v)) add(to, "%d", json_is_true(v));
    else if (json_is_integer(v)) add(to, "%lld", (long long)json_integer_value(v));
    else if (json_is_number(v)) add(to, "%.17g", json_number_value(v));
    else if (json_is_string(v)) add(to, "%s", json_string_value(v));
    for (size_t i = 0; json_is_array(v) && i < json_array_size(v); i++) {
        if (i) add(to, " ");
        write_value(json_array_get(v, i), to);
    }
}

static bool among(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n])) return true;
    return false;
}

void oracle_form(const json_t *o, const char *name, const char *but, char to[ORACLE_FORM])
{
    const char *key;
    json_t *v;
    bool some = false;
    add(to, "%s(", name);
    json_object_foreach((json_t *)o, key, v) {
        if (!strcmp(key, "fn") || among(key, but) || json_is_null(v)) continue;
        const bool forms = json_is_array(v) && json_is_object(json_array_get(v, 0));
        for (size_t i = 0; forms && i < json_array_size(v); i++) {       /* forms of a list stand without a key */
            add(to, "%s", some ? ", " : "");
            write_value(json_array_get(v, i), to);
            some = true;
        }
        if (forms) continue;
        add(to, "%s%s=", some ? ", " : "", key);
        write_value(v, to);
        some = true;
    }
    add(to, ")");
}
