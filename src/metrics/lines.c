/* metrics/lines.c - a call's scalars as a line of JSON and as a line of CSV (RFC 4180). */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

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
    char **more = realloc(c->name, (size_t)(c->n + 1) * sizeof *more);
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

static int columns_find(const metrics_columns *c, const char *name)
{
    for (int i = 0; i < c->n; i++) if (!strcmp(c->name[i], name)) return i;
    return -1;
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
        if (!n || n >= sizeof name || own || columns_find(c, name) >= 0) {
            tt_fail_at(site, TT_EARG, "metric_writer_open: .columns = \"%s\": %s%.60s%s", words, n ? "\"" : "", name,
                       !n ? "a name is empty" : own ? "\" is there by itself" : n >= sizeof name ? "...\" is too long"
                                                                             : "\" is given twice");
            return false;
        }
        if (!metrics_columns_add(site, c, at, n)) return false;
        if (!at[whole]) return true;
        at += whole;
    }
}

/* The next field of a line, without its quotes, into `to`; returns what is after it. */
static const char *csv_field(const char *at, char *to, size_t capacity)
{
    size_t n = 0;
    const bool quoted = *at == '"';
    for (at += quoted; *at && (quoted || *at != ','); at++) {
        if (quoted && *at == '"' && *++at != '"') break;
        if (n + 1 < capacity) to[n++] = *at;
    }
    to[n] = 0;
    return at + (*at == ',');
}

bool metrics_columns_read(const char *site, const char *path, const char *head, metrics_columns *c)
{
    char name[METRICS_NAME];
    const char *at = head + METRICS_CSV_TITLE_BYTES;
    if (*at && *at != ',') return tt_fail_at(site, TT_ETEXT, "%s: is not a file of metrics: %.80s", path, head), false;
    for (at += *at == ','; *at;) {
        at = csv_field(at, name, sizeof name);
        if (!metrics_columns_add(site, c, name, strlen(name))) return false;
    }
    return true;
}

bool metrics_columns_have(const char *site, const char *path, const metrics_columns *c, const metrics_list *l)
{
    for (int i = 0; i < l->n; i++) {
        if (columns_find(c, l->at[i].name) >= 0) continue;
        char *known = NULL;
        size_t bytes;
        FILE *t = open_memstream(&known, &bytes);
        for (int k = 0; t && k < c->n; k++) fprintf(t, k ? ", %s" : "%s", c->name[k]);
        if (t) fclose(t);
        tt_fail_at(site, TT_EARG, "write_scalars: %s has no column \"%s\"", path, l->at[i].name);
        tt_hint("its columns, by its first line: %s. Columns that come later are named in .columns, or go to .jsonl",
                known ? known : "");
        free(known);
        return false;
    }
    return true;
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

void metrics_put_csv(FILE *t, const metrics_columns *c, int64_t step, double wall, const metrics_list *l,
                     const metrics_number *x)
{
    tt_fprintf(t, "%lld,%.6f", (long long)step, wall);
    for (int k = 0; k < c->n; k++) {
        int i = 0;
        while (i < l->n && strcmp(l->at[i].name, c->name[k])) i++;
        putc(',', t);
        if (i == l->n) continue;
        if (isfinite(x[i].value)) fputs(x[i].text, t);
        else fputs(isnan(x[i].value) ? "nan" : x[i].value > 0 ? "inf" : "-inf", t);
    }
    putc('\n', t);
}
