/* oracle/shardmap.c - the small programs of the shard_map notebook: kinds `fold_axis`, `shard_params`, `gather_grad`,
 * `gather_matmul`, `shardmap`, `donation`. The case is read from where the kind left it while its functions are
 * traced. */
#include "kinds.h"

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *now;                                /* params of the case that runs */

static void begin(oracle_case *c)
{
    now = c->params;
    trace_jit_forget();                                  /* functions read the case while they are traced */
}

typedef struct { char text[400]; } line;

static const char *item(const char *list, int i)
{
    return json_string_value(json_array_get(json_object_get(now, list), (size_t)i));
}

/* The specs of a list, "i,-" and "j" as "i,_;j;". */
static line specs(const char *list)
{
    line l = { "" };
    for (int i = 0; item(list, i); i++) {
        const char *own = oracle_notation(item(list, i));
        snprintf(l.text + strlen(l.text), sizeof l.text - strlen(l.text), "%s;", *own ? own : "_");
    }
    return l;
}

static line words(const json_t *list, const char *between)       /* null: "_" */
{
    line l = { "" };
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        snprintf(l.text + strlen(l.text), sizeof l.text - strlen(l.text), "%s%s", i ? between : "", s ? s : "_");
    }
    return l;
}

/* All axes of the mesh "i=4,j=2" joined: "i+j". */
static line joined(const char *mesh)
{
    line l = { "" };
    for (const char *p = mesh; *p; p += strcspn(p, ","), p += *p == ',')
        snprintf(l.text + strlen(l.text), sizeof l.text - strlen(l.text), "%s%.*s", *l.text ? "+" : "",
                 (int)strcspn(p, "="), p);
    return l;
}

static tt_mesh devices(void)
{
    line data;
    snprintf(data.text, sizeof data.text, "data:%lld", (long long)oracle_int(now, "devices", 1));
    return tt_mesh(oracle_has(now, "mesh") ? oracle_notation(oracle_text(now, "mesh", "")) : data.text);
}

static tt_val region(tt_fn f, const char *in, const char *out, int n, const tt_val *x)
{
    const tt_shard_map_opts o = { .size = sizeof o, .mesh = devices(), .in = in, .out = out, .unchecked = 1 };
    return tt_call_n(0, tt_jit(tt_shard_map_at(0, f, &o)), n, x);
}

/* ---- keys by device ---- */

static tt_val folded(tt_val key)
{
    const line axes = words(json_object_get(now, "axes"), ", ");
    return tt_expand_dims(tt_fold_in_axis(key, axes.text), 0);
}

void oracle_fold_axis(oracle_case *c)
{
    begin(c);
    const line all = joined(oracle_text(now, "mesh", ""));
    const tt_val key = oracle_in(c, 0);
    oracle_expect(c, 0, region(TT_FN(folded), "_", all.text, 1, &key));
}

/* ---- parameters ---- */

static struct { const char *verdict; char spec[200]; } said;

static tt_val sharded(tt_val v)
{
    const char *axis = oracle_text(now, "axis", "data");
    const int64_t least = oracle_int(now, "min_weight_size", 0);
    tt_shard_dim(v, axis, least, &said.verdict);
    v = tt_shard_params(v, axis, least);
    const char *own = tt_leaf_axes(v);
    *said.spec = 0;
    for (int d = 0; !own && d < tt_rank(v); d++) strcat(said.spec, d ? ",-" : "-");
    for (size_t n = 0; own && *own && n + 2 < sizeof said.spec; own++)
        if (*own != ' ') said.spec[n++] = *own == '_' ? '-' : *own, said.spec[n] = 0;
    return tt_expand_dims(v, 0);
}

static tt_val sample(tt_val v, int64_t stride)
{
    const int64_t n = tt_count(v);
    return tt_slice(tt_reshape(v, n), 0, 0, n, stride);
}

static void check_hash(oracle_case *c, tt_val local)
{
    const size_t bytes = tt_bytes(local);
    void *p = malloc(bytes + 1);
    char hex[65] = "";
    if (p && tt_read(local, p, bytes)) oracle_sha256(p, bytes, hex);
    if (strcmp(hex, oracle_text(now, "sha256", ""))) oracle_fail(c, "the hash of the devices' parts differs");
    free(p);
}

void oracle_shard_params(oracle_case *c)
{
    int64_t dim[14], n = 1;
    char text[300];
    begin(c);
    const int rank = oracle_dims(now, "shape", dim);
    for (int d = 0; d < rank; d++) n *= dim[d];
    const line names = words(json_object_get(now, "names"), ", ");
    tt_val v = tt_reshape_at(0, tt_arange(TT_F32, n), dim);
    if (oracle_has(now, "names")) v = tt_leaf(v, .axes = names.text);
    const tt_val local = region(TT_FN(sharded), "_", "data", 1, &v);
    snprintf(text, sizeof text, "%s\n%s\n", said.verdict, said.spec);
    oracle_expect_text(c, text);
    oracle_expect(c, 0, !strcmp(item("outs", 0), "local") ? local : sample(local, 97));
    check_hash(c, local);
}

