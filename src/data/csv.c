/* data/csv.c - tables of numbers as text, and plain text as bytes.
 *
 * A line is a row; fields are parted by a comma (or what .separator says) and may stand in double quotes, "" being
 * one quote. A first line in which some field is no number names the columns. Every other field is a number; an empty
 * one is NaN. Lines end with newline, or carriage return and newline; empty lines at the end do not count.
 */
#include "data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 1024, FIELD = 256 };
typedef struct {
    const char *site, *path;
    const char *p, *end;
    char separator;
    int64_t line;
    int n;                                               /* fields of a line */
    char name[COLUMNS][64];                              /* of the first line */
    double now[COLUMNS];                                 /* this line's numbers */
    double *x; int64_t rows, room;                       /* [rows, n] */
} table;

/* The next field of the line; false: it was the last. */
static bool field(table *t, char to[FIELD], bool *more)
{
    size_t n = 0;
    const bool quoted = t->p < t->end && *t->p == '"';
    for (t->p += quoted; t->p < t->end; t->p++) {
        if (quoted && *t->p == '"') {
            if (t->p + 1 >= t->end || t->p[1] != '"') break;
            t->p++;
        } else if (!quoted && (*t->p == t->separator || *t->p == '\n')) break;
        if (n + 1 < FIELD) to[n++] = *t->p;
    }
    if (quoted) t->p += t->p < t->end;
    while (n && (to[n - 1] == '\r' || to[n - 1] == ' ')) n--;
    to[n] = 0;
    while (quoted && t->p < t->end && (*t->p == '\r' || *t->p == ' ')) t->p++;
    *more = t->p < t->end && *t->p == t->separator;
    if (!*more && t->p < t->end && *t->p != '\n') {
        tt_fail_at(t->site, TT_EDATA, "%s:%lld: something follows a quoted field", t->path, (long long)t->line);
        return false;
    }
    t->p += t->p < t->end;
    return true;
}

static bool number(const char *s, double *out)
{
    char *end;
    s += strspn(s, " ");
    *out = *s ? tt_strtod(s, &end) : NAN;
    return !*s || !*end;
}

/* A line to t->now; false: an error. numbers: all fields are; if not, it is the first line and names the columns. */
static bool row(table *t, bool *numbers)
{
    char text[FIELD];
    int n = 0;
    t->line++;
    *numbers = true;
    for (bool more = true; more; n++) {
        if (!field(t, text, &more)) return false;
        if (n == COLUMNS) return tt_fail_at(t->site, TT_EDATA, "%s: more than %d columns", t->path, COLUMNS), false;
        const bool is = number(text, &t->now[n]);
        if (t->line == 1) snprintf(t->name[n], sizeof t->name[n], "%.63s", text);
        *numbers &= is;
        if (!is && t->line > 1) {
            tt_fail_at(t->site, TT_EDATA, "%s:%lld: \"%s\" in column %d is no number", t->path, (long long)t->line,
                       text, n + 1);
            return false;
        }
    }
    if (t->line == 1) t->n = n;
    if (n == t->n) return true;
    tt_fail_at(t->site, TT_EDATA, "%s:%lld: %d fields, where the first line has %d", t->path, (long long)t->line, n,
               t->n);
    return false;
}

static bool append(table *t)
{
    if (t->rows == t->room) {
        double *more = realloc(t->x, (size_t)(2 * t->room + 64) * (size_t)t->n * sizeof *t->x);
        if (!more) return tt_fail_at(t->site, TT_EMEM, "%s: out of memory", t->path), false;
        t->x = more, t->room = 2 * t->room + 64;
    }
    memcpy(t->x + t->rows++ * t->n, t->now, (size_t)t->n * sizeof *t->x);
    return true;
}

/* A matrix, or a dict of columns. */
static tt_val values(const table *t, bool named, tt_dtype dtype)
{
    const int64_t matrix[] = { t->rows, t->n, TT_DIM_END }, rows[] = { t->rows, TT_DIM_END };
    if (!named) return tt_cast_at(t->site, tt_array_at(t->site, TT_F64, t->x, matrix), dtype);
    tt_val *v = calloc((size_t)t->n, sizeof *v), out = tt_none();
    const char **name = calloc((size_t)t->n, sizeof *name);
    double *one = malloc((size_t)(t->rows + 1) * sizeof *one);
    if (!v || !name || !one) out = tt_fail_at(t->site, TT_EMEM, "%s: out of memory", t->path);
    for (int c = 0; tt_ok() && c < t->n; c++) {
        for (int64_t i = 0; i < t->rows; i++) one[i] = t->x[i * t->n + c];
        name[c] = t->name[c];
        v[c] = tt_cast_at(t->site, tt_array_at(t->site, TT_F64, one, rows), dtype);
    }
    if (tt_ok()) out = tt_dict_n(t->site, t->n, name, v);
    free(one);
    free(name);
    free(v);
    return out;
}

tt_val tt_read_csv_at(const char *site, const char *path, const tt_csv_opts *o)
{
    if (!TT_CHECKED(tt_csv_opts, site, "read_csv", o)) return tt_poison;
    data_bytes file;
    bool named = false, numbers;
    if (!data_slurp(site, path, &file)) return tt_none();
    table *t = calloc(1, sizeof *t);
    tt_val out = tt_none();
    if (t) *t = (table){ .site = site, .path = path, .p = (const char *)file.p, .end = (const char *)file.p + file.n,
                         .separator = o->separator ? *o->separator : ',' };
    while (t && t->end > t->p && strchr("\r\n", t->end[-1])) t->end--;
    while (t && t->p < t->end && tt_ok()) {
        if (!row(t, &numbers)) break;
        if (!numbers) named = true;
        else if (!append(t)) break;
    }
    if (!t) tt_fail_at(site, TT_EMEM, "%s: out of memory", path);
    else if (tt_ok() && !t->line) tt_fail_at(site, TT_EDATA, "%s has no lines", path);
    else if (tt_ok()) out = values(t, named, o->dtype ? o->dtype : TT_F32);
    if (t) free(t->x);
    free(t);
    data_free(&file);
    return out;
}

tt_val tt_read_text_at(const char *site, const char *path)
{
    data_bytes file;
    if (!data_slurp(site, path, &file)) return tt_none();
    const tt_val v = tt_array_at(site, TT_U8, file.p, (const int64_t[]){ (int64_t)file.n, TT_DIM_END });
    data_free(&file);
    return v;
}
