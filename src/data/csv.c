/* data/csv.c - tables of numbers as text, and plain text as bytes.
 *
 * A line is a row; fields are separated by a comma (or .separator) and may be in double quotes, where "" is one quote.
 * A first line of words names the columns; one that mixes words and numbers is an error, unless .header is given. Every
 * other field is a number, for an integer dtype one of its integers; an empty field is NaN. Lines end with newline, or
 * carriage return and newline; empty lines at the end and a UTF-8 mark at the beginning are ignored.
 */
#include "data.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 1024, FIELD = 256 };
typedef union { double real; int64_t whole; uint64_t natural; } cell;    /* by the dtype: floats, signed, unsigned */
typedef struct {
    const char *site, *path;
    const char *p, *end;
    char separator;
    int64_t line;
    int n;                                               /* fields per line */
    tt_dtype dtype;                                      /* of the result */
    int header;                                          /* the first line names the columns; -1: detect */
    char name[COLUMNS][64];                              /* from the first line */
    cell now[COLUMNS];                                   /* this line's numbers */
    cell *x; int64_t rows, cap;                          /* [rows, n] */
} table;

static bool csv_wrong(const table *t, const char *what, const char *text, int column)
{
    tt_fail_at(t->site, TT_EDATA, "%s:%lld: \"%s\" in column %d is %s", t->path, (long long)t->line, text, column + 1,
               what);
    const char *const other = t->separator == ',' ? strpbrk(text, ";\t") : NULL;
    if (other) tt_hint(*other == ';' ? ".separator = \";\": fields with a ';' between them"
                                     : ".separator = \"\\t\": fields with a tab between them");
    return false;
}

/* Reads the next field of the line; *more: another one follows. False: an error. */
static bool field(table *t, char to[FIELD], bool *more)
{
    size_t n = 0;
    const bool quoted = t->p < t->end && *t->p == '"';
    for (t->p += quoted; t->p < t->end; t->p++) {
        if (quoted && *t->p == '"') {
            if (t->p + 1 >= t->end || t->p[1] != '"') break;
            t->p++;
        } else if (!quoted && (*t->p == t->separator || *t->p == '\n')) break;
        if (n + 1 == FIELD || !*t->p) {
            tt_fail_at(t->site, TT_EDATA, *t->p ? "%s:%lld: a field of more than %d bytes"
                       : "%s:%lld: a byte 0 in a field", t->path, (long long)t->line, FIELD - 1);
            return false;
        }
        to[n++] = *t->p;
    }
    if (quoted && t->p >= t->end) {
        tt_fail_at(t->site, TT_EDATA, "%s:%lld: a quote is not closed", t->path, (long long)t->line);
        return false;
    }
    t->p += quoted;
    while (n && (to[n - 1] == '\r' || to[n - 1] == ' ')) n--;
    to[n] = 0;
    if (!quoted && strchr(to, '\r')) {
        tt_fail_at(t->site, TT_EDATA, "%s:%lld: a carriage return within the line", t->path, (long long)t->line);
        tt_hint("lines end with newline, or carriage return and newline");
        return false;
    }
    while (quoted && t->p < t->end && (*t->p == '\r' || *t->p == ' ')) t->p++;
    *more = t->p < t->end && *t->p == t->separator;
    if (!*more && t->p < t->end && *t->p != '\n') {
        tt_fail_at(t->site, TT_EDATA, "%s:%lld: something follows a quoted field", t->path, (long long)t->line);
        return false;
    }
    t->p += t->p < t->end;
    return true;
}

/* True if the field is empty, which is NaN, or a decimal number; C reads "0x10" and "nan(1)" as well. */
static bool csv_number(const char *s, double *out)
{
    char *end;
    s += strspn(s, " ");
    *out = *s ? tt_strtod(s, &end) : NAN;
    return !*s || (!*end && !s[strcspn(s, "xX(")]);
}

/* True if cells are read as integers: an integer dtype, or bool, which is 0 and 1. Then also sets the range. */
static bool holds_integers(tt_dtype d, int64_t *least, uint64_t *most)
{
    if (d != TT_BOOL) return tt_int_range(d, least, most);
    *least = 0, *most = 1;
    return true;
}

