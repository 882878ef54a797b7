/* chat.c - speaks with a language model from a folder as hubs publish it, or from a GGUF file, and fine-tunes it.
 *
 *     chat DIR                                             a conversation, line by line; Ctrl-D ends it
 *     chat DIR --prompt "Once upon a time" --new 200       continues a text
 *     chat FILE.gguf                                       weights of Q8_0 and Q4_0 stay packed
 *     chat DIR --mesh "model:4" --rules "heads:model, kv_heads:model, hidden:model, vocab:model"
 *     chat DIR --lora TEXT.txt --steps 200 --save OUT      low-rank terms learn a text; OUT is a folder like DIR
 *
 * Turns are written as the folder's chat template has them, if it is one of four that many models have; otherwise the
 * lines are a plain text, which the program says. --temperature 0 takes the most probable token each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static struct {
    long long new, steps, rank, block, batch, seed;
    double temperature, top_p, repetition, rate;
    const char *prompt, *mesh, *rules, *lora, *save;
} o = { .new = -1, .steps = 100, .rank = 8, .block = 64, .batch = 4, .temperature = 0.8, .top_p = 0.95,
        .repetition = 1, .rate = 1e-3, .prompt = "", .mesh = "data:1", .rules = "batch:data", .lora = "", .save = "" };

static tt_model model;
static tt_tokenizer words;

/* ---- templates ---- */

