/* gen/region/region_axes.h - the axes of lanes and taps of a reduction by a region, and loading their elements
 * (region_axes.c).
 *
 * A lane is a result; a tap is one of the elements that are reduced into this result, in row-major order. Along a plain
 * axis every lane and tap reads an element; other axes belong to a window of a dim with padding or base dilation. */
#ifndef TUTTI_GEN_REGION_AXES_H
#define TUTTI_GEN_REGION_AXES_H

#include "region.h"

enum { REGION_AXES = IR_RANK + 1, REGION_BLOCK = 16 };   /* REGION_BLOCK: taps loaded at once */
/* window -1: a plain axis. x, y: steps. */
typedef struct { int64_t n; int window; int64_t x[REGION_MOST], y[REGION_MOST]; } region_axis;
/* first: the window of lane 0. lo: of the operand's box. */
typedef struct { op_taps t; int64_t size, first, lo; } region_dim;
typedef struct {
    int nx, ny, nlane, ntap, nwindow;                    /* operands, results; axes, slowest first */
    region_axis lane[REGION_AXES], tap[REGION_AXES];
    region_dim window[IR_RANK];
    const char *x[REGION_MOST]; char *y[REGION_MOST];
    int64_t xat[REGION_MOST], yat[REGION_MOST];          /* offsets of lane 0, tap 0, in elements */
    int64_t xsize[REGION_MOST], ysize[REGION_MOST];
    int64_t lanes, taps;
    int split; int64_t each, tiles; /* a tile: `each` of lane axis `split`, and all of the axes after it */
} region_axes;

/* Adds dim d of a window from the boxes of operands and results: an axis of lanes, and one of taps. size: of the full
 * operand. */
void region_axes_window(region_axes *, const op_taps *, int64_t size, int d, const ir_box *x, int yd, const ir_box *y);
void region_axes_lane(region_axes *, region_axis), region_axes_tap(region_axes *, region_axis);
/* Merges axes, and splits the lanes into tiles of at most `most` lanes, each worth a task if possible. */
void region_axes_close(region_axes *, int64_t most);

/* step: in the tile's line. */
typedef struct { int64_t from[REGION_AXES], n[REGION_AXES], step[REGION_AXES], count; } region_tile;
region_tile region_tile_at(const region_axes *, int64_t i);
int64_t region_axes_blocks(const region_axes *);         /* how many taps can be loaded at once */
/* Loads operand i at tap[..] and at the next count - 1 taps along the last axis. Returns the address of their lines,
 * region_padded(t->count) elements apart. Lanes that read no element get `none`. */
const char *region_load(const region_axes *, const region_tile *, int i, const int64_t *tap, int64_t count,
                        const void *none, char *line);
/* True if all lanes read an element. Otherwise sets in[lane] for the lanes that do. */
bool region_inside(const region_axes *, const region_tile *, const int64_t *tap, char *in);
void region_store(const region_axes *, const region_tile *, int j, const char *line);
void region_fill(char *line, const void *element, int64_t n, int64_t size);

#endif
