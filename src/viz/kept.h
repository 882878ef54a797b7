/* viz/kept.h - texts that a thread was given last: each lives until its thread asks for the next one, or ends. */
#ifndef TUTTI_VIZ_KEPT_H
#define TUTTI_VIZ_KEPT_H

/* The texts of the last four states are kept: VIZ_STATE and the three numbers behind it. */
typedef enum { VIZ_DRAWING, VIZ_CURVE, VIZ_IMAGE, VIZ_STATE, VIZ_STATES = VIZ_STATE + 4 } viz_kind;

/* Keeps text, from malloc, as this thread's last of the kind, and frees the one before. NULL: keeps none. Gives text,
 * or NULL where there is no memory to note it: then it is freed. */
char *viz_keep(viz_kind, char *text);

#endif