typedef struct { const char *name, *sign, *before, *after, *end; } turns;
static const turns plain = { "plain text", "", "", "\n", "\n" }, known[] = {
    { "ChatML", "<|im_start|>", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>\n" },
    { "Llama 3", "<|start_header_id|>", "<|start_header_id|>user<|end_header_id|>\n\n",
      "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>" },
    { "Gemma", "<start_of_turn>", "<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>\n" },
    { "Mistral", "[INST]", "[INST] ", " [/INST]", "</s>" },
};

/* The text of a file, "" if it is empty; NULL: it cannot be read. */
static char *contents(const char *dir, const char *file)
{
    char path[4096], *text = NULL;
    snprintf(path, sizeof path, "%s%s", dir, file);
    FILE *const f = fopen(path, "rb");
    const size_t most = 1 << 22;
    if (f && (text = calloc(most + 1, 1)) && fread(text, 1, most, f) == 0) *text = 0;
    if (f) fclose(f);
    return text;
}

static const turns *by_sign(const char *text)
{
    const turns *is = &plain;
    for (size_t i = 0; text && i < sizeof known / sizeof *known && is == &plain; i++)
        if (strstr(text, known[i].sign)) is = &known[i];
    return is;
}

/* The template by its signs, in the files that may have it; of a GGUF file in its keys. */
static const turns *template_of(const char *dir)
{
    const size_t n = strlen(dir);
    if (n > 5 && !strcmp(dir + n - 5, ".gguf"))
        return by_sign(tt_ckpt_metadata_of(tt_ckpt_open(dir), "tokenizer.chat_template"));
    static const char *const files[] = { "chat_template.jinja", "tokenizer_config.json" };
    const turns *is = &plain;
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/", dir);
    for (int k = 0; k < 2 && is == &plain; k++) {
        char *const text = contents(folder, files[k]), *at = text;
        if (text && k) at = strstr(text, "\"chat_template\"");
        is = by_sign(at);
        free(text);
    }
    return is;
}

/* ---- speaking ---- */

static bool show(void *stream, int row, int64_t id)
{
    (void)row;
    fputs(tt_token_stream_next(*(tt_token_stream *)stream, id), stdout);
    return fflush(stdout) == 0;
}

/* Without --new 200, or as many as there are positions for. */
static int64_t new_after(tt_val ids)
{
    const int64_t left = tt_model_config(model)->positions - tt_dim(ids, 0);
    return o.new >= 0 ? o.new : left < 1 ? 1 : left < 200 ? left : 200;
}

/* Continues the text, which it prints as it comes, and returns what is new; `turn` numbers the draws. */
static const char *said(const char *text, long long turn)
{
    tt_token_stream stream = tt_tokenizer_stream(words);
    const tt_val ids = tt_tokenizer_encode(words, text);
    const int64_t n = new_after(ids);
    const tt_val out = o.temperature > 0
        ? tt_generate(model, ids, n, .temperature = o.temperature, .top_p = o.top_p, .repetition = o.repetition,
                      .key = tt_fold_in(tt_key(o.seed), tt_i(turn)), .each = show, .env = &stream)
        : tt_generate(model, ids, n, .repetition = o.repetition, .each = show, .env = &stream);
    puts(tt_token_stream_end(stream));
    return tt_tokenizer_decode(words, tt_item(out, 0));
}

static void converse(const char *dir)
{
    const turns *const t = template_of(dir);
    char line[1 << 14], *all = calloc(1, 1);
    printf("chat: turns as %s\n> ", t->name);
    for (long long turn = 0; all && tt_ok() && fflush(stdout) == 0 && fgets(line, sizeof line, stdin); turn++) {
        line[strcspn(line, "\n")] = 0;
        for (int part = 0; part < 5 && all; part++) {    /* the question, then the answer */
            const char *const next = part == 0 ? t->before : part == 1 ? line : part == 2 ? t->after
                                     : part == 3 ? said(all, turn) : t->end;
            if ((all = realloc(all, strlen(all) + strlen(next) + 1))) strcat(all, next);
        }
        printf("> ");
    }
    free(all);
}

/* ---- fine-tuning ---- */

static tt_val loss(tt_val params, tt_val ids)
{
    const tt_val x = tt_slice(ids, 1, 0, o.block, 1), y = tt_slice(ids, 1, 1, o.block + 1, 1);
    return tt_mean(tt_xent(tt_model_logits(model, params, x), y));
}

static tt_val train(tt_val state, tt_val text, tt_val i)
{
    tt_val params, opt, key = tt_fold_in(tt_key(o.seed), i);
    tt_unpack(state, &params, &opt);
    tt_val from = tt_randint(key, TT_I32, tt_i(0), tt_i(tt_dim(text, 0) - o.block), o.batch, 1);
    tt_val ids = tt_take(text, tt_add(from, tt_arange(TT_I32, o.block + 1)), 0, .mode = "promise_in_bounds");
    tt_val both = tt_call(tt_value_and_grad(loss), params, tt_logical_constraint(ids, "batch, time"));
    tt_opt_step(&params, &opt, tt_item(both, 1));
    return tt_tuple(tt_tuple(params, opt), tt_item(both, 0));
}

static void tune(const char *file, tt_mesh mesh)
{
    char *const raw = contents("", file);
    if (!raw) { fprintf(stderr, "chat: %s cannot be read\n", file), exit(2); }
    const tt_val text = tt_tokenizer_encode(words, raw);
    free(raw);
    if (tt_ok() && tt_dim(text, 0) <= o.block) { fprintf(stderr, "chat: %s is too short\n", file), exit(2); }
    tt_val params = tt_model_lora(model, tt_model_params(model), o.rank, tt_key(o.seed)), out;
    tt_val state = tt_tuple(params, tt_adamw(params, .rate = o.rate));
    tt_fn step = { 0 };
    for (TT_WITH(mesh, .rules = o.rules)) step = tt_jit(train, .donate = "0");
    for (tt_loop it = tt_steps(o.steps, .bar = "tune"); tt_next(&it); ) {
        tt_assign(&state, tt_item(out = tt_call(step, state, text, tt_full(it.i, TT_I32)), 0));
        tt_note(&it, "loss %.4f", tt_num(tt_item(out, 1)));
        if (it.i == 0 || it.i == o.steps - 1)
            printf("step %lld: loss %.4f\n", (long long)it.i, tt_num(tt_item(out, 1)));
    }
    params = tt_model_merge(model, tt_item(state, 0));
    if (*o.save && tt_model_save(model, params, o.save)) printf("saved to %s\n", o.save);
}

/* ---- the program ---- */

static int options(int argc, char **argv)
{
    const struct { const char *name; long long *whole; double *real; const char **text; } all[] = {
        { "new", .whole = &o.new }, { "steps", .whole = &o.steps }, { "rank", .whole = &o.rank },
        { "block", .whole = &o.block }, { "batch", .whole = &o.batch }, { "seed", .whole = &o.seed },
        { "temperature", .real = &o.temperature }, { "top_p", .real = &o.top_p },
        { "repetition", .real = &o.repetition }, { "rate", .real = &o.rate }, { "prompt", .text = &o.prompt },
        { "mesh", .text = &o.mesh }, { "rules", .text = &o.rules }, { "lora", .text = &o.lora },
        { "save", .text = &o.save },
    };
    if (argc < 2 || !strncmp(argv[1], "--", 2)) {
        fprintf(stderr, "usage: chat DIR [--prompt TEXT] [--new N] [--lora FILE --save DIR] ...\n");
        return 0;
    }
    for (int i = 2, given = 0; i < argc; i += 2) {
        size_t k = 0;
        char *end = "";
        while (k < sizeof all / sizeof *all && (strncmp(argv[i], "--", 2) || strcmp(argv[i] + 2, all[k].name))) k++;
        const char *const wrong = k == sizeof all / sizeof *all ? "there is no such option"
                                : i + 1 == argc ? "a value is missing" : given >> k & 1 ? "given twice" : NULL;
        if (wrong) return fprintf(stderr, "chat: %s: %s\n", argv[i], wrong), 0;
        given |= 1 << k;
        if (all[k].whole) *all[k].whole = strtoll(argv[i + 1], &end, 10);
        if (all[k].real) *all[k].real = tt_strtod(argv[i + 1], &end);
        if (all[k].text) *all[k].text = argv[i + 1];
        if (*end || (!all[k].text && !*argv[i + 1]) || (all[k].whole && *all[k].whole < 0))
            return fprintf(stderr, "chat: %s %s: not a number\n", argv[i], argv[i + 1]), 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (!options(argc, argv)) return 2;
    const tt_mesh mesh = tt_mesh(o.mesh);
    words = tt_tokenizer_open(argv[1]);
    if (tt_ok()) model = tt_model_load(argv[1], .mesh = mesh, .rules = o.rules, .tokenizer = &words);
    if (!tt_ok()) return tt_done();
    if (*o.lora) tune(o.lora, mesh);
    else if (*o.prompt) fputs(o.prompt, stdout), said(o.prompt, 0);
    else converse(argv[1]);
    return tt_done();
}
