/* viz/viz.h - declarations shared by the files of src/viz; no other room includes this header. */
#ifndef TUTTI_VIZ_ROOM_H
#define TUTTI_VIZ_ROOM_H

#include <tutti/form.h>

/* ---- colours (palette.c) ---- */

enum { VIZ_COLORS = 8 };
uint32_t viz_rgb(int color);                             /* 0xrrggbb */
/* Writes the escape sequence of a colour: of letters, or with `behind` of their background, on which the letters are
 * black or white by contrast. viz_color_end resets the colours. */
void viz_color(char to[48], int color, bool behind);
#define viz_color_end        "\033[0m"

/* ---- axes (axis.c) ---- */

enum { VIZ_TICKS = 24 };
typedef struct { double at; char label[24]; } viz_tick;
typedef struct { double lo, hi; bool log; int n; viz_tick tick[VIZ_TICKS]; } viz_axis;
/* True if the value has a place on an axis of this scale: finite, and above 0 on a logarithmic one. */
bool viz_is_drawn(bool log, double value);
/* The axis of values from lo to hi, with at most `most` ticks. round: extended to ticks at both ends. whole: ticks
 * at integers only. */
viz_axis viz_axis_of(double lo, double hi, bool log, int most, bool round, bool whole);
double viz_place(const viz_axis *, double value);        /* 0 at the low end, 1 at the high end */

/* ---- curves ---- */

enum { VIZ_SERIES = 8 };
/* raw: y before smoothing, or NULL; left_out: the number of values that are not drawn */
typedef struct { char name[128]; int64_t n; double *x, *y, *raw; int64_t left_out; } viz_series;
typedef struct {
    int n; viz_series series[VIZ_SERIES];
    /* named: there is a legend; whole: x counts steps; pale: the series before smoothing are drawn too */
    bool named, log_x, log_y, whole, pale;
    double lo[2], hi[2];                                 /* extremes of x, of y */
    const char *title, *xlabel, *ylabel; int width, height;
} viz_plot;
void viz_plot_text(FILE *, const viz_plot *);            /* curve_text.c */
void viz_plot_svg(FILE *, const viz_plot *);             /* curve_svg.c */
void viz_put_xml(FILE *, const char *text);
/* True if point i of a series, whose values are y, is drawn. */
static inline bool viz_has_place(const viz_plot *p, const viz_series *s, const double *y, int64_t i)
{
    return i >= 0 && i < s->n && viz_is_drawn(p->log_y, y[i]) && viz_is_drawn(p->log_x, s->x[i]);
}

#endif
