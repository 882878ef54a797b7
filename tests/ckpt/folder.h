/* folder.h - a folder of the test's own, names in it, and calls that must be refused. */
#ifndef TESTS_CKPT_FOLDER_H
#define TESTS_CKPT_FOLDER_H

#include "check.h"

#include <tutti.h>

static char dir[64] = "/tmp/tutti-ckpt-XXXXXX";
static char path[4][128];
static int turn;

static inline const char *at(const char *name)
{
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static inline void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static inline void refused(const char *what, const char *text)
{
    CHECK(!tt_ok() && strstr(tt_error(), text), "%s: expected \"%s\", got \"%s\"", what, text,
          tt_ok() ? "no error" : tt_error());
    tt_clear();
}

#endif
