/* hlo/inner.h - shared by the files of hlo: the tree of the text, the parser, and the readers of operations. */
#ifndef TUTTI_HLO_INNER_H
#define TUTTI_HLO_INNER_H

#include "hlo.h"

/* ---- the tree: all text is in place, all else in the parser's arena ---- */

enum { HLO_DEPTH = 200 };                                /* nesting of regions, attributes, types and calls */
typedef struct { const char *at; size_t n; } hlo_span;
#define HLO_LIST(T) struct { T *v; int n, cap; }
#define HLO_SPAN(s) (int)(s).n, (s).at                   /* for "%.*s" */

/* A type: a tensor (`type` is set), a tuple (its parts: hlo_tuple_of), or a type without data. text: its text. After
 * parsing there are no tuples (tuple.c). */
typedef enum { HLO_TENSOR, HLO_TOKEN, HLO_TUPLE, HLO_OTHER } hlo_kind_of_type;
typedef struct { hlo_kind_of_type kind; int tuple; const ir_type *type; hlo_span text; } hlo_type;
typedef HLO_LIST(hlo_type) hlo_types;
typedef struct { hlo_types part; int64_t nleaf; } hlo_tuple;     /* leaves: parts that are not tuples, at any depth */

/* An attribute. WORD: an enum's word (LT, DEFAULT), also from #stablehlo<precision DEFAULT>. DENSE: the text between
 * the angle brackets, of the type that follows. DICT: also #stablehlo.gather<...>. OPAQUE: text that is not
 * interpreted. */
typedef enum {
    HLO_TRUE, HLO_FALSE, HLO_UNIT, HLO_INTEGER, HLO_REAL, HLO_STRING, HLO_SYMBOL, HLO_WORD, HLO_ARRAY, HLO_DICT,
    HLO_DENSE, HLO_TYPED, HLO_OPAQUE
} hlo_form;
typedef struct hlo_attr hlo_attr;
typedef HLO_LIST(hlo_attr) hlo_attrs;
struct hlo_attr {
    hlo_form form;
    /* key: of an entry in a dictionary. text: without quotes, '@' or brackets */
    hlo_span key, text;
    int64_t i;
    hlo_type type;                                       /* the type after ':', or the type that the attribute is */
    hlo_attrs item;                                      /* of an array or a dictionary */
};

typedef struct { hlo_span name; int64_t index; } hlo_use;        /* %name#index, without '%' */
typedef struct { hlo_span name; int64_t count; } hlo_pack;       /* %name:count */
typedef struct { hlo_span name; hlo_type type; hlo_attrs attr; const char *loc; } hlo_param;
typedef HLO_LIST(hlo_param) hlo_params;
typedef struct hlo_op hlo_op;
/* read: the values that the region reads from outside, once searched */
typedef struct {
    hlo_params arg;
    HLO_LIST(hlo_op) op;
    const char *at;
    HLO_LIST(hlo_use) read;
    bool searched;
} hlo_region;
struct hlo_op {
    /* "stablehlo.add"; the prefixes "func." and "sdy." are always added */
    hlo_span name;
    const char *at, *loc;                                /* position; text after "loc", NULL: none */
    HLO_LIST(hlo_pack) result;
    HLO_LIST(hlo_use) in;
    hlo_attrs attr;
    HLO_LIST(hlo_region) region;
    /* from: types of the operands; typed: the text gives them */
    hlo_types from, to;
    bool typed;
};
typedef struct {
    hlo_span name;
    bool hidden, under_way;                              /* private; being read: a call of it now is recursion */
    hlo_params arg, ret;
    hlo_region body;
    int callers, module, next;                           /* module: number of its module; next: in its hash chain */
    int64_t work;                                        /* operations including those of its calls, once read */
    ir_fn *fn;                                           /* set once read */
} hlo_func;
typedef struct { hlo_attr attr; int next; } hlo_alias;
typedef struct { hlo_span name, text; const mesh *mesh; int module; } hlo_mesh;  /* sdy.mesh */
/* hash chains of names; an entry is 1 + an index, 0: none */
enum { HLO_CHAINS = 1 << 13 };
typedef struct {
    HLO_LIST(hlo_func) func;
    HLO_LIST(hlo_mesh) mesh;
    HLO_LIST(hlo_attrs) attr;                            /* of each module of the text; modules count from 1 */
    HLO_LIST(hlo_alias) alias;                           /* #name = attribute; for locations: the text */
    HLO_LIST(hlo_tuple) tuple;                           /* one per occurrence in the text */
    int of_func[HLO_CHAINS], of_alias[HLO_CHAINS];
} hlo_module;

