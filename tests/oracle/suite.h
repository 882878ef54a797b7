/* oracle/suite.h - what the runner's own files share: a suite as it was read, which mode a case runs in, and the
 * committed lists of what is known to miss and of which error is the right one. */
#ifndef TUTTI_TESTS_ORACLE_SUITE_H
#define TUTTI_TESTS_ORACLE_SUITE_H

#include "arrays.h"
#include "kinds.h"

#include "data/data.h"

struct oracle_suite {
    char name[256], dir[2048];
    int n; array *array; json_t *cases;
    data_bytes zip; int nentry; data_entry *entry;       /* entries that are stored are in the zip's bytes */
};

/* The list of cases in a file; NULL: it does not read, and `error` says why. */
json_t *oracle_cases_of(const char *path, json_error_t *error);
bool oracle_suite_load(oracle_suite *);                  /* the arrays; false: they do not read, as tt_error() says */
void oracle_suite_free(oracle_suite *);

/* The lists. A folder holds known.txt and refusals.txt; what does not read fails. */
bool oracle_lists_read(const char *folder);
void oracle_lists_free(void);
/* Why the whole suite is left out; NULL: it is not. */
const char *oracle_left_out(const char *suite);
typedef struct { const char *suite, *id, *mode, *reason, *distance; bool met; } oracle_known;
/* The row for this case in this mode ("user" or "reproducible", and the switches in force); NULL: none. */
oracle_known *oracle_known_row(const char *suite, const char *id, const char *mode);
/* True if the library's error is the one that the case names; else the case has failed. */
void oracle_refused(oracle_case *, const char *error);
/* Why a case that ended with the error has no result on an engine of PJRT; NULL: it should have one. */
const char *oracle_engine_refuses(const char *error);

#endif
