/* oracle/text.c - kind `text`: what JAX prints of meshes, specs and layouts. A table of functions; a suite with texts
 * of its own adds rows. */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tt_mesh oracle_mesh(const oracle_case *c, const char *key)
{
    const json_t *order = json_object_get(c->params, "order");
    static int64_t ids[4096];
    for (size_t i = 0; i < json_array_size(order) && i < 4096; i++)
        ids[i] = json_integer_value(json_array_get(order, i));
    const char *text = oracle_text(c->params, key, oracle_text(c->json, key, ""));
    return tt_mesh(oracle_notation(text), .order = json_is_array(order) ? ids : NULL);
}

const char *oracle_spec(const json_t *object, const char *key) { return oracle_notation(oracle_text(object, key, "")); }

const char *oracle_form_of(const oracle_case *c, const char *form)
{
    static char text[64];
    const char *made = oracle_text(c->json, "made", "jax 0.4.34");
    const char *version = strncmp(made, "jax ", 4) ? "0.4.34" : made + 4;
    snprintf(text, sizeof text, "%s %.*s", form, (int)strcspn(version, ","), version);
    return text;
}

/* A mesh for a spec that is printed without one: its axes, two devices each. */
static tt_mesh axes_of(const char *spec)
{
    char text[512] = "";
    for (const char *p = spec; *p;) {
        const size_t n = strcspn(p, ",+ ?");
        const bool axis = n && !(n == 1 && *p == '_');
        if (axis && strlen(text) + n + 8 < sizeof text)
            sprintf(text + strlen(text), "%s%.*s:2", *text ? ", " : "", (int)n, p);
        p += n;
        p += strspn(p, ",+ ?");
    }
    return tt_mesh(*text ? text : "none:1");
}

static void of_mesh(oracle_case *c, const char *form)
{
    oracle_expect_text(c, tt_mesh_text(oracle_mesh(c, "mesh"), oracle_form_of(c, form)));
}

static void of_layout(oracle_case *c, const char *form)
{
    const char *spec = oracle_spec(c->params, "spec");
    const tt_mesh m = oracle_has(c->params, "mesh") ? oracle_mesh(c, "mesh") : axes_of(spec);
    oracle_expect_text(c, tt_layout_text(m, (int)oracle_int(c->params, "rank", -1), spec, oracle_form_of(c, form)));
}

static void of_devices(oracle_case *c, const char *form)
{
    char text[32];
    snprintf(text, sizeof text, "all:%lld", (long long)oracle_int(c->params, "n", 8));
    oracle_expect_text(c, tt_mesh_text(tt_mesh(text), oracle_form_of(c, form)));
}

static tt_mesh one_device(const oracle_case *c)
{
    const int64_t id = oracle_int(c->params, "id", 0);
    return tt_mesh("one:1", .order = &id);
}

static void of_device(oracle_case *c, const char *form)
{
    oracle_expect_text(c, tt_mesh_text(one_device(c), oracle_form_of(c, form)));
}

static void alone(oracle_case *c, const char *form)
{
    oracle_expect_text(c, tt_layout_text(one_device(c), -1, "", oracle_form_of(c, form)));
}

/* "4x2": devices 0 ... 7 as a grid; "2x4-replicated-1": the parts of its dim 1 are one; "flat", "all": a row of eight,
 * and that as one part; "transposed": 2x4 turned over. */
static void positional(oracle_case *c, const char *form)
{
    const char *how = oracle_text(c->params, "how", "flat"), *one = strstr(how, "-replicated-");
    int rows = 2, cols = 4;
    char mesh[64] = "i:8", spec[16] = "i";
    if (!strcmp(how, "all")) strcpy(spec, "_");
    else if (strcmp(how, "flat")) {
        if (strcmp(how, "transposed") && sscanf(how, "%dx%d", &rows, &cols) != 2) {
            oracle_unknown(c, how);
            return;
        }
        const int whole = one ? atoi(one + strlen("-replicated-")) : -1;
        snprintf(mesh, sizeof mesh, "i:%d, j:%d", rows, cols);
        snprintf(spec, sizeof spec, "%s, %s", whole == 0 ? "_" : "i", whole == 1 ? "_" : "j");
        if (!strcmp(how, "transposed")) strcpy(spec, "j, i");
    }
    oracle_expect_text(c, tt_layout_text(tt_mesh(mesh), -1, spec, oracle_form_of(c, form)));
}

static const struct { const char *fn; void (*run)(oracle_case *, const char *form); const char *form; } texts[] = {
    { "mesh_str", of_mesh, "str" },          { "mesh_repr", of_mesh, "repr" },   { "device_mesh", of_mesh, "devices" },
    { "spec_repr", of_layout, "spec" },      { "spec", of_layout, "spec" },      { "shardy", of_layout, "shardy" },
    { "named_sharding_repr", of_layout, "sharding" },                            { "gspmd_iota", of_layout, "gspmd" },
    { "gspmd_list", of_layout, "gspmd list" },                                   { "devices_repr", of_devices, "list" },
    { "device_str", of_device, "name" },     { "single_device_repr", alone, "device" },
    { "positional_repr", positional, "positional" },
    { "annotation", oracle_text_annotation, "names" }, { "partition_spec", oracle_text_annotation, "spec" },
    { "sharding_str", oracle_text_layout, "sharding short" }, { "named_sharding", oracle_text_named, "sharding" },
    { "eager_output", oracle_text_eager, "sharding short" }, { "variable_rules", oracle_text_rules, "spec" },
    { "params_spec", oracle_text_tree, "params spec" }, { "opt_state_spec", oracle_text_tree, "opt spec" },
    { "params_shapes", oracle_text_tree, "params" }, { "opt_state_shapes", oracle_text_tree, "opt" },
    { "difference_shapes", oracle_text_difference, "" }, { "value_shape", oracle_text_leaf, "shape" },
    { "array_sharding", oracle_text_leaf, "sharding" }, { "output_facts", oracle_text_output, "sharding" },
    { "box", oracle_text_box, "box" }, { "logical_box", oracle_text_box, "logical" },
    { "box_axis", oracle_text_box_axis, "names" },
};

void oracle_text_kind(oracle_case *c)
{
    char name[80];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(c->fn, texts[i].fn)) {
            texts[i].run(c, texts[i].form);
            return;
        }
    snprintf(name, sizeof name, "text, %s", c->fn);
    oracle_unknown(c, name);
}
