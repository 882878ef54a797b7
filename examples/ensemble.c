/* ensemble.c - eight CNNs learn MNIST, one per device, and vote: the demo.
 *
 * Every member has its own key and sees every batch; gradients stay with the member, only the votes are averaged.
 * ensemble [--full | --images N] [--epochs N]: by default 24,000 images (or the shipped 5,000 several times), two
 * minutes at most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

TT_RECORD(member, params, opt);                     /* one ensemble member */

static tt_val cnn(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "c1", x, 32, .window = {3, 3}));
    x = tt_avg_pool(x, .window = {2, 2}, .stride = {2, 2});
    x = tt_relu(tt_conv(m, "c2", x, 64, .window = {3, 3}));
    x = tt_avg_pool(x, .window = {2, 2}, .stride = {2, 2});
    x = tt_relu(tt_dense(m, "d1", tt_flatten(x, 1), 256));
    return tt_dense(m, "out", x, 10);
}

static tt_val loss(tt_val params, tt_val image, tt_val label)      /* aux: the logits */
{
    tt_val logits = tt_apply(cnn, params, image);
    return tt_tuple(tt_mean(tt_xent(logits, label)), logits);
}

static tt_val create(tt_val key)
{
    tt_val p = tt_init(cnn, key, tt_zeros(TT_F32, 1, 28, 28, 1));
    return member_val((member){ p, tt_sgd(p, .rate = 0.1, .momentum = 0.9) });
}

static tt_val step(tt_val s, tt_val image, tt_val label)
{
    member m = member_of(s);
    tt_val l, logits, g;
    tt_unpack(tt_call(tt_value_and_grad(loss, .aux = 1), m.params, image, label), &l, &logits, &g);
    tt_opt_step(&m.params, &m.opt, g);
    tt_val vote = tt_pmean(tt_softmax(logits), "member");
    tt_val hit  = tt_mean(tt_eq(tt_argmax(vote, .dims = "1"), label));
    return tt_tuple(member_val(m), tt_pmean(l, "member"), hit);
}

/* ---- evaluation and pictures ---- */

enum { MEMBERS = 8, BATCH = 128, TEST_BATCH = 500, SHOWN = 6, RIM = 2, SIDE = 24, SECONDS = 115, MOST = 4096 };

/* What every member answers, and what they answer together: [B] each. */
static tt_val answer(tt_val s, tt_val image)
{
    tt_val p = tt_softmax(tt_apply(cnn, member_of(s).params, image));
    tt_val vote = tt_pmean(p, "member");
    return tt_tuple(tt_argmax(p, .dims = "1"), tt_argmax(vote, .dims = "1"), tt_amax(vote, .dims = "1"));
}

typedef struct {
    int64_t images, right[MEMBERS], together;            /* answers that are right: of each member, of all together */
    int shown, said[SHOWN], truth[SHOWN];                /* digits that will be drawn */
    float picture[SHOWN][28 * 28];
} score;

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void keep_digit(score *r, const float *image, int said, int truth)
{
    if (r->shown == SHOWN) return;
    memcpy(r->picture[r->shown], image, sizeof r->picture[0]);
    r->said[r->shown] = said;
    r->truth[r->shown++] = truth;
}

/* One batch: counts, and pictures of digits that the ensemble got wrong (want = 0) or right (want = 1). */
static void count_batch(score *r, tt_val out, tt_val image, tt_val label, int want, int counted)
{
    static int32_t each[MEMBERS * TEST_BATCH], all[TEST_BATCH], truth[TEST_BATCH];
    static float pixels[TEST_BATCH * 28 * 28];
    const int64_t n = tt_dim(label, 0);
    const tt_val mine = tt_process_allgather(tt_item(out, 0));   /* in several processes each has its own members */
    if (!tt_read(mine, each, (size_t)(MEMBERS * n) * sizeof *each)) return;
    if (!tt_read(tt_item(out, 1), all, (size_t)n * sizeof *all)) return;
    if (!tt_read(label, truth, (size_t)n * sizeof *truth)) return;
    if (!tt_read(image, pixels, (size_t)(n * 28 * 28) * sizeof *pixels)) return;
    for (int64_t i = 0; i < n; i++) {
        for (int m = 0; counted && m < MEMBERS; m++) r->right[m] += each[m * n + i] == truth[i];
        if (counted) r->together += all[i] == truth[i], r->images++;
        if ((all[i] == truth[i]) == want) keep_digit(r, pixels + i * 28 * 28, all[i], truth[i]);
    }
}

static void evaluate(tt_fn ask, tt_val s, tt_data test, score *r)
{
    for (int want = 0; want <= 1 && r->shown < SHOWN; want++)        /* wrong ones first; right ones fill the row */
        for (tt_loop it = tt_batches(test); tt_next(&it); ) {
            tt_val image = tt_get(it.batch, "image");
            count_batch(r, tt_call(ask, s, image), image, tt_get(it.batch, "label"), want, want == 0);
            if (want == 1 && r->shown == SHOWN) break;
        }
}