/* True if the number is an integer from least to most; sets *to: signed if least is negative. */
static bool csv_integer(const char *s, double real, int64_t least, uint64_t most, cell *to)
{
    char *end;
    s += strspn(s, " ");
    errno = 0;
    if (least < 0) to->whole = strtoll(s, &end, 10);
    else to->natural = strtoull(s, &end, 10);
    if (!*s || *end) {                                       /* 3.0 and 1e3 are integers too */
        if (!(fabs(real) <= 0x1p53) || real != floor(real)) return false;
        if (least < 0) to->whole = (int64_t)real;
        else to->natural = real >= 0 ? (uint64_t)real : 0;
    } else if (errno) return false;
    return least < 0 ? to->whole >= least && (to->whole < 0 || (uint64_t)to->whole <= most)
                     : real >= 0 && to->natural <= most;
}

/* Sets *names: the first line, which has such a number and such a word (-1: none), names the columns. False: an
 * error. */
static bool names_columns(table *t, int figure, int word, bool *names)
{
    *names = t->header < 0 ? word >= 0 : t->header;
    if (t->header == 0 && word >= 0) return csv_wrong(t, "no number", t->name[word], word);
    if (t->header >= 0 || figure < 0 || word < 0) return true;
    tt_fail_at(t->site, TT_EDATA, "%s:1: a number, \"%s\" in column %d, and a word, \"%s\" in column %d", t->path,
               t->name[figure], figure + 1, t->name[word], word + 1);
    tt_hint(".header = 1: the first line names the columns; .header = 0: it is a row like the others");
    return false;
}

/* True if the n columns' names can be those of a dict; else sets the error. */
static bool names_good(const table *t, int n)
{
    for (int i = 0; i < n; i++) {
        if (!*t->name[i] || strchr(t->name[i], '.')) {
            csv_wrong(t, "no name of a column, which has one or more characters and no '.'", t->name[i], i);
            tt_hint(".header = 1 with other names in the first line, which are the dict's names");
            return false;
        }
        for (int k = 0; k < i; k++)
            if (!strcmp(t->name[k], t->name[i])) return csv_wrong(t, "an earlier column's name too", t->name[i], i);
    }
    return true;
}

/* Reads a line into t->now; false: an error. *numbers: the line is a row; false: the first line, which names the
 * columns. */
static bool row(table *t, bool *numbers)
{
    char text[FIELD], bad[FIELD] = "";
    int n = 0, none = -1, longest = -1, figure = -1, word = -1;
    int64_t least;
    uint64_t most;
    const bool integers = holds_integers(t->dtype, &least, &most);
    t->line++;
    *numbers = true;
    for (bool more = true; more; n++) {
        if (!field(t, text, &more)) return false;
        if (n == COLUMNS) return tt_fail_at(t->site, TT_EDATA, "%s: more than %d columns", t->path, COLUMNS), false;
        double real;
        const bool is = csv_number(text, &real);
        if (t->line == 1) snprintf(t->name[n], sizeof t->name[n], "%.63s", text);
        if (t->line == 1 && strlen(text) >= sizeof t->name[n]) longest = n;
        if (is && text[strspn(text, " ")]) figure = n;
        if (!is) word = n;
        if (!is && t->line > 1) return csv_wrong(t, "no number", text, n);
        if (!integers) t->now[n].real = real;
        else if (is && !csv_integer(text, real, least, most, &t->now[n])) none = n,
            snprintf(bad, sizeof bad, "%s", text);
    }
    if (t->line == 1) {
        bool names;
        if (!names_columns(t, figure, word, &names)) return false;
        *numbers = !names;
    }
    if (!*numbers && longest >= 0) return csv_wrong(t, "a name of more than 63 bytes", t->name[longest], longest);
    if (!*numbers && !names_good(t, n)) return false;
    if (*numbers && none >= 0) {
        snprintf(text, sizeof text, "no %s", tt_dtype_name(t->dtype));
        return csv_wrong(t, text, bad, none);
    }
    if (t->line == 1) t->n = n;
    if (n == t->n) return true;
    tt_fail_at(t->site, TT_EDATA, "%s:%lld: %d fields, where the first line has %d", t->path, (long long)t->line, n,
               t->n);
    return false;
}

static bool append(table *t)
{
    if (t->rows == t->cap) {
        cell *more = realloc(t->x, (size_t)(2 * t->cap + 64) * (size_t)t->n * sizeof *t->x);
        if (!more) return tt_fail_at(t->site, TT_EMEM, "%s: out of memory", t->path), false;
        t->x = more, t->cap = 2 * t->cap + 64;
    }
    memcpy(t->x + t->rows++ * t->n, t->now, (size_t)t->n * sizeof *t->x);
    return true;
}