/* Space for one more element of a list: *HLO_MORE(arena, list) = ... */
void *hlo_grown(base_arena *, const void *v, int *cap, size_t each);
#define HLO_MORE(a, l)                                                                                                 \
    ((l)->v = (l)->n < (l)->cap ? (l)->v : hlo_grown((a), (l)->v, &(l)->cap, sizeof *(l)->v), &(l)->v[(l)->n++])

/* ---- parsing (lex.c, types.c, attr.c, form.c, parse.c) ---- */

enum { HLO_BLOCK = 4096 };
typedef struct { int line; const char *from; } hlo_line;
typedef struct {
    base_arena *arena;                                   /* of the tree */
    base_site file;
    const char *begin, *at, *end;
    int depth, modules, inside;                          /* modules begun so far; the one being parsed */
    /* a number has no ": type" of its own: the type is the operation's */
    bool bare;
    hlo_module *module;
    /* lines are counted up to line_at; its line begins at line_from */
    const char *line_at, *line_from;
    hlo_line *mark;                                      /* for each HLO_BLOCK bytes: the line at its first byte */
    int line;
} hlo_parser;

/* All return false with the error set; at: position in the text. */
bool hlo_fail(hlo_parser *, const char *at, tt_code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool hlo_expected(hlo_parser *, const char *what);       /* "expected ..., found ..." at the parser's position */
/* "text.mlir:4:10 (model.py:12)"; hlo_source: the part in brackets only; NULL: the location names no file */
base_site hlo_site(hlo_parser *, const char *at, const char *loc);
base_site hlo_source(hlo_parser *, const char *loc);
/* Enters one level of nesting: false with the error set if too deep. On success the caller ends with p->depth-- */
bool hlo_deeper(hlo_parser *);

void hlo_blank(hlo_parser *);                            /* skips blanks and comments */
/* True if this mark or complete word comes next, which is then skipped */
bool hlo_take(hlo_parser *, const char *mark);
bool hlo_need(hlo_parser *, const char *mark);
bool hlo_next(hlo_parser *, const char *mark);           /* True if the mark comes next */
hlo_span hlo_word(hlo_parser *);                         /* [A-Za-z0-9_.$-]* that begins with a letter; empty: none */
bool hlo_string(hlo_parser *, hlo_span *);               /* a quoted string, without the quotes */
bool hlo_symbol(hlo_parser *, hlo_span *);               /* @name or @"name" */
bool hlo_value(hlo_parser *, hlo_use *);                 /* %name or %name#2 */
bool hlo_integer(hlo_parser *, int64_t *);
/* from the opening bracket that comes next to its closing one, both included */
bool hlo_balanced(hlo_parser *, hlo_span *);
bool hlo_is(hlo_span, const char *);
bool hlo_same(hlo_span, hlo_span);
size_t hlo_chain(hlo_span);                              /* index into a table of HLO_CHAINS entries */
const hlo_attr *hlo_alias_of(const hlo_parser *, hlo_span);      /* "#name"; NULL: undefined */
hlo_func *hlo_function_in(hlo_module *, int module, hlo_span name);      /* NULL: undefined */
base_name hlo_name(hlo_span);

bool hlo_read_type(hlo_parser *, hlo_type *);
bool hlo_read_types(hlo_parser *, hlo_types *);          /* "(a, b)", "a", or "a, b" */
bool hlo_read_attr(hlo_parser *, hlo_attr *);
bool hlo_read_array(hlo_parser *, hlo_attr *);           /* [ ... ] */
bool hlo_read_dict(hlo_parser *, const char *open, const char *close, hlo_attrs *);      /* appends to the list */
bool hlo_read_loc(hlo_parser *, const char **);          /* reads a location if one comes next */
bool hlo_read_region(hlo_parser *, hlo_region *);
bool hlo_read_pretty(hlo_parser *, hlo_op *);            /* an operation, after its bare name */
bool hlo_read_signature(hlo_parser *, hlo_op *);         /* after ':' */
bool hlo_parse(hlo_parser *);
bool hlo_flatten(hlo_parser *);                          /* replaces tuples by their parts (tuple.c) */
hlo_attr *hlo_add(hlo_parser *, hlo_attrs *, const char *key, hlo_form);
const hlo_attr *hlo_find(const hlo_attrs *, const char *key);

/* A literal's elements in memory form (literal.c). splat: one element stands for all. */
typedef struct { bool splat; ir_data data; } hlo_elements;
bool hlo_literal(hlo_parser *, const hlo_attr *, const ir_type *, hlo_elements *);

/* ---- reading (read.c, text/attr_read.c, scope.c) ---- */

/* calls of functions of at most so many equations are always inlined */
enum { HLO_SMALL = 24 };
/* Limit of the number of operations with all calls inlined, in addition to 64 per byte of text: plans inline calls, and
 * a few functions that each call the next one twice would exceed the memory of any machine. */
enum { HLO_WORK = 1 << 20 };

/* name#first .. name#(first + count - 1) */
typedef struct { hlo_span name; const ir_id *id; int64_t first, count; int next, frame; } hlo_binding;
/* Extensions by a caller, such as a test's checks. */
typedef struct hlo_rule hlo_rule;
typedef struct {
    /* tried before all other rules: of operations, of custom calls; may be NULL */
    const hlo_rule *rule, *target;
    const char *function;                                /* NULL: @main */
    /* of replicas and partitions, used when the text has no mesh; may be NULL */
    const mesh *mesh;
    int nreplica;                                        /* number of leading mesh axes that count replicas */
    void *env;
} hlo_more;
ir_fn *hlo_read_more(base_arena *, base_site name, const char *text, const hlo_more *);
/* Names of the public functions; tests: only of those without parameters. Returns their number. */
int hlo_public(base_arena *, base_site name, const char *text, bool tests, base_name *out, int capacity);
typedef struct { int64_t group; hlo_use use; int frame; } hlo_alike;
/* the bindings in scope: a chained hash table with marks */
typedef struct {
    HLO_LIST(hlo_binding) at;
    int head[HLO_CHAINS], frame;
} hlo_names;
typedef struct {
    hlo_parser *p;
    hlo_module *m;
    base_arena *arena;                                   /* of the result */
    ir_build *b;                                         /* of the function being read */
    const mesh *mesh;
    /* the bindings in scope; search: scratch tables, empty between searches */
    hlo_names *names, *search[2];
    const hlo_rule **rule;                               /* hash table by name */
    const hlo_more *more;                                /* NULL: no extensions */
    /* set by rules of `more`: results in addition to the function's own */
    HLO_LIST(ir_id) yielded;
    mesh_set manual;                                     /* axes of the enclosing manual computations */
    int nreplica;                                        /* number of leading mesh axes that count replicas */
    int module;                                          /* the module in which names are looked up */
    HLO_LIST(hlo_alike) alike;                           /* the latest member of each sharding group */
    struct hlo_grid *grid;                               /* of the mesh derived from GSPMD shardings */
    bool unreduced;                                      /* a sharding with unreduced axes was read */
    uint64_t blamed;                                     /* the last failure whose source line was reported */
    bool bad;                                            /* an attribute was invalid: the error is set */
    int64_t captured;                                    /* number of values captured by regions so far */
    int frames, calls;                                   /* functions begun so far; depth of calls */
    int64_t work;                                        /* of the function being read, so far */
} hlo_reader;

/* Emits an operation's meaning: x: operands, y: results. False, or r->bad: the error is set. */
struct hlo_rule { const char *name; bool (*read)(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y); };
extern const hlo_rule hlo_elementwise[], hlo_shapes[], hlo_indices[], hlo_regions[], hlo_control[], hlo_functions[],
    hlo_randoms[], hlo_norms[], hlo_products[], hlo_algebra[], hlo_targets[], hlo_shardings[], hlo_manuals[],
    hlo_collectives[], hlo_old[];
/* reads by the operation's rule, else as the primitive of its name */
bool hlo_meaning(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
bool hlo_chlo_complex(hlo_reader *, const hlo_op *, ir_id x, ir_id *y);         /* chlo.asin and related functions */
bool hlo_one_way(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y); /* Shardy's barrier, also as a custom call */
bool hlo_ragged_dot(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
bool hlo_sparse_product(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
bool hlo_scan(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);
/* rule of a custom call of linear algebra; NULL: the target is none */
const hlo_rule *hlo_lapack(hlo_span target);
bool hlo_sort(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y),
    hlo_top_k(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y),
    hlo_approx_top_k(hlo_reader *, const hlo_op *, const ir_id *x, ir_id *y);

/* True if the attributes meant for compilers are valid (hint.c); else sets the error. */
bool hlo_hints(hlo_reader *, const hlo_op *);
/* an op_precision: the higher of a product's two words */
int64_t hlo_precision(const hlo_op *);
/* always false, with the reason why it is unsupported (unsupported.c) */
bool hlo_unread(hlo_reader *, const hlo_op *);
bool hlo_refuse(hlo_reader *, const hlo_op *, tt_code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool hlo_emit(hlo_reader *, const op_prim *, const void *attr, int n, const ir_id *x, ir_id *y);
const ir_type *hlo_result(const hlo_op *, int j);        /* type stated by the text */

/* Attributes by name. If absent, the default `usual`. If invalid, sets the error and r->bad. */
int64_t hlo_int(hlo_reader *, const hlo_op *, const hlo_attrs *, const char *key, int64_t usual);
bool hlo_flag(const hlo_attrs *, const char *key);
/* if absent, n times `usual` */
ir_dims hlo_dims(hlo_reader *, const hlo_op *, const hlo_attrs *, const char *key, int n, int64_t usual);
/* a dictionary's entries; if absent, the operation's own attributes */
const hlo_attrs *hlo_record(const hlo_op *, const char *key);
hlo_span hlo_choice(const hlo_attrs *, const char *key); /* a word; if absent, empty */
/* [[l, h], ...] */
bool hlo_pairs(hlo_reader *, const hlo_op *, const char *key, int n, ir_dims *low, ir_dims *high);

/* Regions. Values from outside: constants are repeated inside; others are captured, as parameters after the region's
 * own. */
typedef struct { HLO_LIST(hlo_use) use; ir_id *from, *id; int n; } hlo_captures;
/* the values that all regions of the operation capture */
bool hlo_capture(hlo_reader *, const hlo_op *, hlo_captures *);
ir_fn *hlo_body(hlo_reader *, const hlo_op *, int region, const hlo_captures *, bool returns_caught);
/* Reads the operations of a region. ret: the values it returns, with space for `more` values after them. */
bool hlo_operations(hlo_reader *, const hlo_region *, int more, ir_id **ret, int *nret);
ir_fn *hlo_closed(hlo_reader *, const hlo_op *, int region);     /* a region that captures nothing; else an error */
/* applies a region of scalars elementwise */
bool hlo_apply(hlo_reader *, const ir_fn *, const ir_type *shape, const ir_id *x, ir_id *y);
bool hlo_call(hlo_reader *, const hlo_op *, hlo_func *, const ir_id *x, ir_id *y);
hlo_func *hlo_function(hlo_reader *, hlo_span name);
/* Gives the results y of a call of f(x) the derivative that JAX has for f, if it is one of JAX's that have one
 * (derivative.c). */
bool hlo_jax_derivative(ir_build *, const hlo_op *call, const hlo_func *f, const ir_id *x, ir_id *y);
/* in[which], as it is, with another tangent, which `tangent` computes from the n <= 4 operands, the result y and the
 * operands' tangents, 0 of those that are no floats (rewrite.c). Returns 0 with the error set. */
typedef ir_id hlo_tangent(ir_build *, const void *env, const ir_id *in, ir_id y, const ir_id *din);
ir_id hlo_with_tangent(ir_build *, int n, const ir_id *in, int which, hlo_tangent *, const void *env);
/* True if all elements are that number, as rounded: a constant, perhaps broadcast (rewrite.c) */
bool hlo_is_number(const ir_fn *, ir_id, double);
/* Programs for replicas (replicas.c): creates their mesh, if the text has several; hlo_for_replicas then wraps the
 * program of one replica into that of all. */
bool hlo_read_replicas(hlo_reader *, const hlo_func *main);
int64_t hlo_module_count(const hlo_reader *, const char *key);  /* mhlo.num_partitions and similar; 1: absent */
bool hlo_is_target(const hlo_op *, const char *);        /* True if a custom call of that target */
ir_fn *hlo_for_replicas(hlo_reader *, const hlo_func *main, ir_fn *one);

/* Layouts (sharding.c, gspmd.c). *layout NULL: unspecified. */
bool hlo_read_meshes(hlo_reader *);
hlo_parser hlo_within(const hlo_reader *, hlo_span);     /* a parser of a part of the text */
base_name hlo_axis_name(const hlo_reader *, hlo_span);
const hlo_mesh *hlo_mesh_called(const hlo_reader *, hlo_span name);      /* NULL: undefined */
bool hlo_read_grid(hlo_reader *);
bool hlo_read_shardings(hlo_reader *, hlo_span, int n, const int *rank, const mesh_layout **);   /* [<...>, <...>] */
bool hlo_read_axes(hlo_reader *, hlo_span, hlo_span of, mesh_set *); /* {"data", "model"} of the mesh that `of` names */
bool hlo_enclose(hlo_reader *, hlo_region *); /* legacy_manual.c: older manual computations get regions */
bool hlo_gspmd(hlo_reader *, const hlo_attr *, int rank, const mesh_layout **);
/* constrained as the attributes of an argument or result say */
ir_id hlo_laid_out(hlo_reader *, const hlo_attrs *of, ir_id);

int  hlo_mark(const hlo_names *);
void hlo_release(hlo_names *, int mark);
bool hlo_bind(hlo_reader *, hlo_span name, const ir_id *, int64_t count);
bool hlo_bind_params(hlo_reader *, const hlo_params *, const ir_id *);   /* binds parameters of one name as a pack */
ir_id hlo_resolve(hlo_reader *, const hlo_use *);        /* 0 with the error set */
void hlo_rebind(hlo_reader *, const hlo_use *, ir_id);   /* later uses of the name mean this value */

#endif