/* As many as fit side by side, without the rim that MNIST leaves around them. */
static void show_digits(const score *r)
{
    const int fits = tt_columns() / (SIDE + 2), n = r->shown < fits ? r->shown : fits;
    for (int y = RIM; y < RIM + SIDE && n; y += 2) {
        for (int d = 0; d < n; d++) {
            for (int x = RIM; x < RIM + SIDE; x++) {
                static const char *const ink[] = { " ", "\u2580", "\u2584", "\u2588" };   /* upper half, lower, both */
                const int up = r->picture[d][y * 28 + x] > 0.4f, down = r->picture[d][(y + 1) * 28 + x] > 0.4f;
                printf("%s", ink[up + 2 * down]);
            }
            printf("  ");
        }
        printf("\n");
    }
    for (int d = 0; d < n; d++) {
        const int right = r->said[d] == r->truth[d];
        const int wide = printf("%s %d, is %d", right ? "said" : "WRONG: said", r->said[d], r->truth[d]);
        printf("%*s", SIDE + 2 - wide, "");
    }
    printf("\n");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(score *r, double *times, int64_t steps, double trained, tt_val s)
{
    double mean = 0;
    if (!r->images || !steps) return;
    printf("\nOn %lld test images:\n", (long long)r->images);
    for (int m = 0; m < MEMBERS; m++) {
        const double a = 100.0 * (double)r->right[m] / (double)r->images;
        mean += a / MEMBERS;
        printf("  member %d   %6.2f %%  ", m, a);
        for (int k = 0; k < (int)(a > 80 ? 2 * (a - 80) : 0) && k < tt_columns() - 26; k++) printf("\u2588");
        printf("\n");
    }
    printf("  mean       %6.2f %%\n  ensemble   %6.2f %%\n\n", mean, 100.0 * (double)r->together / (double)r->images);
    show_digits(r);
    qsort(times, (size_t)steps, sizeof *times, by_size);
    printf("\n%lld steps of %d images on %d members in %.1f s; median step %.0f ms\n", (long long)steps, BATCH, MEMBERS,
           trained, 1e3 * times[steps / 2]);
    printf("The layout of params.out.bias, %s:\n", tt_type_text(tt_get(s, "params.out.bias")));
    tt_draw(tt_get(s, "params.out.bias"), .max_width = tt_columns() < 80 ? tt_columns() : 80);
}

static int64_t number(const char *text)
{
    char *end;
    const long long n = strtoll(text, &end, 10);
    return *end || n < 1 ? -1 : n;
}

int main(int argc, char **argv)
{
    int64_t limit = 24000, epochs = 0;
    bool full = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full")) full = true, limit = 0, epochs = 2;
        else if (!strcmp(argv[i], "--images") && i + 1 < argc && (limit = number(argv[++i])) > 0) continue;
        else if (!strcmp(argv[i], "--epochs") && i + 1 < argc && (epochs = number(argv[++i])) > 0) continue;
        else return fprintf(stderr, "usage: ensemble [--full | --images N] [--epochs N]\n"), 2;
    }

    tt_mesh mesh  = tt_mesh("member:8");
    tt_data train = tt_mnist("mnist", .batch = BATCH, .shuffle = tt_key(7), .limit = limit);
    tt_data test  = tt_mnist("mnist", .batch = TEST_BATCH, .part = "test");
    tt_fn   init  = tt_pmap(create, .mesh = mesh, .axis = "member", .in = "0");
    tt_fn   fit   = tt_pmap(step, .mesh = mesh, .axis = "member", .in = "0; _; _", .out = "0; _; _", .donate = "0");
    tt_fn   ask   = tt_pmap(answer, .mesh = mesh, .axis = "member", .in = "0; _", .out = "0; _; _");
    tt_val  s     = tt_call(init, tt_split(tt_key(0), MEMBERS));     /* eight seeds, eight members */

    static double times[MOST];
    int64_t steps = 0;
    const int64_t n = tt_data_count(train);
    if (!epochs) epochs = n ? (24000 + n - 1) / n : 1;               /* 24,000 images in all */
    if (tt_ok())
        tt_print("An ensemble of %d CNNs, one per device, on %lld images of MNIST (%s), %lld epoch%s", MEMBERS,
                 (long long)n, tt_data_from(train), (long long)epochs, epochs > 1 ? "s" : "");
    const double began = seconds();
    for (int64_t epoch = 1; epoch <= epochs && tt_ok(); epoch++)
        for (tt_loop it = tt_batches(train, .bar = "epoch"); tt_next(&it); ) {
            const double start = seconds();
            tt_val out = tt_call(fit, s, tt_get(it.batch, "image"), tt_get(it.batch, "label"));
            tt_assign(&s, tt_item(out, 0));
            tt_wait(s);
            if (steps < MOST) times[steps++] = seconds() - start;
            tt_note(&it, "loss %.3f  ensemble accuracy %.1f%%", tt_num(tt_item(out, 1)), 100 * tt_num(tt_item(out, 2)));
            if (!full && seconds() - began > SECONDS) {
                tt_print("Two minutes are up after %lld steps: going on to the test images", (long long)steps);
                epoch = epochs;
                break;
            }
        }
    const double trained = seconds() - began;
    score r = { 0 };
    evaluate(ask, s, test, &r);
    tt_save("ensemble.ckpt", s, .force = 1);         /* tutti ckpt ls ensemble.ckpt */
    if (tt_ok()) report(&r, times, steps, trained, s);
    return tt_done();
}
