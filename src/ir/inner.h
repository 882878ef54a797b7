/* ir/inner.h - shared by the files that read IR text: words and numbers (scan.c), attributes (fields.c). Each function
 * reads at r->p and moves r->p past the text read. It returns false or 0 with the error set, or without an error if the
 * text at r->p is not of the kind looked for. */
#ifndef TUTTI_IR_INNER_H
#define TUTTI_IR_INNER_H

#include "ir.h"

typedef struct {
    base_site site;
    const char *text, *p, *counted;                      /* `line` newlines were counted up to `counted` */
    base_arena *arena;
    const mesh *mesh;
    int depth, line;
} ir_reader;
bool   ir_complain(const ir_reader *, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int    ir_line(ir_reader *);
void   ir_skip(ir_reader *), ir_skip_blanks(ir_reader *);
bool   ir_accept(ir_reader *, char), ir_expect(ir_reader *, char), ir_is(ir_reader *, const char *word);
size_t ir_word(ir_reader *), ir_literal(ir_reader *);
void  *ir_more(ir_reader *, void *list, size_t n, size_t each);  /* the list, with capacity for n + 1 items */
bool   ir_quoted(ir_reader *, const char **), ir_name(ir_reader *, const char *what, base_name *);
bool   ir_integer(ir_reader *, int64_t *), ir_dims_text(ir_reader *, ir_dims *);
bool   ir_element(ir_reader *, tt_dtype, void *out), ir_type_read(ir_reader *, const ir_type **);
bool   ir_layout_read(ir_reader *, int rank, const mesh_layout **);
bool   ir_fields_read(ir_reader *, const op_prim *, char *attr);

#endif
