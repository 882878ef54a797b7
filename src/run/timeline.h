/* run/timeline.h - marks of the program in the timeline of TUTTI=time:FILE, for api. */
#ifndef TUTTI_RUN_TIMELINE_H
#define TUTTI_RUN_TIMELINE_H

#include "../base/base.h"

/* Iteration i of a loop of the program, which ends now; name NULL: none. Nothing is kept without the word. */
void run_timeline_iteration(base_name name, base_site, int64_t i, double start);

#endif
