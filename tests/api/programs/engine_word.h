/* engine_word.h - the library of PJRT that tests of engines run on: PJRT_LIBRARY=FILE. */
#ifndef TESTS_ENGINE_WORD_H
#define TESTS_ENGINE_WORD_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* The word of tt_engine for it, "pjrt:FILE"; NULL: there is none, which is noted as skipped. */
static inline const char *engine_word(void)
{
    static char word[4200];
    const char *const library = getenv("PJRT_LIBRARY");
    if (!library) {
        CHECK_SKIP("no library of PJRT (PJRT_LIBRARY)");
        return NULL;
    }
    snprintf(word, sizeof word, "pjrt:%s", library);
    return word;
}

#endif
