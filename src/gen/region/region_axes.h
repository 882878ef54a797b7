/* gen/region/region_axes.h - what is along the lanes and the taps of a reduction by a region, and loading it
 * (region_axes.c).
 *
 * A lane is a result, a tap one of the elements that are folded into it, in row-major order. Along a plain axis every
 * lane and tap reads an element; others belong to a window of a dim with padding or base dilation. */
#ifndef TUTTI_GEN_REGION_AXES_H
#define TUTTI_GEN_REGION_AXES_H

#include "region.h"

enum { REGION_AXES = IR_RANK + 1, REGION_BLOCK = 16 };   /* REGION_BLOCK: taps that are loaded at once */
typedef struct { int64_t n; int window; int64_t x[REGION_MOST], y[REGION_MOST]; } region_axis;   /* -1: plain; steps */
typedef struct { op_taps t; int64_t size, first, lo; } region_dim;       /* first: lane 0; lo: of the operand's box */
typedef struct {
    int nx, ny, nlane, ntap, nwindow;                    /* operands, results; axes, slowest first */
    region_axis lane[REGION_AXES], tap[REGION_AXES];
    region_dim window[IR_RANK];
    const char *x[REGION_MOST]; char *y[REGION_MOST];
    int64_t xat[REGION_MOST], yat[REGION_MOST];          /* lane 0, tap 0 there, in elements */
    int64_t xsize[REGION_MOST], ysize[REGION_MOST];
    int64_t lanes, taps;
    int cut; int64_t each, tiles;                        /* a tile: `each` of that lane axis, all of those behind it */
} region_axes;

/* Dim d of a window from the boxes of operands and results: an axis of lanes, one of taps. size: of the whole
 * operand. */
void region_axes_window(region_axes *, const op_taps *, int64_t size, int d, const ir_box *x, int yd, const ir_box *y);
void region_axes_lane(region_axes *, region_axis), region_axes_tap(region_axes *, region_axis);
/* Merges axes, and cuts the lanes into tiles of at most `most` that are worth a task each, if they can be. */
void region_axes_close(region_axes *, int64_t most);

/* step: in its line */
typedef struct { int64_t from[REGION_AXES], n[REGION_AXES], step[REGION_AXES], count; } region_tile;
region_tile region_tile_at(const region_axes *, int64_t i);
int64_t region_axes_blocks(const region_axes *);         /* how many taps may be loaded at once */
/* Operand i at tap[..] and at the count - 1 next along the last axis: where they are, region_padded(t->count) elements
 * apart. Lanes that read no element get `none`. */
const char *region_load(const region_axes *, const region_tile *, int i, const int64_t *tap, int64_t count,
                        const void *none, char *line);
/* Do all lanes read an element? Else in[lane] says which. */
bool region_inside(const region_axes *, const region_tile *, const int64_t *tap, char *in);
void region_store(const region_axes *, const region_tile *, int j, const char *line);
void region_fill(char *line, const void *element, int64_t n, int64_t size);

#endif
