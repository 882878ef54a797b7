/* work.c - small programs for refuse.sh: training with an optimizer and a save, reading a program of StableHLO, files
 * of metrics, handles that a scope owns, checkpoints of other formats. */
#include <tutti.h>
#include <tutti/ckpt.h>
#include <tutti/data.h>
#include <tutti/metrics.h>
#include <tutti/optim.h>
#include <tutti/program.h>
#include <tutti/tokenizer.h>

#include <stdio.h>
#include <string.h>

static tt_val loss(tt_val p, tt_val x) { return tt_mean(tt_square(tt_tanh(tt_matmul(x, tt_get(p, "w"))))); }
static tt_val twice(tt_val x) { return tt_add(x, tt_mul(x, tt_f(2))); }

static const char *in(const char *dir, const char *name)
{
    static char path[2][600];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[0], "%s/%s", dir, name);
    return path[turn];
}

static void train(const char *dir)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, 8, 16);
    tt_val p = tt_dict("w", tt_normal(tt_key(0), TT_F32, 16, 4)), o = tt_adam(p, .rate = 0.1);
    const tt_fn g = tt_jit(tt_value_and_grad(loss));
    for (tt_loop it = tt_steps(3, .bar = "train"); tt_next(&it);) {
        const tt_val r = tt_call(g, p, x);
        tt_opt_step(&p, &o, tt_item(r, 1));
        tt_note(&it, "loss %.4f", tt_num(tt_item(r, 0)));
    }
    tt_save(in(dir, "run"), p, .force = 1);
    tt_show(tt_sum(tt_get(tt_load(in(dir, "run")), "w")));
    tt_write_npz(in(dir, "run.npz"), p);
    tt_show(tt_sum(tt_get(tt_read_npz(in(dir, "run.npz")), "w")));
}

static void import(void)
{
    const char *text = tt_export(twice, tt_ones(TT_F32, 3));
    const tt_fn f = tt_import(text ? text : "");
    tt_show(tt_call(tt_jit(f), tt_ones(TT_F32, 3)));
}

/* What was written is in the files: a line of each step, without its time. */
static void measured(const char *dir)
{
    const tt_metric_writer w = tt_metric_writer_open(in(dir, "m"), .formats = "jsonl, csv, events");
    static char text[4000];                              /* more than a stream has room for at first */
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 3 && tt_ok(); i++) tt_write_scalars(w, i, tt_dict("loss", tt_f(i)));
    if (tt_ok()) tt_write_text(w, 3, "text", text);
    if (tt_ok()) tt_write_histograms(w, 4, tt_dict("h", tt_arange(TT_F32, 9)));
    if (tt_ok()) tt_write_images(w, 5, tt_dict("i", tt_ones(TT_F32, 4, 4)));
    if (!tt_ok() || !tt_metric_writer_flush(w)) return;
    static const char *const files[] = { "m/metrics.jsonl", "m/metrics.csv" };
    for (int k = 0; k < 2; k++) {
        static char room[1 << 14];
        FILE *f = fopen(in(dir, files[k]), "r");
        const size_t n = f ? fread(room, 1, sizeof room, f) : 0;
        int lines = 0;
        for (size_t i = 0; i < n; i++) lines += room[i] == '\n';
        if (f) printf("%s: %d lines\n", files[k], lines), fclose(f);
        else tt_fail_at("work.c:1: here", TT_EMEM, "no stream to read with");
    }
}

static void owned(const char *dir)
{
    static const char words[] = "tests/goldens/tokenizers/words.json";
    const tt_manager m = tt_manager_open(in(dir, "steps"), .keep = 2);
    tt_manager_save(m, 1, tt_dict("a", tt_f(7)));
    tt_show(tt_manager_load(m, tt_manager_newest(m)));
    const char *const step = strstr(tt_manager_path(m, 1), "steps");
    puts(step ? step : "");
    const tt_ckpt c = tt_ckpt_open(tt_manager_path(m, 1));
    printf("%d leaves of %s\n", tt_ckpt_count(c), tt_ckpt_format(c));
    const tt_tokenizer t = tt_tokenizer_open(words);
    const tt_token_stream s = tt_tokenizer_stream(t);
    for (int i = 3; i < 6; i++) printf("%s ", tt_token_stream_next(s, i));
    puts(tt_token_stream_end(s));
    puts(tt_tokenizer_decode(t, tt_tokenizer_encode(t, "the end")));
    const tt_data d = tt_dataset(tt_arange(TT_F32, 8), .batch = 4);
    for (tt_loop l = tt_batches(d); tt_next(&l);) tt_show(l.batch);
}

static void formats(const char *dir)
{
    const tt_val p = tt_dict("a", tt_ones(TT_F32, 3), "b", tt_f(2));
    tt_save(in(dir, "x.safetensors"), p);
    tt_show(tt_load(in(dir, "x.safetensors")));
    tt_save(in(dir, "store"), p, .ocdbt = 1);
    tt_show(tt_load(in(dir, "store")));
}

int main(int argc, char **argv)
{
    const char *const what = argc > 2 ? argv[1] : "import";
    if (!strcmp(what, "train")) train(argv[2]);
    else if (!strcmp(what, "measured")) measured(argv[2]);
    else if (!strcmp(what, "owned")) owned(argv[2]);
    else if (!strcmp(what, "formats")) formats(argv[2]);
    else import();
    return tt_done();
}
