/* api/io.c - lines for people, texts that live on, switches, reproducibility. */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *api_keep_text(const char *text) { return base_intern(text); }

void api_line(const char *line)
{
    api_bar_hide();
    fputs(line, stdout);
    fputc('\n', stdout);
    fflush(stdout);
    api_bar_show();
}

void tt_print(const char *fmt, ...)
{
    char line[4096];
    va_list v;
    va_start(v, fmt);
    vsnprintf(line, sizeof line, fmt, v);
    va_end(v);
    const size_t n = strlen(line);
    if (n && line[n - 1] == '\n') line[n - 1] = '\0';
    api_line(line);
}

ENTRY1(bool, false, api_switches, const char *, words)
{
    return base_switches(site ? site : "tt_switches", words ? words : "");
}
bool tt_switches(const char *words) { return api_switches_at(NULL, words); }

ENTRY1(bool, false, api_reproducible, int, on)
{
    return on ? base_switches(NULL, "reproducible") : (base_switch_off("reproducible"), true);
}
void tt_reproducible(int on) { api_reproducible_at(NULL, on); }

ENTRY1(const char *, NULL, api_word, const char *, word) { return base_switch(word); }
const char *tt_word(const char *word) { return api_word_at(NULL, word); }
