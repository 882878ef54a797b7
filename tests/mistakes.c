/* mistakes.c - what a program gives in the wrong place: trees that do not go together, words that match nothing, things
 * given twice. With the exact text that the user sees (errors.h). */
#include "errors.h"

static tt_val twos(void) { return tt_dict("a", tt_ones(TT_F32, 2), "b", tt_ones(TT_F32, 3)); }

/* ---- trees of optimizers ---- */

static void step_other_names(void)
{
    tt_val p = tt_dict("a", tt_ones(TT_F32, 2)), o = tt_sgd(p), g = tt_dict("b", tt_ones(TT_F32, 2));
    tt_opt_step(&p, &o, g);
}
static void step_fewer(void)
{
    tt_val p = twos(), o = tt_sgd(p), g = tt_dict("a", tt_ones(TT_F32, 2));
    tt_opt_step(&p, &o, g);
}
static void step_other_shape(void)
{
    tt_val p = twos(), o = tt_adam(p), g = tt_set(p, "b", tt_ones(TT_F32, 1));
    tt_opt_step(&p, &o, g);
}
static void step_integers(void)
{
    tt_val p = twos(), o = tt_sgd(p), g = tt_set(p, "b", tt_ones(TT_I32, 3));
    tt_opt_step(&p, &o, g);
}
static void step_state_of_others(void)
{
    tt_val p = twos(), q = tt_dict("a", tt_ones(TT_F32, 2), "c", tt_ones(TT_F32, 3)), o = tt_adam(q);
    tt_opt_step(&p, &o, p);
}
static void updates_of_others(void) { tt_apply_updates(twos(), tt_dict("a", tt_ones(TT_F32, 2))); }
static tt_val sum_of(tt_val a, tt_val b) { return tt_add(a, b); }
static void map_of_others(void) { tt_map(sum_of, twos(), tt_dict("a", tt_f(1), "c", tt_f(2))); }
static void map_other_shape(void) { tt_map(sum_of, twos(), tt_set(twos(), "b", tt_ones(TT_F32, 4))); }

/* ---- words of optimizers ---- */

static void mask_matches_nothing(void) { tt_adamw(twos(), .decay = 0.1, .mask = "kernle"); }
static void mask_one_word(void) { tt_adamw(twos(), .decay = 0.1, .mask = "not b c"); }
static void rate_and_schedule(void) { tt_sgd(twos(), .rate = 0.5, .schedule = "linear(0.1, 0, 10)"); }
static void schedule_unknown(void) { tt_adam(twos(), .schedule = "warmup_cosine(0, 1, 2)"); }
static void schedule_argument(void) { tt_adam(twos(), .schedule = "cosine_decay(0.1, stepz=2)"); }
static void schedule_empty(void) { tt_adam(twos(), .schedule = ""); }
static void argument_twice(void) { tt_optimizer(twos(), "adam(0.1, b1=0.5, b1=0.75)"); }
static void argument_twice_by_place(void) { tt_schedule("linear(0.1, 0, 10, init_value=0.5)", tt_i(0)); }

/* ---- C's memory ---- */

static double numbers[3] = { 1, 2, 3 };
static float room[3];
static void array_of_doubles(void) { tt_array(TT_F32, numbers, 3); }
static void array_of_rows(void)
{
    const double rows[2][2] = { { 1, 2 }, { 3, 4 } };
    tt_array(TT_F32, rows, 2, 2);
}
static void array_of_pointer(void)
{
    const uint8_t *const bytes = (const uint8_t *)numbers;
    tt_array(TT_I8, bytes, 3);
}
static void array_too_short(void) { tt_array(TT_F32, room, 300); }
static void read_integers(void) { tt_read(tt_arange(TT_I32, 3), room, sizeof room); }
static void read_too_long(void) { tt_read(tt_arange(TT_F32, 4), room, 4 * sizeof *room); }
static void box_of_integers(void)
{
    const int64_t lo[] = { 1 }, n[] = { 2 };
    tt_read_box(tt_arange(TT_I32, 3), lo, n, room);
}
static void box_outside(void)
{
    const int64_t lo[] = { 2 }, n[] = { 3 };
    tt_read_box(tt_arange(TT_F32, 3), lo, n, room);
}
static void local_of_integers(void) { tt_local(tt_arange(TT_I32, 3), 0, NULL, NULL, room, sizeof room); }
static void memory_that_suits(void)                      /* no error */
{
    bool truth[2] = { true, false };
    float parts[4] = { 1, 2, 3, 4 }, rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    const uint16_t half[2] = { 0x3c00, 0 };
    char bytes[8] = { 0 };
    void *any = numbers;
    tt_array(TT_BOOL, truth, 2), tt_array(TT_C64, parts, 2), tt_array(TT_F32, rows, 2, 3), tt_array(TT_F16, half, 2);
    tt_array(TT_F32, bytes, 2), tt_array(TT_F32, any, 3), tt_array(TT_F32, parts, 2), tt_array(TT_F32, NULL, 0);
    tt_array(TT_F32, ((float[]){ 1, 2 }), 2), tt_array(TT_BF16, half, 1), tt_array(TT_F8E5M2, (uint8_t *)bytes, 8);
    tt_read(tt_array(TT_F32, parts, 2), parts, 2 * sizeof *parts);
}

static const program programs[] = {
#include "mistakes.inc"
};

int main(int argc, char **argv)
{
    const bool print = argc > 1 && !strcmp(argv[1], "-p");
    tt_on_error(errors_quiet, NULL);
    errors_run(__FILE__, programs, sizeof programs / sizeof *programs, print);
    return print ? 0 : check_done();
}
