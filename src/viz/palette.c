/* viz/palette.c - eight colours that colour-blind people tell apart, for terminals of 2^24, 256 or 16 colours.
 *
 * Okabe and Ito, "Color Universal Design" (2008), with grey in the place of black, which a dark terminal hides. */
#include "viz.h"

#include <stdlib.h>
#include <string.h>

/* rgb: 0xrrggbb. of_256: the nearest of xterm's 256 colours that no other row has. of_16: one of the 16 colours. */
static const struct { uint32_t rgb; int of_256, of_16; } palette[VIZ_COLORS] = {
    { 0x0072b2, 25, 4 },   { 0xe69f00, 214, 3 }, { 0x009e73, 36, 2 },  { 0xd55e00, 166, 1 },
    { 0x56b4e9, 117, 6 },  { 0xcc79a7, 175, 5 }, { 0xf0e442, 227, 11 }, { 0x999999, 246, 8 },
};

uint32_t viz_rgb(int color) { return palette[color % VIZ_COLORS].rgb; }

/* The number of the terminal's colours: 2^24 by COLORTERM, 256 by the terminal's name, else 16. */
static int terminal_colors(void)
{
    const char *const more = getenv("COLORTERM"), *const term = getenv("TERM");
    if (more && (!strcmp(more, "truecolor") || !strcmp(more, "24bit"))) return 1 << 24;
    return term && strstr(term, "256color") ? 256 : 16;
}

void viz_color(char to[48], int color, bool behind)
{
    const int i = color % VIZ_COLORS, colors = terminal_colors();
    const int r = (int)(palette[i].rgb >> 16), g = (int)(palette[i].rgb >> 8 & 255), b = (int)(palette[i].rgb & 255);
    const bool dark = 0.299 * r + 0.587 * g + 0.114 * b < 120;
    if (colors == 16) {                                  /* 30 to 37, 90 to 97; behind: 40 to 47, 100 to 107 */
        const int n = palette[i].of_16, code = n < 8 ? 30 + n : 82 + n;
        if (behind) snprintf(to, 48, "\033[%d;%dm", dark ? 97 : 30, code + 10);
        else snprintf(to, 48, "\033[%dm", code);
    } else if (colors == 256) {
        if (behind) snprintf(to, 48, "\033[38;5;%d;48;5;%dm", dark ? 231 : 16, palette[i].of_256);
        else snprintf(to, 48, "\033[38;5;%dm", palette[i].of_256);
    } else if (behind) {
        const int ink = dark ? 255 : 0;
        snprintf(to, 48, "\033[38;2;%d;%d;%d;48;2;%d;%d;%dm", ink, ink, ink, r, g, b);
    } else {
        snprintf(to, 48, "\033[38;2;%d;%d;%dm", r, g, b);
    }
}