/* ---- gathers ---- */

static tt_val gathered(tt_val x) { return tt_gather_mean(x, "data", (int)oracle_int(now, "dim", 0)); }

static tt_val pulled_back(tt_val x, tt_val ct)           /* (whole, gradient of this device's part) */
{
    const tt_val out = tt_call(tt_vjp(gathered), tt_tuple(x), tt_squeeze(ct, 0));
    return tt_tuple(tt_expand_dims(tt_item(out, 0), 0), tt_item(tt_item(out, 1), 0));
}

void oracle_gather_grad(oracle_case *c)
{
    begin(c);
    const line own = specs("in_specs");
    char in[900], out[900];
    snprintf(in, sizeof in, "%sdata", own.text);
    snprintf(out, sizeof out, "data;%.*s", (int)strlen(own.text) - 1, own.text);
    const tt_val x[] = { oracle_in(c, 0), oracle_in(c, 1) }, y = region(TT_FN(pulled_back), in, out, 2, x);
    oracle_expect(c, 0, tt_item(y, 0));
    oracle_expect(c, 1, tt_item(y, 1));
}

static tt_val with_gather(tt_val x, tt_val w) { return tt_matmul(x, tt_all_gather(w, oracle_text(now, "axis", "i"))); }
static tt_val plain(tt_val x, tt_val w) { return tt_matmul(x, w); }

void oracle_gather_matmul(oracle_case *c)
{
    begin(c);
    const char *axis = oracle_text(now, "axis", "i");
    const tt_val x[] = { oracle_in(c, 0), oracle_in(c, 1) };
    const tt_val one = tt_call(tt_jit(plain), x[0], x[1]), y = region(TT_FN(with_gather), axis, axis, 2, x);
    const size_t bytes = tt_bytes(one);
    char *p = malloc(bytes), *q = malloc(bytes);
    oracle_expect(c, 0, y);
    if (p && q && tt_read(one, p, bytes) && tt_read(y, q, bytes) && memcmp(p, q, bytes))
        oracle_fail(c, "the gathered product has other bits than the unsharded one");
    free(p);
    free(q);
}

/* ---- shardmap ---- */

static int64_t local_dim[3][3];

static tt_val matmul_bias(tt_val x, tt_val w, tt_val b)
{
    const tt_val v[] = { x, w, b };
    for (int i = 0; i < 3; i++) for (int d = 0; d < tt_rank(v[i]); d++) local_dim[i][d] = tt_dim(v[i], d);
    return tt_add(tt_matmul(x, w), b);
}

static tt_val normalize(tt_val x)
{
    const char *axis = oracle_text(now, "axis", "j");
    const tt_val off = tt_sub(x, tt_pmean(x, axis));
    return tt_div(off, tt_sqrt(tt_pmean(tt_square(off), axis)));
}

static tt_val scattered(tt_val x)
{
    const int dim = (int)oracle_int(now, "scatter_dimension", 0);
    return tt_psum_scatter(x, "i", .dim = dim, .stack = !oracle_flag(now, "tiled"));
}

static tt_val permuted(tt_val x)
{
    line pairs = { "" };
    const json_t *perm = json_object_get(now, "perm");
    for (size_t i = 0; i < json_array_size(perm); i++) {
        const json_t *p = json_array_get(perm, i);
        snprintf(pairs.text + strlen(pairs.text), sizeof pairs.text - strlen(pairs.text), "%s%d>%d", i ? ", " : "",
                 (int)json_integer_value(json_array_get(p, 0)), (int)json_integer_value(json_array_get(p, 1)));
    }
    return tt_ppermute(x, "i", pairs.text);
}

static tt_val places(void)                               /* [1, axes]: where this device is */
{
    const line all = joined(oracle_text(now, "mesh", ""));
    tt_val at[8] = { tt_end };
    char name[40];
    int n = 0;
    for (const char *p = all.text; *p && n < 7; p += strcspn(p, "+"), p += *p == '+') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "+"), p);
        at[n++] = tt_axis_index(name);
    }
    at[n] = tt_end;
    return tt_expand_dims(tt_stack_values_at(0, 0, at), 0);
}

static void check_shapes(oracle_case *c)
{
    const json_t *all = json_object_get(now, "local_shapes");
    for (size_t i = 0; i < json_array_size(all); i++)
        for (size_t d = 0; d < json_array_size(json_array_get(all, i)); d++)
            if (json_integer_value(json_array_get(json_array_get(all, i), d)) != local_dim[i][d])
                oracle_fail(c, "the body sees %lld in dim %zu of argument %zu", (long long)local_dim[i][d], d, i);
}

