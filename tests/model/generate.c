/* generate.c - tt_generate: rows of a batch are what they are alone, and on a mesh; a cache that grows changes no id;
 * draws follow from the key; what ends a row; how often it compiles; options that are refused. */
#include "check.h"
#include "model/folder.h"

#include <math.h>
#include <sys/stat.h>
#include <tutti.h>

static char dir[64];

/* Loads the small model of a golden case. eos: its "eos_token_id"; -1: none. */
static tt_model loaded_on(const char *id, int eos, tt_mesh mesh, const char *rules)
{
    json_t *const cases = json_load_file("tests/goldens/models/cases.json", 0, NULL), *c, *params = NULL;
    size_t i;
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "id")), id)) params = json_object_get(c, "params");
    strcpy(dir, "/tmp/tutti-generate-XXXXXX");
    if (!params || !check_folder(dir)) exit(1);
    json_t *const config = json_object_get(params, "config");
    if (eos >= 0) json_object_set_new(config, "eos_token_id", json_integer(eos));
    if (!folder_write(dir, config, json_object_get(params, "tensors"), strchr(id, '/') + 1, 0, 2)) exit(1);
    json_decref(cases);
    return rules ? tt_model_load(dir, .mesh = mesh, .rules = rules) : tt_model_load(dir);
}

static tt_model loaded(const char *id, int eos) { return loaded_on(id, eos, (tt_mesh){ 0 }, NULL); }

static const int32_t some[] = { 5, 17, 99, 3, 250, 42, 7, 7, 128, 64, 31, 200, 9, 11, 13, 77, 78, 79, 80, 81 };
static tt_val prompt(int n) { return tt_array(TT_I32, some, n); }

enum { LONG = 200, MOST = LONG };                        /* LONG: ids that pass 64, 128 and 200 of 256 places */
typedef struct { int n; int32_t id[MOST]; } ids;
static ids ids_of(tt_val out, int row)
{
    const tt_val v = tt_item(out, row);
    ids x = { .n = tt_ok() ? (int)tt_dim(v, 0) : 0 };
    if (x.n > MOST || !tt_read(v, x.id, (size_t)x.n * 4)) x.n = -1;
    return x;
}

static bool same(ids a, ids b) { return a.n == b.n && a.n > 0 && !memcmp(a.id, b.id, (size_t)a.n * 4); }

