/* metrics/lines.c - a call's scalars as a line of JSON and as a line of CSV (RFC 4180). */
#include "metrics.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

bool metrics_is_utf8(const char *text)
{
    json_t *const t = json_string(text);                 /* NULL: it is none */
    json_decref(t);
    return t != NULL;
}

void metrics_put_json(FILE *t, const char *text)
{
    putc('"', t);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(t, "\\%c", c);
        else if (c == '\n') fputs("\\n", t);
        else if (c < ' ' || c == 127) fprintf(t, "\\u%04x", c);
        else putc(c, t);
    }
    putc('"', t);
}

void metrics_put_json_head(FILE *t, int64_t step, double wall)
{
    tt_fprintf(t, "{\"step\": %lld, \"wall_time\": %.6f", (long long)step, wall);
}

void metrics_put_json_number(FILE *t, const char *name, const metrics_number *x)
{
    fputs(", ", t);
    metrics_put_json(t, name);
    if (isfinite(x->value)) fprintf(t, ": %s", x->text);
    else fprintf(t, ": \"%s\"", isnan(x->value) ? "NaN" : x->value > 0 ? "Infinity" : "-Infinity");
}

/* ---- the columns of CSV ---- */

bool metrics_columns_add(const char *site, metrics_columns *c, const char *name, size_t n)
{
    const bool full = !(c->n & (c->n - 1));               /* there is room for the next power of two */
    char **const more = full ? realloc(c->name, (size_t)(c->n ? 2 * c->n : 1) * sizeof *more) : c->name;
    if (more) c->name = more;
    if (!more || !(more[c->n] = strndup(name, n))) return tt_fail_at(site, TT_EMEM, "metrics: out of memory"), false;
    c->n++;
    return true;
}

void metrics_columns_free(metrics_columns *c)
{
    for (int i = 0; i < c->n; i++) free(c->name[i]);
    free(c->name);
    *c = (metrics_columns){ 0 };
}

static const char *column_name(const void *columns, int i) { return ((const metrics_columns *)columns)->name[i]; }

/* A name that is among the columns twice, or NULL; *memory false: there is no memory. */
static const char *columns_twice(const metrics_columns *c, bool *memory)
{
    metrics_word *const words = metrics_words(c->n, column_name, c);
    const char *const twice = words ? metrics_words_twice(words, c->n) : NULL;
    *memory = words != NULL;
    free(words);
    return twice;
}

bool metrics_columns_equal(const metrics_columns *a, const metrics_columns *b)
{
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++) same = !strcmp(a->name[i], b->name[i]);
    return same;
}

bool metrics_columns_of(const char *site, const char *words, metrics_columns *c)
{
    for (const char *at = words;; at++) {
        at += strspn(at, " ");
        size_t n = strcspn(at, ","), whole = n;
        while (n && at[n - 1] == ' ') n--;
        char name[METRICS_NAME];
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        const bool own = !strcmp(name, "step") || !strcmp(name, "wall_time");
        if (!n || n >= sizeof name || own) {
            tt_fail_at(site, TT_EARG, "metric_writer_open: .columns = \"%s\": %s%.60s%s", words, n ? "\"" : "", name,
                       !n ? "a name is empty" : own ? "\" is there by itself" : "...\" is too long");
            return false;
        }
        if (!metrics_columns_add(site, c, at, n)) return false;
        if (!at[whole]) break;
        at += whole;
    }
    bool memory;
    const char *const twice = columns_twice(c, &memory);
    if (!memory) tt_fail_at(site, TT_EMEM, "metrics: out of memory");
    else if (twice)
        tt_fail_at(site, TT_EARG, "metric_writer_open: .columns = \"%s\": \"%.60s\" is given twice", words, twice);
    return memory && !twice;
}

/* The next field of a line, without its quotes, into `to`; returns its end, a comma or the line's end. NULL: it is
 * empty, too long, or no field. */
static const char *csv_field(const char *at, char *to, size_t capacity)
{
    size_t n = 0;
    const bool quoted = *at == '"';
    bool open = quoted;
    for (at += quoted; *at && (quoted || *at != ','); at++) {
        if (quoted && *at == '"' && *++at != '"') {
            open = false;
            break;
        }
        if (n + 1 == capacity) return NULL;
        to[n++] = *at;
    }
    to[n] = 0;
    return n && !open && (!*at || *at == ',') ? at : NULL;
}

bool metrics_columns_read(const char *site, const char *path, const char *head, metrics_columns *c)
{
    char name[METRICS_NAME];
    const char *at = head + METRICS_CSV_TITLE_BYTES;
    bool memory = true;
    while (at && *at) {
        at = *at == ',' ? csv_field(at + 1, name, sizeof name) : NULL;
        if (at && !metrics_columns_add(site, c, name, strlen(name))) return false;
    }
    const char *const twice = at ? columns_twice(c, &memory) : NULL;
    if (!memory) tt_fail_at(site, TT_EMEM, "metrics: out of memory");
    else if (!at) tt_fail_at(site, TT_ETEXT, "%s: its first line does not name columns: %.80s", path, head);
    else if (twice) tt_fail_at(site, TT_ETEXT, "%s: its first line has the column \"%.60s\" twice", path, twice);
    return at && memory && !twice;
}

bool metrics_columns_have(const char *site, const char *path, const metrics_columns *c, const metrics_list *l)
{
    metrics_word *const words = metrics_words(c->n, column_name, c);
    int i = 0;
    if (!words) return tt_fail_at(site, TT_EMEM, "metrics: out of memory"), false;
    while (i < l->n && metrics_words_find(words, c->n, l->at[i].name) >= 0) i++;
    free(words);
    if (i == l->n) return true;
    char *known = NULL;
    size_t bytes;
    FILE *t = tt_open_memstream(&known, &bytes);
    for (int k = 0; t && k < c->n; k++) fprintf(t, k ? ", %s" : "%s", c->name[k]);
    if (t) fclose(t);
    tt_fail_at(site, TT_EARG, "write_scalars: %s has no column \"%s\"", path, l->at[i].name);
    tt_hint("its columns, by its first line: %s. Columns that come later are named in .columns, or go to .jsonl",
            known ? known : "");
    free(known);
    return false;
}

static void put_field(FILE *t, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, t);
        return;
    }
    putc('"', t);
    for (; *text; text++) fprintf(t, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', t);
}

void metrics_put_csv_title(FILE *t, const metrics_columns *c)
{
    fputs(METRICS_CSV_TITLE, t);
    for (int i = 0; i < c->n; i++) putc(',', t), put_field(t, c->name[i]);
    putc('\n', t);
}

bool metrics_put_csv(FILE *t, const metrics_columns *c, int64_t step, double wall, const metrics_list *l,
                     const metrics_number *x)
{
    metrics_word *const words = metrics_words(l->n, metrics_leaf_name, l);
    tt_fprintf(t, "%lld,%.6f", (long long)step, wall);
    for (int k = 0; words && k < c->n; k++) {
        const int i = metrics_words_find(words, l->n, c->name[k]);
        putc(',', t);
        if (i < 0) continue;
        if (isfinite(x[i].value)) fputs(x[i].text, t);
        else fputs(isnan(x[i].value) ? "nan" : x[i].value > 0 ? "inf" : "-inf", t);
    }
    putc('\n', t);
    free(words);
    return words != NULL;
}
