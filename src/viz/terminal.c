/* viz/terminal.c - the terminal's capabilities, and small grey pictures in half-block characters. */
#include <tutti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int tt_columns(void)
{
    struct winsize w;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0) return w.ws_col;
    const char *text = getenv("COLUMNS");
    const int n = text ? atoi(text) : 0;
    return n > 0 ? n : 80;
}

/* TUTTI=color:always or never decides; otherwise NO_COLOR, TERM=dumb and output that is not a terminal mean 0. */
int tt_colors(void)
{
    const char *want = tt_config_value("color"), *none = getenv("NO_COLOR"), *term = getenv("TERM");
    if (want && !strcmp(want, "always")) return 1;
    if (want && !strcmp(want, "never")) return 0;
    if ((none && *none) || !term || !strcmp(term, "dumb")) return 0;
    return isatty(STDOUT_FILENO);
}

/* Two pixels per character: the upper half in the foreground, the lower in the background colour; without colours,
 * half blocks where the grey is above 0.4. */
static size_t pixel(char *to, size_t capacity, double up, double down, int colors)
{
    static const char *const ink[] = { " ", "\u2580", "\u2584", "\u2588" };
    const int a = (int)(232 + 23 * up + 0.5), b = (int)(232 + 23 * down + 0.5);
    if (colors) return (size_t)snprintf(to, capacity, "\033[38;5;%d;48;5;%dm\u2580", a, b);
    return (size_t)snprintf(to, capacity, "%s", ink[(up > 0.4) + 2 * (down > 0.4)]);
}

static double grey(const float *p, int64_t h, int64_t w, int64_t y, int64_t x)
{
    const double v = y < h ? p[y * w + x] : 0;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

const char *tt_image_text_at(const char *site, tt_val image, int columns)
{
    TT_ENTRY(site);
    const int rank = tt_rank_at(site, image);
    if (tt_ok() && (rank != 2 || tt_dtype_of_at(site, image) != TT_F32)) {
        tt_fail_at(site, TT_ESHAPE, "image_text: %s; expected f32[H, W]", tt_type_text_at(site, image));
        tt_hint("tt_squeeze() takes away dims of size 1");
    }
    if (tt_ok() && columns < 0) tt_fail_at(site, TT_EARG, "image_text: %d columns; expected 0 or more", columns);
    if (!tt_ok()) return "";
    const int64_t h = tt_dim_at(site, image, 0), w = tt_dim_at(site, image, 1);
    const int64_t shown = columns > 0 && columns < w ? columns : w, lines = (h + 1) / 2;
    const size_t size = (size_t)(lines * (shown * 32 + 8) + 1), bytes = (size_t)(h * w) * sizeof(float);
    float *p = malloc(bytes ? bytes : 1);
    char *text = malloc(size);
    if (!p || !text || !tt_read_at(site, image, p, bytes)) {
        free(p);
        free(text);
        if (tt_ok()) tt_fail_at(site, TT_EMEM, "image_text: out of memory");
        return "";
    }
    const int colors = tt_colors();
    size_t n = 0;
    for (int64_t y = 0; y < lines; y++) {
        for (int64_t x = 0; x < shown; x++) {
            const double up = grey(p, h, w, 2 * y, x), down = grey(p, h, w, 2 * y + 1, x);
            n += pixel(text + n, size - n, up, down, colors);
        }
        n += (size_t)snprintf(text + n, size - n, "%s\n", colors ? "\033[0m" : "");
    }
    text[n] = 0;
    free(p);
    const char *kept = tt_keep_latest("image", text, n + 1);
    free(text);
    return kept ? kept : "";
}
