/* api/bar.h - progress bars, for loops.c. */
#ifndef TUTTI_API_BAR_H
#define TUTTI_API_BAR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct api_bar api_bar;
/* The bar of a loop from iteration `from` to n. May unwind. */
api_bar *api_bar_new(const char *name, int64_t from, int64_t n);
void api_bar_delete(api_bar *);                          /* of a loop that is over, or that was left */
/* True if the bar is to be drawn when iteration i is over: decided before it, for tt_note. */
bool api_bar_is_due(api_bar *, int64_t i);
void api_bar_note(api_bar *, const char *fmt, va_list);
/* Draws the bar if it is due, or if something else was on its line. done: the iterations that are over */
void api_bar_draw(api_bar *, int64_t done, bool due);
void api_bar_end(api_bar *, bool whole);                 /* whole: its last line stays */

#endif
