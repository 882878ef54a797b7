/* model/rotary.c - what a config says of rotary positions: rope_theta with rope_scaling, as most files have it, or
 * rope_parameters, which newer ones have, for all layers or by their kind. */
#include "model.h"

#include <stdio.h>
#include <string.h>

/* The form of tt_rope's .scaling. */
static void scaling(const json_t *o, int kind, model_config *c, model_issues *s)
{
    char *const to = c->scaling[kind];
    const size_t n = sizeof c->scaling[kind];
    const char *const type = model_word(o, model_given(o, "rope_type") ? "rope_type" : "type", "default", s);
    if (!strcmp(type, "default")) return;
    const double factor = model_real(o, "factor", -1, s);
    const double original = model_real(o, "original_max_position_embeddings", (double)c->positions, s);
    if (!strcmp(type, "linear")) tt_snprintf(to, n, "linear(factor=%.17g)", factor);
    else if (!strcmp(type, "llama3"))
        tt_snprintf(to, n, "llama3(factor=%.17g, low=%.17g, high=%.17g, original=%.17g)", factor,
                    model_real(o, "low_freq_factor", -1, s), model_real(o, "high_freq_factor", -1, s), original);
    else if (!strcmp(type, "yarn") && !model_given(o, "mscale") && !model_given(o, "mscale_all_dim") &&
             model_flag(o, "truncate", true, s)) {
        const int used = tt_snprintf(to, n, "yarn(factor=%.17g, original=%.17g, beta_fast=%.17g, beta_slow=%.17g",
                                     factor, original, model_real(o, "beta_fast", 32, s),
                                     model_real(o, "beta_slow", 1, s));
        if (model_given(o, "attention_factor"))
            tt_snprintf(to + used, n - (size_t)used, ", attention_factor=%.17g)",
                        model_real(o, "attention_factor", 1, s));
        else strcat(to, ")");
    } else model_issue(s, "config.json: rotary positions of type \"%.40s\" with these fields are not supported", type);
}

static void rotary(const json_t *o, double theta, int kind, model_config *c, model_issues *s)
{
    c->theta[kind] = model_real(o, "rope_theta", theta, s);
    if (model_real(o, "partial_rotary_factor", 1, s) != 1)
        model_issue(s, "config.json: \"partial_rotary_factor\" is not 1, which is not supported");
    scaling(o, kind, c, s);
}

void model_read_rotary(const json_t *o, model_config *c, model_issues *s)
{
    const bool two = c->family == MODEL_GEMMA3;          /* layers with a window have positions of their own */
    const json_t *const all = model_object(o, "rope_parameters", s), *const old = model_object(o, "rope_scaling", s);
    const json_t *const full = model_object(all, "full_attention", s);
    if (all && old) model_issue(s, "config.json: both \"rope_parameters\" and \"rope_scaling\" are given");
    if (model_real(o, "partial_rotary_factor", 1, s) != 1)
        model_issue(s, "config.json: \"partial_rotary_factor\" is not 1, which is not supported");
    const double usual = two || c->family == MODEL_MIXTRAL ? 1e6 : 1e4, theta = model_real(o, "rope_theta", usual, s);
    rotary(full ? full : all ? all : old, theta, 0, c, s);
    const json_t *const near = model_object(all, "sliding_attention", s);
    if (two) rotary(near, model_real(o, "rope_local_base_freq", 1e4, s), 1, c, s);
    else if (near) rotary(near, theta, 1, c, s);
    else c->theta[1] = c->theta[0], memcpy(c->scaling[1], c->scaling[0], sizeof c->scaling[0]);
}