static void refused(const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "not \"%s\": %s", part, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

/* ---- batches, draws ---- */

static void batches(const char *id)
{
    const tt_model m = loaded(id, -1);
    const tt_val all = tt_generate(m, tt_tuple(prompt(3), prompt(12), prompt(20)), LONG);
    CHECK(same(ids_of(all, 0), ids_of(tt_generate(m, prompt(3), LONG), 0)), "the first row");
    CHECK(same(ids_of(all, 1), ids_of(tt_generate(m, prompt(12), LONG), 0)), "the second row");
    CHECK(same(ids_of(all, 2), ids_of(tt_generate(m, prompt(20), LONG), 0)), "the third row");
    CHECK(tt_ok() && ids_of(all, 2).n == LONG, "%s", tt_error());
    folder_remove(dir);
}

static void on_a_mesh(const char *id, const char *mesh, const char *rules)
{
    const tt_model one = loaded(id, -1);
    const tt_val a = tt_generate(one, tt_tuple(prompt(3), prompt(12)), LONG);
    folder_remove(dir);
    const tt_model many = loaded_on(id, -1, tt_mesh(mesh), rules);
    const tt_val b = tt_generate(many, tt_tuple(prompt(3), prompt(12)), LONG);
    for (int i = 0; i < 2; i++) CHECK(same(ids_of(a, i), ids_of(b, i)), "%s: row %d on %s", id, i, mesh);
    CHECK(tt_ok() && ids_of(b, 1).n == LONG, "%s", tt_error());
    folder_remove(dir);
}

/* Each next id is that of the largest logit of the whole text before it. */
static void without_cache(const char *id, int given)
{
    const tt_model m = loaded(id, -1);
    const ids x = ids_of(tt_generate(m, prompt(given), LONG), 0);
    int32_t text[20 + LONG], best[20 + LONG];
    memcpy(text, some, sizeof some), memcpy(text + given, x.id, sizeof x.id);
    const tt_val logits = tt_model_logits(m, tt_model_params(m), tt_array(TT_I32, text, 1, given + LONG));
    CHECK(tt_read(tt_argmax(logits, .dims = "2"), best, (size_t)(given + LONG) * sizeof *best), "%s", tt_error());
    int first = 0;
    while (first < LONG && best[given - 1 + first] == x.id[first]) first++;
    CHECK(x.n == LONG && first == LONG, "%s: of %d ids number %d is not that of the logits", id, x.n, first);
    folder_remove(dir);
}

static void draws(void)
{
    const tt_model m = loaded("llama/f32", -1);
    const tt_val two = tt_tuple(prompt(12), prompt(5));
    const tt_val a = tt_generate(m, two, 30, .temperature = 1.5, .key = tt_key(7));
    const tt_val b = tt_generate(m, two, 30, .temperature = 1.5, .key = tt_key(7));
    const tt_val c = tt_generate(m, two, 30, .temperature = 1.5, .key = tt_key(8));
    CHECK(same(ids_of(a, 0), ids_of(b, 0)) && same(ids_of(a, 1), ids_of(b, 1)), "the same key");
    CHECK(!same(ids_of(a, 0), ids_of(c, 0)), "another key");
    const tt_val one = tt_generate(m, prompt(12), 30, .temperature = 1.5, .key = tt_key(7));
    CHECK(same(ids_of(a, 0), ids_of(one, 0)), "the first row alone");
    const ids greedy = ids_of(tt_generate(m, prompt(12), 30), 0);
    CHECK(same(greedy, ids_of(tt_generate(m, prompt(12), 30, .temperature = 1, .top_k = 1, .key = tt_key(1)), 0)),
          "top_k = 1");
    CHECK(same(greedy, ids_of(tt_generate(m, prompt(12), 30, .temperature = 1, .top_p = 1e-6, .key = tt_key(1)), 0)),
          "top_p near 0");
    CHECK(same(greedy, ids_of(tt_generate(m, prompt(12), 30, .repetition = 1), 0)), "repetition = 1");
    const ids fresh = ids_of(tt_generate(m, prompt(12), 30, .repetition = 1e6), 0);
    int twice = 0;
    for (int i = 0; i < fresh.n; i++) {
        for (int k = 0; k < 12; k++) twice += fresh.id[i] == some[k];
        for (int k = 0; k < i; k++) twice += fresh.id[i] == fresh.id[k];
    }
    CHECK(fresh.n == 30 && !twice, "%d of %d ids occur twice", twice, fresh.n);
    folder_remove(dir);
}

/* Of many rows with one prompt: the ids that are drawn are those that top_k or top_p leave, as often as they say. */
static void frequencies(void)
{
    enum { ROWS = 600, VOCAB = 256 };
    const tt_model m = loaded("llama/f32", -1);
    tt_val rows[ROWS + 1];
    float p[VOCAB];
    const tt_val text = prompt(4), logits = tt_model_logits(m, tt_model_params(m), tt_reshape(text, 1, -1));
    tt_read(tt_softmax(tt_div(tt_reshape(tt_slice(logits, 1, 3, 4, 1), VOCAB), tt_f(2))), p, sizeof p);
    for (int i = 0; i < ROWS; i++) rows[i] = text;
    rows[ROWS] = tt_end;
    for (int by_p = 0; by_p < 2; by_p++) {
        const tt_val all = tt_tuple_at(NULL, rows);
        const tt_val out = by_p ? tt_generate(m, all, 1, .temperature = 2, .top_p = 0.3, .key = tt_key(3))
                                : tt_generate(m, all, 1, .temperature = 2, .top_k = 5, .key = tt_key(3));
        int count[VOCAB] = { 0 }, order[VOCAB], n = 0;
        double kept = 0, chi = 0;
        for (int i = 0; i < ROWS; i++) count[ids_of(out, i).id[0]]++;
        for (int i = 0; i < VOCAB; i++) {                /* by falling probability */
            int k = i;
            while (k > 0 && p[order[k - 1]] < p[i]) order[k] = order[k - 1], k--;
            order[k] = i;
        }
        while (by_p ? kept < 0.3 : n < 5) kept += p[order[n++]];
        int in = 0;
        for (int k = 0; k < n; k++) {
            const double e = ROWS * p[order[k]] / kept;
            chi += (count[order[k]] - e) * (count[order[k]] - e) / e, in += count[order[k]];
        }
        CHECK(in == ROWS, "%d of %d draws are among the %d most probable", in, ROWS, n);
        CHECK(chi < n + 5 * sqrt(2.0 * n) + 5, "chi square %g of %d ids", chi, n);
    }
    folder_remove(dir);
}

/* ---- what ends a row ---- */

typedef struct { int n, most, row[200]; int64_t id[200]; } heard;
static bool hear(void *env, int row, int64_t id)
{
    heard *h = env;
    if (h->n < 200) h->row[h->n] = row, h->id[h->n] = id;
    return ++h->n < h->most;
}

static void stops(void)
{
    tt_model m = loaded("llama/f32", -1);
    const ids all = ids_of(tt_generate(m, prompt(12), 30), 0);
    int at = 3;
    for (int k = 0; k < at; k++) if (all.id[k] == all.id[at]) at = k;
    const int64_t list[] = { all.id[at], -1 };
    ids x = ids_of(tt_generate(m, prompt(12), 30, .stop_ids = list), 0);
    CHECK(x.n == at + 1 && x.id[at] == all.id[at], "%d ids up to the one that stops", x.n);
    heard h = { .most = 5 };
    x = ids_of(tt_generate(m, prompt(12), 30, .each = hear, .env = &h), 0);
    CHECK(x.n == 5 && h.n == 5 && h.id[4] == x.id[4] && x.id[4] == all.id[4], "%d ids, %d heard", x.n, h.n);
    h = (heard){ .most = 1000 };
    const tt_val two = tt_generate(m, tt_tuple(prompt(12), prompt(3)), 30, .each = hear, .env = &h, .stop_ids = list);
    int first = 0;
    for (int i = 0; i < h.n && i < 200; i++) first += h.row[i] == 0;
    CHECK(first == at + 1 && h.n == first + ids_of(two, 1).n, "%d heard, %d of the first row", h.n, first);
    folder_remove(dir);
    m = loaded("llama/f32", all.id[at]);                 /* the config's own */
    CHECK(tt_model_config(m)->stops == 1 && ids_of(tt_generate(m, prompt(12), 30), 0).n == at + 1, "eos_token_id");
    CHECK(same(all, ids_of(tt_generate(m, prompt(12), 30, .go_on = 1), 0)), "go_on");
    folder_remove(dir);
}

/* A tokenizer whose 256 ids are the bytes. */
static void stop_texts(void)
{
    char path[100];
    const tt_model m = loaded("llama/f32", -1);
    snprintf(path, sizeof path, "%s/bytes.json", dir);
    CHECK(tt_tokenizer_train(path, "a", 256), "%s", tt_error());
    const tt_tokenizer t = tt_tokenizer_open(path);
    const ids all = ids_of(tt_generate(m, prompt(12), 60), 0);
    char stop[2] = "";
    int at = 0;
    for (int i = 0; i < all.n && !*stop; i++) {
        const char *const s = tt_tokenizer_text(t, 1, all.id + i);
        if (s[0] > 0 && !s[1]) *stop = *s, at = i;
    }
    const tt_stop_text list[] = { "never in it", stop, NULL };
    const ids x = ids_of(tt_generate(m, prompt(12), 60, .stop = list, .tokenizer = &t), 0);
    CHECK(*stop && x.n == at + 1, "%d ids up to the text \"%s\" of id %d", x.n, stop, at);
    folder_remove(dir);
}

/* ---- compilations ---- */

/* How many functions of that name are compiled by what `run` does: lines of the switch "plan". */
static int compiled(const char *name, void (*run)(tt_model), tt_model m)
{
    char path[] = "/tmp/tutti-plans-XXXXXX", line[400], head[40];
    const int file = mkstemp(path), out = dup(1), err = dup(2);
    int n = 0;
    fflush(stdout);
    if (file < 0 || out < 0 || err < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0) return -1;
    snprintf(head, sizeof head, "plan:%s", name);
    tt_config(head);
    run(m);
    fflush(stdout);
    dup2(out, 1), dup2(err, 2);
    close(out), close(err), close(file);
    FILE *const f = fopen(path, "r");
    snprintf(head, sizeof head, "---- %s\n", name);
    while (f && fgets(line, sizeof line, f)) n += strcmp(line, head) == 0;
    if (f) fclose(f);
    unlink(path);
    return n;
}

static void twice(tt_model m)
{
    for (int i = 0; i < 2; i++) {
        tt_generate(m, prompt(3 + 5 * i), 40);           /* prompts of up to 8: the first bucket */
        tt_generate(m, prompt(9 + 3 * i), 40 - i);
        tt_generate(m, prompt(17 + i), 30);              /* the third */
    }
}

static void longer(tt_model m)
{
    tt_generate(m, prompt(3), LONG);
    tt_generate(m, prompt(7), LONG - 10);
    tt_generate(m, prompt(12), 100);
}

static void compilations(void)
{
    const tt_model m = loaded("qwen3/bf16", -1);
    tt_clear_caches();
    CHECK(compiled("prefill", twice, m) == 3, "prefill");
    tt_clear_caches();
    CHECK(compiled("decode", twice, m) == 1, "decode");  /* all of 64 places */
    tt_clear_caches();
    CHECK(compiled("decode", longer, m) == 3, "decode"); /* of 64, 128 and 256 places */
    tt_clear_caches();
    CHECK(compiled("grow", longer, m) == 2, "grow");
    folder_remove(dir);
}

/* ---- refusals ---- */

/* The smallest options draw the id of the largest logit, which a greedy text has. */
static void least(void)
{
    const tt_model m = loaded("llama/f32", -1);
    const ids greedy = ids_of(tt_generate(m, prompt(8), 6), 0);
    const double top_p[] = { 1e-3, 1e-46, 1e-300 };
    for (int i = 0; i < 3; i++)
        CHECK(same(ids_of(tt_generate(m, prompt(8), 6, .temperature = 1, .top_p = top_p[i], .key = tt_key(1)), 0),
                   greedy), ".top_p = %g", top_p[i]);
    CHECK(same(ids_of(tt_generate(m, prompt(8), 6, .temperature = 1e-30, .key = tt_key(1)), 0), greedy), "1e-30");
    CHECK(tt_ok(), "%s", tt_error());
    tt_generate(m, prompt(8), 6, .temperature = 1e-40, .key = tt_key(1));
    refused(".temperature = 1e-40; expected 0, for the largest logit, or 1e-30 or more");
    tt_generate(m, prompt(8), 6, .repetition = 1e-300);
    refused(".repetition = 1e-300; expected 1e-30 to 1e30");
    tt_generate(m, prompt(8), 6, .repetition = 1e300);
    refused(".repetition = 1e+300; expected 1e-30 to 1e30");
    folder_remove(dir);
}

static void refusals(void)
{
    const tt_model m = loaded("llama/f32", -1);
    const tt_val p = prompt(4);
    const int64_t beyond[] = { 256, -1 };
    const tt_stop_text empty[] = { "", NULL }, word[] = { "x", NULL };
    tt_generate(m, p, 0), refused("0 new ids");
    tt_generate(m, p, 509), refused("509 new ids behind 4; the model has 512 positions");
    tt_generate(m, p, 4, .temperature = -1, .key = tt_key(0)), refused(".temperature = -1");
    tt_generate(m, p, 4, .temperature = NAN, .key = tt_key(0)), refused(".temperature = ");
    tt_generate(m, p, 4, .temperature = 1), refused(".temperature = 1 without .key");
    tt_generate(m, p, 4, .key = tt_key(0)), refused(".key without .temperature");
    tt_generate(m, p, 4, .top_k = 3), refused(".top_k without .temperature");
    tt_generate(m, p, 4, .temperature = 1, .top_k = 0, .key = tt_key(0)), refused("top_k");
    tt_generate(m, p, 4, .temperature = 1, .top_k = 257, .key = tt_key(0)), refused(".top_k = 257");
    tt_generate(m, p, 4, .temperature = 1, .top_p = 1.5, .key = tt_key(0)), refused(".top_p = 1.5");
    tt_generate(m, p, 4, .temperature = 1, .top_p = -0.5, .key = tt_key(0)), refused("top_p");
    tt_generate(m, p, 4, .repetition = -1), refused("repetition");
    tt_generate(m, p, 4, .repetition = INFINITY), refused(".repetition = inf");
    tt_generate(m, p, 4, .stop_ids = beyond), refused(".stop_ids has 256");
    tt_generate(m, p, 4, .stop = word), refused(".stop without .tokenizer");
    tt_tokenizer t = { 0 };
    tt_generate(m, p, 4, .stop = empty, .tokenizer = &t), refused(".stop has an empty text");
    tt_generate(m, p, 4, .tokenizer = &t), refused(".tokenizer has no effect without .stop");
    tt_generate(m, p, 4, .env = &t), refused(".env has no effect without .each");
    tt_generate(m, tt_full(256, TT_I32, 3), 4), refused("prompt 0 has id 256 at 0");
    tt_generate(m, tt_tuple(p, tt_full(-1, TT_I32, 3)), 4), refused("prompt 1 has id -1 at 0");
    tt_generate(m, tt_zeros(TT_F32, 3), 4), refused("prompt 0 is f32[3]");
    tt_generate(m, tt_zeros(TT_I32, 2, 3), 4), refused("prompt 0 is i32[2, 3]");
    tt_generate(m, tt_zeros(TT_I32, 0), 4), refused("prompt 0 is i32[0]");
    tt_generate(m, tt_none(), 4), refused("the prompts are a tuple of 0");
    tt_generate(m, tt_dict("a", p), 4), refused("the prompts are a dict");
    tt_generate((tt_model){ 0 }, p, 4), refused("the tt_model is empty");
    folder_remove(dir);
}

static void quiet(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(batches("llama/f32"));
    CHECK_RUN(batches("mistral/f32"));
    CHECK_RUN(batches("gpt2/f32"));
    CHECK_RUN(on_a_mesh("llama/f32", "data:2, model:2", "batch:data, heads:model, kv_heads:model, hidden:model"));
    CHECK_RUN(on_a_mesh("gemma3_text/f32", "data:2", "batch:data, embed:data"));
    CHECK_RUN(without_cache("qwen3/f32", 5));
    CHECK_RUN(without_cache("mistral/f32", 12));
    CHECK_RUN(without_cache("gemma3_text/f32", 20));
    CHECK_RUN(without_cache("gpt2/f32", 1));
    CHECK_RUN(draws());
    CHECK_RUN(frequencies());
    CHECK_RUN(stops());
    CHECK_RUN(stop_texts());
    CHECK_RUN(compilations());
    CHECK_RUN(least());
    CHECK_RUN(refusals());
    return check_done();
}