void oracle_shardmap(oracle_case *c)
{
    begin(c);
    const line in = specs("in_specs"), out = specs("out_specs"), all = joined(oracle_text(now, "mesh", ""));
    tt_val x[3] = { tt_end, tt_end, tt_end };
    for (int i = 0; i < c->nin && i < 3; i++) x[i] = oracle_in(c, i);
    if (!strcmp(c->fn, "matmul_bias")) {
        oracle_expect(c, 0, region(TT_FN(matmul_bias), in.text, out.text, 3, x));
        check_shapes(c);
    } else if (!strcmp(c->fn, "parallel_normalize"))
        oracle_expect(c, 0, region(TT_FN(normalize), in.text, out.text, 1, x));
    else if (!strcmp(c->fn, "psum_scatter")) oracle_expect(c, 0, region(TT_FN(scattered), in.text, "i", 1, x));
    else if (!strcmp(c->fn, "ppermute")) oracle_expect(c, 0, region(TT_FN(permuted), in.text, "i", 1, x));
    else if (!strcmp(c->fn, "axis_index")) oracle_expect(c, 0, region(TT_FN(places), "", all.text, 0, x));
    else if (!strcmp(c->fn, "tanh")) {
        const tt_val y = tt_tanh(tt_shard(x[0], devices(), oracle_notation(item("in_specs", 0))));
        if (tt_ok() && !tt_has_layout(y, devices(), oracle_notation(item("out_specs", 0))))
            oracle_fail(c, "tanh is laid out as \"%s\"", tt_spec(y));
        oracle_expect(c, 0, y);
    } else oracle_unknown(c, c->fn);
}

/* ---- donation ---- */

static char words_said[4000];
static void listen(const char *text)
{
    snprintf(words_said + strlen(words_said), sizeof words_said - strlen(words_said), "%s\n", text);
}

static tt_val one_of(const char *fn, tt_val v, int i)
{
    if (!strcmp(fn, "same")) return tt_add(v, tt_i(1));
    if (!strcmp(fn, "smaller")) return tt_sum(tt_reshape(v, tt_dim(v, 0) / 2, 2), .dims = "1");
    if (!strcmp(fn, "dtype")) return tt_cast(v, TT_I32);
    return i ? tt_zeros(TT_F32, 3) : tt_mul(v, tt_i(2)); /* unused */
}

static const char *donating;

static tt_val gives(tt_val all, tt_val y)
{
    tt_val out[16], sum = tt_item(all, 0);
    const int n = tt_items(all);
    for (int i = 1; i < n; i++) sum = tt_dim(tt_item(all, i), 0) == tt_dim(sum, 0) ? tt_add(sum, tt_item(all, i)) : sum;
    if (!strcmp(donating, "sum")) return tt_tuple(sum, y);
    for (int i = 0; i < n && i < 15; i++) out[i] = one_of(donating, tt_item(all, i), i);
    out[n < 15 ? n : 15] = tt_end;
    return tt_tuple(tt_tuple_at(0, out), y);
}

static bool readable(tt_val v)
{
    float *p = malloc(tt_bytes(v) + 4);
    const bool ok = p && tt_ok() && tt_read(v, p, tt_bytes(v));
    tt_clear();
    free(p);
    return ok;
}

void oracle_donation(oracle_case *c)
{
    static const char *const known[] = { "same", "smaller", "sum", "unused", "dtype" };
    const json_t *sizes = json_object_get(c->params, "sizes");
    const int n = (int)json_array_size(sizes);
    tt_val v[16], y = tt_ones(TT_F32, 5);
    char text[16 * 6] = "";
    bool is_known = false;
    begin(c);
    donating = c->fn;
    for (int i = 0; i < 5; i++) is_known |= !strcmp(known[i], c->fn);
    if (!is_known || n > 15) {
        oracle_unknown(c, c->fn);
        return;
    }
    for (int i = 0; i < n; i++)
        v[i] = tt_shard(tt_arange(TT_F32, json_integer_value(json_array_get(sizes, (size_t)i))), devices(), "data");
    v[n] = tt_end;
    *words_said = 0;
    base_set_log_sink(listen);
    tt_call(tt_jit(gives, .donate = "0"), tt_tuple_at(0, v), y);
    base_set_log_sink(NULL);
    for (int i = 0; i < n && tt_ok(); i++) {
        strcat(text, readable(v[i]) ? "kept\n" : "gone\n");
    }
    oracle_expect_text(c, text);
    if (!readable(y)) oracle_fail(c, "what was not given away is gone");
    /* On several devices JAX says nothing; Tutti says what it does not reuse. */
    const bool warned = strstr(words_said, "note: donated argument") != NULL, want = oracle_flag(now, "warned");
    const bool free_to_say = oracle_int(now, "devices", 1) > 1;
    if (want != warned && !(warned && free_to_say))
        oracle_fail(c, "%s: %s", want ? "nothing was said" : "said", words_said);
}
