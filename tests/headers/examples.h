/* examples.h - what the examples of the public headers speak of: names that stand in their lines and are made elsewhere
 * in a program. tests/reference.sh compiles each example behind this; nothing of it is run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <tutti.h>

/* values */
static tt_val a, b, c, d, e, g, i, j, k, l, n_trials, p, q, r, s, u, v, w, x, y, z, xs, ys, dx, dy, lo, hi, alpha,
    anchors, balance, batch, best, bytes, carry, column, counts, cov, df, dropped, edges, embeddings, grads, high, ids,
    image, images, inverse, kappa, key, label_paddings, labels, log_p, log_q, log_size, logit_paddings, logits, losses,
    low, lu, mask, masks, mean, metrics, mid, mine, mu, negatives, opt, order, pair, params, part, pivots, positives,
    rate_of, relevances, row, rows, scores, sigma, sign, t_part, table, target, tokens, updates, values, vars, weights,
    which, all, blocks, rate, score, state, n, test_losses;
static struct {
    tt_val params, opt;
} st;
/* other objects */
static tt_mesh mesh;
static tt_nn m;
static tt_loop it;
static tt_manager runs;
static tt_ckpt ckpt;
static tt_data digits;
static tt_metric_writer writer;
static tt_model model;
static tt_form form;
static tt_tokenizer t;
static tt_part parts[64];
static tt_fn h, train;
static struct DLManagedTensorVersioned *theirs;
static struct DLManagedTensor *older_tensor;
static const char *site, *format, *text;
static char text_of[64];
static float total;
static FILE *file;
static float memory[64];
static int32_t some_ids[3];
static int64_t id, step_number;
static int env, epoch, generating;
static va_list arguments;
static const tt_reduce_opts *o;

/* functions of the program */
extern void *thread_work(void *);
extern tt_callback_f look_up, next_row, scale;
static tt_val f(tt_val v_) { return v_; }
static tt_val f2(tt_val v_, tt_val w_) { return tt_add(v_, w_); }
static tt_val up(tt_val v_) { return tt_add(v_, tt_f(1)); }
static tt_val down(tt_val v_) { return tt_sub(v_, tt_f(1)); }
static tt_val f0(void) { return tt_f(0); }
static tt_val f3(tt_val v1, tt_val v2, tt_val v3) { return tt_tuple(v1, v2, v3); }
static tt_val f4(tt_val v1, tt_val v2, tt_val v3, tt_val v4) { return tt_tuple(v1, v2, v3, v4); }
extern tt_f5 f5;
extern tt_f6 f6;
extern tt_f7 f7;
extern tt_f8 f8;
static tt_val loss(tt_val p_, tt_val x_, tt_val y_) { return tt_add(p_, tt_add(x_, y_)); }
static tt_val step(tt_val s_, tt_val x_, tt_val y_) { return tt_add(s_, tt_add(x_, y_)); }
static tt_val init(tt_val k_, tt_val x_) { return tt_add(k_, x_); }
static tt_val energy(tt_val v_) { return tt_sum(v_); }
static tt_val is_far(tt_val v_) { return tt_gt(v_, tt_f(0)); }
static tt_val body(tt_val i_, tt_val s_) { return tt_add(i_, s_); }
static tt_val cell(tt_val c_, tt_val x_) { return tt_tuple(c_, x_); }
static tt_val rule(tt_val p_, tt_val t_) { return tt_tuple(p_, t_); }
static tt_val forward(tt_val v_) { return tt_tuple(v_, v_); }
static tt_val backward(tt_val r_, tt_val c_) { return tt_mul(r_, c_); }
static tt_val tangent(tt_val p_, tt_val y_, tt_val t_) { return tt_tuple(p_, y_, t_); }
static tt_val map_of(tt_val v_, tt_val w_) { return tt_matmul(w_, v_); }
static tt_val solve_of(tt_val b_, tt_val w_) { return tt_solve(w_, b_); }
static tt_val newton(tt_val v_, tt_val w_) { return tt_add(v_, w_); }
static tt_val net(tt_nn m_, tt_val x_) { return tt_dense(m_, "out", x_, 4); }
static tt_val block(tt_nn m_, tt_val x_) { return tt_dense(m_, "block", x_, 4); }
static tt_val classifier(tt_nn m_, tt_val x_) { return tt_dense(m_, "head", x_, 10); }
static tt_val with_env(void *env_, int n_, const tt_val *v_) { return env_ && n_ ? v_[0] : tt_poison; }
static tt_val by_path(void *env_, const char *path_, tt_val leaf_)
{
    return env_ && path_ ? leaf_ : tt_leaf(leaf_, .frozen = 1);
}
static tt_val make_batch(void *env_, int64_t i_) { return env_ ? tt_i(i_) : tt_poison; }
static bool read_block(void *env_, const int64_t *lo_, const int64_t *n_, void *to_)
{
    return env_ && lo_ && n_ && to_;
}
static void handler(const tt_error_info *info_, void *env_) { printf("%s%p", info_->message, env_); }
static void callback(tt_val v_) { tt_show(v_); }
