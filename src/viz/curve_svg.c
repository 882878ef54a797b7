/* viz/curve_svg.c - curves as SVG: lines in eight colours, a grid at the ticks, the legend above. */
#include "viz.h"

#include <math.h>
#include <string.h>

typedef struct { FILE *t; const viz_plot *p; viz_axis ax, ay; double left, top, w, h; } svg;

void viz_put_xml(FILE *t, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", t);
        else if (*text == '>') fputs("&gt;", t);
        else if (*text == '&') fputs("&amp;", t);
        else if ((unsigned char)*text < ' ') putc(' ', t);
        else putc(*text, t);
    }
}

static double svg_x(const svg *s, double x) { return s->left + s->w * viz_place(&s->ax, x); }
static double svg_y(const svg *s, double y) { return s->top + s->h * (1 - viz_place(&s->ay, y)); }

static void put_label(const svg *s, double x, double y, const char *more, const char *text)
{
    if (!*text) return;
    tt_fprintf(s->t, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    viz_put_xml(s->t, text);
    fprintf(s->t, "</text>\n");
}

static void put_grid(const svg *s)
{
    for (int k = 0; k < s->ay.n; k++) {
        const double y = svg_y(s, s->ay.tick[k].at);
        tt_fprintf(s->t, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#dddddd\"/>\n", s->left, y, s->w);
        put_label(s, s->left - 6, y + 4, " text-anchor=\"end\"", s->ay.tick[k].label);
    }
    double used = -INFINITY;
    for (int k = 0; k < s->ax.n; k++) {
        const double x = svg_x(s, s->ax.tick[k].at), half = 3.5 * (double)strlen(s->ax.tick[k].label);
        tt_fprintf(s->t, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#eeeeee\"/>\n", x, s->top, s->h);
        if (x - half < used + 4) continue;
        put_label(s, x, s->top + s->h + 16, " text-anchor=\"middle\"", s->ax.tick[k].label);
        used = x + half;
    }
    tt_fprintf(s->t, "<path d=\"M%.1f %.1fv%.1fh%.1f\" fill=\"none\" stroke=\"#555555\"/>\n", s->left, s->top, s->h,
               s->w);
}

/* A line through the values y; points without neighbours as circles. */
static void put_line(const svg *s, int k, const double *y, bool pale)
{
    const viz_series *v = &s->p->series[k];
    bool on = false;
    fprintf(s->t, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.5\" stroke-linejoin=\"round\"%s d=\"",
            (unsigned)viz_rgb(k), pale ? " opacity=\"0.3\"" : "");
    for (int64_t i = 0; i < v->n; i++) {
        const bool here = viz_has_place(s->p, v, y, i);
        if (here) tt_fprintf(s->t, "%s%.2f %.2f", on ? "L" : "M", svg_x(s, v->x[i]), svg_y(s, y[i]));
        on = here;
    }
    fprintf(s->t, "\"/>\n");
    for (int64_t i = 0; i < v->n; i++)
        if (viz_has_place(s->p, v, y, i) && !viz_has_place(s->p, v, y, i - 1) && !viz_has_place(s->p, v, y, i + 1))
            tt_fprintf(s->t, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\" fill=\"#%06x\"/>\n", svg_x(s, v->x[i]),
                       svg_y(s, y[i]), (unsigned)viz_rgb(k));
}

static void put_names(const svg *s, double y)
{
    double x = s->left;
    for (int k = 0; k < s->p->n; k++) {
        tt_fprintf(s->t, "<path d=\"M%.1f %.1fh18\" stroke=\"#%06x\" stroke-width=\"3\"/>\n", x, y - 4,
                   (unsigned)viz_rgb(k));
        put_label(s, x + 24, y, "", s->p->series[k].name);
        x += 44 + 6.5 * (double)strlen(s->p->series[k].name);
    }
}

static int64_t left_out(const viz_plot *p)
{
    int64_t n = 0;
    for (int k = 0; k < p->n; k++) n += p->series[k].left_out;
    return n;
}

void viz_plot_svg(FILE *t, const viz_plot *p)
{
    const bool title = *p->title, below = *p->xlabel;
    const int64_t lost = left_out(p);
    svg s = { .t = t, .p = p, .top = 10 + (title ? 16 : 0) + (p->named ? 18 : 0) };
    s.h = fmax(p->height - s.top - 26 - (below ? 16 : 0) - (lost ? 16 : 0), 1);
    s.ay = viz_axis_of(p->lo[1], p->hi[1], p->log_y, (int)(s.h / 40) + 2, true, false);
    size_t longest = 1;
    for (int k = 0; k < s.ay.n; k++) longest = fmax((double)longest, (double)strlen(s.ay.tick[k].label));
    s.left = 14 + 6.5 * (double)longest + (*p->ylabel ? 16 : 0);
    s.w = fmax(p->width - s.left - 20, 1);
    s.ax = viz_axis_of(p->lo[0], p->hi[0], p->log_x, (int)(s.w / 70) + 2, false, p->whole);
    fprintf(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
           "font-size=\"11\" fill=\"#222222\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", p->width,
           p->height);
    put_label(&s, s.left, 16, " font-size=\"13\"", p->title);
    if (p->named) put_names(&s, title ? 34 : 18);
    put_grid(&s);
    for (int k = p->n - 1; k >= 0; k--) if (p->series[k].raw) put_line(&s, k, p->series[k].raw, true);
    for (int k = p->n - 1; k >= 0; k--) put_line(&s, k, p->series[k].y, false);
    put_label(&s, s.left + s.w / 2, s.top + s.h + 32, " text-anchor=\"middle\"", p->xlabel);
    if (*p->ylabel) {
        tt_fprintf(t, "<text transform=\"translate(14 %.1f) rotate(-90)\" text-anchor=\"middle\">", s.top + s.h / 2);
        viz_put_xml(t, p->ylabel);
        fprintf(t, "</text>\n");
    }
    if (lost) {
        tt_fprintf(t, "<text x=\"%.1f\" y=\"%d\" fill=\"#777777\">%lld value%s left out: not finite%s</text>\n", s.left,
                   p->height - 6, (long long)lost, lost == 1 ? "" : "s",
                   p->log_y || p->log_x ? ", or without a logarithm" : "");
    }
    fprintf(t, "</svg>\n");
}
