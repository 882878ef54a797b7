/* hlo/inner.h - what the files of hlo share: the text's tree, how it is parsed, how its operations are read. */
#ifndef TUTTI_HLO_INNER_H
#define TUTTI_HLO_INNER_H

#include "hlo.h"

/* ---- the tree: everything points into the text or is in the parser's arena ---- */

enum { HLO_DEPTH = 200 };                                /* regions, attributes, types and calls inside one another */
typedef struct { const char *at; size_t n; } hlo_span;
#define HLO_LIST(T) struct { T *v; int n, cap; }
#define HLO_SPAN(s) (int)(s).n, (s).at                   /* for "%.*s" */

/* A type: a tensor (type is set), a tuple (its parts: hlo_tuple_of), or what stands for no data. whole: how it is
 * written. Behind parsing there are no tuples (tuple.c). */
typedef enum { HLO_TENSOR, HLO_TOKEN, HLO_TUPLE, HLO_OTHER } hlo_kind_of_type;
typedef struct { hlo_kind_of_type kind; int tuple; const ir_type *type; hlo_span whole; } hlo_type;
typedef HLO_LIST(hlo_type) hlo_types;
typedef struct { hlo_types part; int64_t nleaf; } hlo_tuple;     /* leaves: parts that are no tuples, at any depth */

/* An attribute. WORD: an enum's word (LT, DEFAULT), also from #stablehlo<precision DEFAULT>. DENSE: what stands
 * between the angle brackets, of the type behind it. DICT: also #stablehlo.gather<...>. OPAQUE: what nothing here
 * looks into. */
typedef enum {
    HLO_TRUE, HLO_FALSE, HLO_UNIT, HLO_INTEGER, HLO_REAL, HLO_STRING, HLO_SYMBOL, HLO_WORD, HLO_ARRAY, HLO_DICT,
    HLO_DENSE, HLO_TYPED, HLO_OPAQUE
} hlo_form;
typedef struct hlo_attr hlo_attr;
typedef HLO_LIST(hlo_attr) hlo_attrs;
struct hlo_attr {
    hlo_form form;
    /* key: in a dictionary. text: without quotes, '@' or brackets */
    hlo_span key, text;
    int64_t i;
    hlo_type type;                                       /* behind ':', or the type that it is */
    hlo_attrs item;                                      /* of an array or a dictionary */
};

typedef struct { hlo_span name; int64_t index; } hlo_use;        /* %name#index, without '%' */
typedef struct { hlo_span name; int64_t count; } hlo_pack;       /* %name:count */
typedef struct { hlo_span name; hlo_type type; hlo_attrs attr; const char *loc; } hlo_param;
typedef HLO_LIST(hlo_param) hlo_params;
typedef struct hlo_op hlo_op;
/* read: what it reads from outside, once it was searched for */
typedef struct {
    hlo_params arg;
    HLO_LIST(hlo_op) op;
    const char *at;
    HLO_LIST(hlo_use) read;
    bool searched;
} hlo_region;
struct hlo_op {
    hlo_span name;                                       /* "stablehlo.add"; "func." and "sdy." are always there */
    const char *at, *loc;                                /* where it stands; behind "loc", NULL: none */
    HLO_LIST(hlo_pack) result;
    HLO_LIST(hlo_use) in;
    hlo_attrs attr;
    HLO_LIST(hlo_region) region;
    /* from: operands' types, when signed says that they are given */
    hlo_types from, to;
    bool typed;
};
typedef struct {
    hlo_span name;
    bool hidden, under_way;                              /* private; is being read: a call of it is recursion */
    hlo_params arg, ret;
    hlo_region body;
    int callers, module, next;                           /* module: which of the text's; next: of its chain */
    int64_t work;                                        /* operations, with those of its calls, once read */
    ir_fn *fn;                                           /* once read */
} hlo_func;
typedef struct { hlo_attr attr; int next; } hlo_alias;
typedef struct { hlo_span name, text; const mesh *mesh; int module; } hlo_mesh;  /* sdy.mesh */
enum { HLO_CHAINS = 1 << 13 };  /* of names by their hashes; entries are 1 + a place, 0: none */
typedef struct {
    HLO_LIST(hlo_func) func;
    HLO_LIST(hlo_mesh) mesh;
    HLO_LIST(hlo_attrs) attr;                            /* of each module of the text, the first is 1 */
    HLO_LIST(hlo_alias) alias;                           /* #name = attribute; of locations: the text */
    HLO_LIST(hlo_tuple) tuple;                           /* each as often as it is written */
    int of_func[HLO_CHAINS], of_alias[HLO_CHAINS];
} hlo_module;

