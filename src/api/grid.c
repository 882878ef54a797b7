/* api/grid.c - arrays of words as NumPy prints them: brackets, aligned rows, lines broken at a width.
 *
 * Rows of the last dim break before a word that would not fit; the text before the first line counts, and so does each
 * closing bracket. Of more than 1,000 words the first and last three of each dim are printed. */
#include "grid.h"

#include <string.h>

enum { MANY = 1000, EDGE = 3 };

typedef struct { const api_grid *g; base_text *t; int line; bool abridged; } writer;

static void grid_write(writer *w, const char *s)
{
    base_appendf(w->t, "%s", s);
    w->line += (int)strlen(s);
}

static void new_line(writer *w, int blank_lines, int indent)
{
    while (w->t->n && w->t->s[w->t->n - 1] == ' ') w->t->s[--w->t->n] = 0;
    for (int i = 0; i <= blank_lines; i++) base_appendf(w->t, "\n");
    base_appendf(w->t, "%*s", indent, "");
    w->line = indent;
}

static void grid_word(writer *w, const char *s, int width, int indent)
{
    if (w->line + (int)strlen(s) > width && w->line > indent) new_line(w, 0, indent);
    grid_write(w, s);
}

static void put_dim(writer *w, int dim, int64_t at, int indent, int width)
{
    const api_grid *const g = w->g;
    const int64_t n = g->dim[dim];
    const bool last = dim + 1 == g->rank, cut = w->abridged && n > 2 * EDGE;
    grid_write(w, "[");
    for (int64_t i = 0; i < n; i++) {
        const bool gap = cut && i == EDGE;
        if (gap) i = n - EDGE;
        for (int k = gap ? 0 : 1; k < 2; k++) {
            if (last) grid_word(w, k ? g->word(g->env, at * n + i) : "...", width - 1, indent);
            else if (k) put_dim(w, dim + 1, at * n + i, indent + 1, width - 1);
            else grid_write(w, "...");
            if (k && i + 1 == n) break;
            grid_write(w, last ? g->separator : *g->separator == ',' ? "," : "");
            if (!last) new_line(w, g->rank - dim - 2, indent);
        }
    }
    grid_write(w, "]");
}

void api_grid_put(base_text *t, const api_grid *g)
{
    int64_t n = 1;
    for (int d = 0; d < g->rank; d++) n *= g->dim[d];
    writer w = { g, t, g->before, n > MANY };
    if (g->rank) put_dim(&w, 0, 0, g->before + 1, g->width);
    else grid_write(&w, g->word(g->env, 0));
}