/* A matrix, or a dict of columns. */
static tt_val values(const table *t, bool named)
{
    const tt_dtype dtype = t->dtype;
    const int64_t matrix[] = { t->rows, t->n, TT_DIM_END }, rows[] = { t->rows, TT_DIM_END };
    int64_t least;
    uint64_t most;
    const tt_dtype read = !holds_integers(dtype, &least, &most) ? TT_F64 : least < 0 ? TT_I64 : TT_U64;
    if (!named) return tt_cast_at(t->site, tt_array_at(t->site, read, t->x, matrix), dtype);
    tt_val *v = calloc((size_t)t->n, sizeof *v), out = tt_none();
    const char **name = calloc((size_t)t->n, sizeof *name);
    cell *one = malloc((size_t)(t->rows + 1) * sizeof *one);
    if (!v || !name || !one) out = tt_fail_at(t->site, TT_EMEM, "%s: out of memory", t->path);
    for (int c = 0; tt_ok() && c < t->n; c++) {
        for (int64_t i = 0; i < t->rows; i++) one[i] = t->x[i * t->n + c];
        name[c] = t->name[c];
        v[c] = tt_cast_at(t->site, tt_array_at(t->site, read, one, rows), dtype);
    }
    if (tt_ok()) out = tt_dict_n(t->site, t->n, name, v);
    free(one);
    free(name);
    free(v);
    return out;
}

tt_val tt_read_csv_at(const char *site, const char *path, const tt_csv_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_csv_opts, site, "read_csv", o)) return tt_poison;
    data_bytes file;
    bool named = false, numbers;
    const char *const parts = o->separator ? o->separator : ",";
    if (strlen(parts) != 1 || strpbrk(parts, "\"\r\n0123456789.+-")) {
        const tt_val bad = tt_fail_at(site, TT_EARG, "read_csv: .separator = \"%s\"; expected one character", parts);
        tt_hint("\",\" by default, \";\" or \"\\t\"; none that is in a number or a quote");
        return bad;
    }
    if (!data_slurp(site, path, &file)) return tt_poison;
    table *t = calloc(1, sizeof *t);
    tt_val out = tt_poison;
    if (t) *t = (table){ .site = site, .path = path, .p = (const char *)file.p, .end = (const char *)file.p + file.n,
                         .separator = *parts, .dtype = o->dtype || tt_given(o, "dtype") ? o->dtype : TT_F32,
                         .header = tt_given(o, "header") ? o->header != 0 : o->header ? 1 : -1 };
    if (t && file.n >= 3 && !memcmp(t->p, "\xef\xbb\xbf", 3)) t->p += 3;
    while (t && t->end > t->p && (t->end[-1] == '\r' || t->end[-1] == '\n')) t->end--;
    while (t && t->p < t->end && tt_ok()) {
        if (!row(t, &numbers)) break;
        if (!numbers) named = true;
        else if (!append(t)) break;
    }
    if (!t) tt_fail_at(site, TT_EMEM, "%s: out of memory", path);
    else if (tt_ok() && !t->line) tt_fail_at(site, TT_EDATA, "%s has no lines", path);
    else if (tt_ok()) out = values(t, named);
    if (t) free(t->x);
    free(t);
    data_free(&file);
    return out;
}

/* True if `name` is a text of TUTTI_DATA's folder text, or one that comes with Tutti. */
static bool is_known_text(const char *name, char path[DATA_PATH])
{
    const char *own = secure_getenv("TUTTI_DATA");
    if (!name || !*name || strchr(name, '/')) return false;
    if (own && *own && snprintf(path, DATA_PATH, "%s/text/%s", own, name) < DATA_PATH && data_exists(path)) return true;
    char packed[256];
    return snprintf(packed, sizeof packed, "%s.gz", name) < (int)sizeof packed && data_shipped(packed, path);
}

tt_val tt_read_text_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    data_bytes file;
    char known[DATA_PATH];
    if (path && !data_exists(path) && is_known_text(path, known)) path = known;
    if (!data_slurp(site, path, &file)) return tt_poison;
    const tt_val v = tt_array_at(site, TT_U8, file.p, (const int64_t[]){ (int64_t)file.n, TT_DIM_END });
    data_free(&file);
    return v;
}