/* Room for one more in a list: *HLO_MORE(arena, list) = ... */
void *hlo_grown(base_arena *, const void *v, int *cap, size_t each);
#define HLO_MORE(a, l)                                                                                                 \
    ((l)->v = (l)->n < (l)->cap ? (l)->v : hlo_grown((a), (l)->v, &(l)->cap, sizeof *(l)->v), &(l)->v[(l)->n++])

/* ---- parsing (lex.c, types.c, attrs.c, form.c, parse.c) ---- */

enum { HLO_BLOCK = 4096 };
typedef struct { int line; const char *from; } hlo_line;
typedef struct {
    base_arena *arena;                                   /* of the tree */
    base_site file;
    const char *begin, *at, *end;
    int depth, modules, inside;                          /* modules begun so far; the one being read */
    bool bare;                                           /* a number takes no ": type": that is the operation's */
    hlo_module *module;
    const char *line_at, *line_from;                     /* where lines were counted to, where that one begins */
    hlo_line *mark;                                      /* of each HLO_BLOCK bytes: the line at its begin */
    int line;
} hlo_parser;

/* All give false with the error set; at: where in the text. */
bool hlo_fail(hlo_parser *, const char *at, tt_code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool hlo_expected(hlo_parser *, const char *what);       /* "expected ..., found ..." where the parser stands */
/* "text.mlir:4:10 (model.py:12)"; the part in brackets alone, NULL: the location names no file */
base_site hlo_site(hlo_parser *, const char *at, const char *loc);
base_site hlo_source(hlo_parser *, const char *loc);
/* false: too deep, with the error set. Else p->depth-- follows */
bool hlo_deeper(hlo_parser *);

void hlo_blank(hlo_parser *);                            /* over blanks and comments */
bool hlo_take(hlo_parser *, const char *mark);           /* over this mark or whole word, if it comes next */
bool hlo_need(hlo_parser *, const char *mark);
bool hlo_next(hlo_parser *, const char *mark);           /* does it come next? */
hlo_span hlo_word(hlo_parser *);                         /* [A-Za-z0-9_.$-]* from a letter; empty: none comes next */
bool hlo_string(hlo_parser *, hlo_span *);               /* a quoted text, without the quotes */
bool hlo_symbol(hlo_parser *, hlo_span *);               /* @name or @"name" */
bool hlo_value(hlo_parser *, hlo_use *);                 /* %name or %name#2 */
bool hlo_integer(hlo_parser *, int64_t *);
/* from the bracket that comes next to its partner, with both */
bool hlo_balanced(hlo_parser *, hlo_span *);
bool hlo_is(hlo_span, const char *);
bool hlo_same(hlo_span, hlo_span);
size_t hlo_chain(hlo_span);                              /* its place in a table of HLO_CHAINS */
const hlo_attr *hlo_alias_of(const hlo_parser *, hlo_span);      /* "#name"; NULL: there is none */
hlo_func *hlo_function_in(hlo_module *, int module, hlo_span name);      /* NULL: there is none */
base_name hlo_name(hlo_span);

bool hlo_read_type(hlo_parser *, hlo_type *);
bool hlo_read_types(hlo_parser *, hlo_types *);          /* "(a, b)", "a", or "a, b" */
bool hlo_read_attr(hlo_parser *, hlo_attr *);
bool hlo_read_array(hlo_parser *, hlo_attr *);           /* [ ... ] */
bool hlo_read_dict(hlo_parser *, const char *open, const char *close, hlo_attrs *);      /* adds to it */
bool hlo_read_loc(hlo_parser *, const char **);          /* if one comes next */
bool hlo_read_region(hlo_parser *, hlo_region *);
bool hlo_read_pretty(hlo_parser *, hlo_op *);            /* an operation behind its bare name */
bool hlo_read_signature(hlo_parser *, hlo_op *);         /* behind ':' */
bool hlo_parse(hlo_parser *);
bool hlo_flatten(hlo_parser *);                          /* tuples become what they are made of (tuple.c) */
hlo_attr *hlo_add(hlo_parser *, hlo_attrs *, const char *key, hlo_form);
const hlo_attr *hlo_find(const hlo_attrs *, const char *key);

/* A literal's elements in memory form (literal.c). splat: one element for all. */
typedef struct { bool splat; ir_data data; } hlo_elements;
bool hlo_literal(hlo_parser *, const hlo_attr *, const ir_type *, hlo_elements *);

/* ---- reading (read.c, attr_read.c, scope.c) ---- */

enum { HLO_SMALL = 24 };                                 /* equations of a function that is put in place of its calls */
/* Operations of a program with each call written out, beside 64 for each byte of its text: plans write calls out, and
 * a few functions that call the next one twice would be more than any machine holds. */
enum { HLO_WORK = 1 << 20 };

/* name#first ... */
typedef struct { hlo_span name; const ir_id *id; int64_t first, count; int next, frame; } hlo_binding;
/* What a caller adds, such as a test's checks. */
typedef struct hlo_rule hlo_rule;
typedef struct {
    const hlo_rule *rule, *target; /* before all others: of operations, of custom calls; or NULL */
    const char *function;                                /* NULL: @main */
    const mesh *mesh; /* replicas and partitions, when the text has no mesh; or NULL */
    int nreplica;                                        /* leading axes of it that number replicas */
    void *env;
} hlo_more;
ir_fn *hlo_read_more(base_arena *, base_site name, const char *text, const hlo_more *);
/* Names of the public functions; tests: of those without parameters. */
int hlo_public(base_arena *, base_site name, const char *text, bool tests, base_name *out, int capacity);
typedef struct { int64_t group; hlo_use use; int frame; } hlo_alike;
typedef struct {                                         /* names in force: a chained table with marks */
    HLO_LIST(hlo_binding) at;
    int head[HLO_CHAINS], frame;
} hlo_names;
typedef struct {
    hlo_parser *p;
    hlo_module *m;
    base_arena *arena;                                   /* of the result */
    ir_build *b;                                         /* of the function being read */
    const mesh *mesh;
    hlo_names *names, *search[2];                        /* in force; empty between searches of regions */
    const hlo_rule **rule;                               /* by hash of the name */
    const hlo_more *more;                                /* NULL: the usual */
    HLO_LIST(ir_id) yielded;                             /* by rules of `more`: results besides the function's own */
    mesh_set manual;                                     /* axes of the manual computations around */
    int nreplica;                                        /* leading axes of the mesh that number replicas */
    int module;                                          /* names are looked up in this one */
    HLO_LIST(hlo_alike) alike;                           /* the latest members of sharding groups */
    struct hlo_grid *grid;                               /* of a mesh made from the older shardings */
    bool unreduced;                                      /* a sharding that was read has unreduced axes */
    uint64_t blamed;                                     /* the failure whose source was told */
    bool bad;                                            /* an attribute was wrong: the error is set */
    int64_t captured;                                    /* values that regions read from outside, so far */
    int frames, calls;                                   /* functions begun so far; calls inside one another */
    int64_t work;                                        /* of the function being read, so far */
} hlo_reader;

/* An operation's meaning: x its operands, y its results. False, or r->bad: the error is set. */
struct hlo_rule { const char *name; bool (*read)(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y); };
extern const hlo_rule hlo_elementwise[], hlo_shapes[], hlo_indices[], hlo_regions[], hlo_control[], hlo_functions[],
    hlo_randoms[], hlo_norms[], hlo_products[], hlo_algebra[], hlo_targets[], hlo_shardings[], hlo_manuals[],
    hlo_collectives[], hlo_old[];
bool hlo_meaning(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);   /* by its rule, else by a row of its name */
bool hlo_chlo_complex(hlo_reader *, const hlo_op *, ir_id x, ir_id *y);         /* chlo.asin and its kin */
bool hlo_one_way(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);        /* Shardy's barrier, and as a call */
bool hlo_ragged_dot(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
bool hlo_sparse_product(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
bool hlo_scan(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
const hlo_rule *hlo_lapack(hlo_span target);             /* of a custom call of linear algebra; NULL: it is none */
bool hlo_sort(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y),
    hlo_top_k(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y),
    hlo_approx_top_k(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);

/* Attributes that are for compilers (hint.c): are they what they should be? */
bool hlo_hints(hlo_reader *, const hlo_op *);
int64_t hlo_precision(const hlo_op *);                   /* an op_precision: the stronger of a product's two words */
bool hlo_unread(hlo_reader *, const hlo_op *);           /* False, with why an operation is not read (unsupported.c) */
bool hlo_refuse(hlo_reader *, const hlo_op *, tt_code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool hlo_emit(hlo_reader *, const op_prim *, const void *attr, int n, const ir_id *x, ir_id *y);
const ir_type *hlo_result(const hlo_op *, int j);        /* what the text says that it is */

/* Attributes by name. Absent ones: the usual value. Wrong ones: r->bad. */
int64_t hlo_int(hlo_reader *, const hlo_op *, const hlo_attrs *, const char *key, int64_t usual);
bool hlo_flag(const hlo_attrs *, const char *key);
/* absent: n times usual */
ir_dims hlo_dims(hlo_reader *, const hlo_op *, const hlo_attrs *, const char *key, int n, int64_t usual);
/* a dictionary's entries; absent: the operation's own */
const hlo_attrs *hlo_record(const hlo_op *, const char *key);
hlo_span hlo_choice(const hlo_attrs *, const char *key); /* a word; absent: empty */
/* [[l, h], ...] */
bool hlo_pairs(hlo_reader *, const hlo_op *, const char *key, int n, ir_dims *low, ir_dims *high);

/* Regions. Values from outside come in: constants are repeated, others are `caught`, as parameters behind `param`. */
typedef struct { HLO_LIST(hlo_use) use; ir_id *from, *id; int n; } hlo_captures;
bool hlo_capture(hlo_reader *, const hlo_op *, hlo_captures *);  /* of all its regions */
ir_fn *hlo_body(hlo_reader *, const hlo_op *, int region, const hlo_captures *, bool returns_caught);
/* The operations of a region. ret: what it returns, with space for `more` values behind it. */
bool hlo_operations(hlo_reader *, const hlo_region *, int more, ir_id **ret, int *nret);
ir_fn *hlo_closed(hlo_reader *, const hlo_op *, int region);     /* refuses to catch anything */
/* a region of scalars, elementwise */
bool hlo_apply(hlo_reader *, const ir_fn *, const ir_type *shape, const ir_id *x, ir_id *y);
bool hlo_call(hlo_reader *, const hlo_op *, hlo_func *, const ir_id *x, ir_id *y);
hlo_func *hlo_function(hlo_reader *, hlo_span name);
/* Programs for replicas (replicas.c): a mesh of them, if the text has several; then the whole from what one does. */
bool hlo_read_replicas(hlo_reader *, const hlo_func *main);
int64_t hlo_module_count(const hlo_reader *, const char *key);  /* mhlo.num_partitions and its like; 1: not said */
bool hlo_is_target(const hlo_op *, const char *);        /* a custom call of it */
ir_fn *hlo_for_replicas(hlo_reader *, const hlo_func *main, ir_fn *one);

/* Layouts (sharding.c, gspmd.c). *layout NULL: nothing is said. */
bool hlo_read_meshes(hlo_reader *);
hlo_parser hlo_within(const hlo_reader *, hlo_span);     /* of a part of the text */
base_name hlo_axis_name(const hlo_reader *, hlo_span);
const hlo_mesh *hlo_mesh_called(const hlo_reader *, hlo_span name);      /* NULL: there is none */
bool hlo_read_grid(hlo_reader *);
bool hlo_read_shardings(hlo_reader *, hlo_span, int n, const int *rank, const mesh_layout **);   /* [<...>, <...>] */
bool hlo_read_axes(hlo_reader *, hlo_span, hlo_span of, mesh_set *); /* {"data", "model"} of the mesh named in `of` */
bool hlo_enclose(hlo_reader *, hlo_region *); /* legacy_manual.c: the older borders become manual computations */
bool hlo_gspmd(hlo_reader *, const hlo_attr *, int rank, const mesh_layout **);
ir_id hlo_laid_out(hlo_reader *, const hlo_attrs *of, ir_id); /* as an argument's or result's attributes say */

int  hlo_mark(const hlo_names *);
void hlo_release(hlo_names *, int mark);
bool hlo_bind(hlo_reader *, hlo_span name, const ir_id *, int64_t count);
bool hlo_bind_params(hlo_reader *, const hlo_params *, const ir_id *);   /* those of one name as a pack */
ir_id hlo_resolve(hlo_reader *, const hlo_use *);        /* 0 with the error set */
void hlo_rebind(hlo_reader *, const hlo_use *, ir_id);   /* from here on the name means this */

#endif
