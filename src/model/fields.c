/* model/fields.c - fields of JSON objects, and the list of all that does not fit. */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void model_issue(model_issues *s, const char *fmt, ...)
{
    const size_t left = sizeof s->text - s->n;
    va_list v;
    s->count++;
    if (left < 3) return;
    va_start(v, fmt);
    memcpy(s->text + s->n, "\n  ", 3);
    const int n = left > 3 ? vsnprintf(s->text + s->n + 3, left - 3, fmt, v) : -1;
    va_end(v);
    if (n >= 0 && (size_t)n < left - 3) s->n += (size_t)n + 3;
    else s->text[s->n] = 0, s->n = sizeof s->text;       /* full: what follows is only counted */
}

const char *model_shown(const json_t *v, char to[64])
{
    char *const text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(to, 64, "%.60s", text ? text : "?");
    free(text);
    return to;
}

const json_t *model_given(const json_t *o, const char *key)
{
    const json_t *const v = json_object_get(o, key);
    return json_is_null(v) ? NULL : v;
}

static void other(const json_t *v, const char *key, const char *expected, model_issues *s)
{
    char text[64];
    model_issue(s, "config.json: \"%s\" is %s; expected %s", key, model_shown(v, text), expected);
}

const json_t *model_object(const json_t *o, const char *key, model_issues *s)
{
    const json_t *const v = model_given(o, key);
    if (v && !json_is_object(v)) other(v, key, "an object", s);
    return json_is_object(v) ? v : NULL;
}

/* The field, or NULL if it is not given, which is an issue where it is needed. */
static const json_t *found(const json_t *o, const char *key, bool needed, model_issues *s)
{
    const json_t *const v = model_given(o, key);
    if (!v && needed) model_issue(s, "config.json has no \"%s\"", key);
    return v;
}

int64_t model_whole(const json_t *o, const char *key, int64_t usual, model_issues *s)
{
    const json_t *const v = found(o, key, usual < 0, s);
    const json_int_t n = json_integer_value(v);
    if (!v) return usual < 0 ? 1 : usual;
    if (json_is_integer(v) && n >= 1 && n <= INT32_MAX) return n;
    other(v, key, "a whole number from 1 on", s);
    return 1;
}

double model_real(const json_t *o, const char *key, double usual, model_issues *s)
{
    const json_t *const v = found(o, key, usual < 0, s);
    const double x = json_number_value(v);
    if (!v) return usual < 0 ? 1 : usual;
    if (json_is_number(v) && x > 0 && isfinite(x)) return x;
    other(v, key, "a number above 0", s);
    return 1;
}

bool model_flag(const json_t *o, const char *key, bool usual, model_issues *s)
{
    const json_t *const v = model_given(o, key);
    if (v && !json_is_boolean(v)) other(v, key, "true or false", s);
    return v ? json_is_true(v) : usual;
}

const char *model_word(const json_t *o, const char *key, const char *usual, model_issues *s)
{
    const json_t *const v = found(o, key, !usual, s);
    if (v && !json_is_string(v)) other(v, key, "a text", s);
    return json_is_string(v) ? json_string_value(v) : usual ? usual : "";
}

json_t *model_json(const char *folder, const char *file, bool needed, model_issues *s)
{
    char path[4096];
    json_error_t why;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path) {
        model_issue(s, "the path is too long");
        return NULL;
    }
    FILE *const f = fopen(path, "rb");
    if (!f) {
        if (needed || errno != ENOENT) model_issue(s, "%s: %s", file, strerror(errno));
        return NULL;
    }
    struct stat st;
    if (!fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) {
        model_issue(s, "%s: is a folder; expected a file", file);
        fclose(f);
        return NULL;
    }
    json_t *const o = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    fclose(f);
    if (json_is_object(o)) return o;
    if (o) model_issue(s, "%s is no JSON object", file);
    else model_issue(s, "%s: line %d: %s", file, why.line, why.text);
    json_decref(o);
    return NULL;
}
