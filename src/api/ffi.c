/* api/ffi.c - functions of C by name: registered by pointer or from a shared object, called by tt_ffi_call, or by
 * programs that are imported. */
#include "api.h"
#include "../op/ops.h"

#include <dlfcn.h>
#include <string.h>

ENTRY3(bool, false, tt_register_ffi_target, const char *, name, tt_callback_f *, f, void *, env)
{
    if (!name || !*name)
        return base_fail(TT_EARG, site, "tt_register_ffi_target: the name is %s", name ? "\"\"" : "NULL");
    if (!f) return base_fail(TT_EARG, site, "tt_register_ffi_target: the function of \"%s\" is NULL", name);
    const op_host_attr a = api_callback_attr(false, f, env, base_intern(name));
    return op_host_register(site, &a);
}

ENTRY3(bool, false, tt_register_ffi_library, const char *, name, const char *, path, const char *, symbol)
{
    tt_callback_f *f = NULL;
    if (!name || !*name || !path || !symbol)
        return base_fail(TT_EARG, site, "tt_register_ffi_library: %s is missing",
                         !name || !*name ? "the name" : !path ? "the path" : "the symbol");
    void *const lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) return base_fail(TT_EIO, site, "tt_register_ffi_library: %s", dlerror());
    void *const at = dlsym(lib, symbol);
    if (!at) {
        base_fail(TT_EIO, site, "tt_register_ffi_library: %s", dlerror());
        return dlclose(lib), base_hint("nm -D %s lists what the file defines", path);
    }
    memcpy(&f, &at, sizeof f);                           /* the file stays open, as the function may be called */
    const op_host_attr a = api_callback_attr(false, f, NULL, base_intern(name));
    return op_host_register(site, &a);
}

VAL4(tt_ffi_call, const char *, name, tt_val, result, tt_val, x, const tt_ffi_opts *, o)
{
    op_host_attr a;
    if (!API_OPTIONS(site, "tt_ffi_call", tt_ffi_opts, o)) return trace_poison;
    if (!name || !op_host_target(base_intern(name), &a)) {
        base_fail(TT_EARG, site, "tt_ffi_call: no target \"%s\" is registered", name ? name : "");
        return base_hint("tt_register_ffi_target(\"%s\", f, env) first", name ? name : "NAME"), trace_poison;
    }
    a = api_callback_attr(o->has_side_effect, (tt_callback_f *)a.user, a.env, a.name);
    if (!api_vmap_method(site, "tt_ffi_call", o->vmap_method, &a.vmap_method)) return trace_poison;
    if (o->elementwise && (o->has_side_effect || o->vmap_method)) {
        base_fail(TT_EARG, site, "tt_ffi_call: .elementwise together with %s",
                  o->has_side_effect ? ".has_side_effect: the parts of an array are computed in no fixed order"
                                     : ".vmap_method: a function on elements needs no method");
        return trace_poison;
    }
    const op_prim *const op = o->elementwise ? &prim_elementwise_callback
                              : o->has_side_effect ? &prim_io_callback : &prim_pure_callback;
    return api_callback_results(site, "tt_ffi_call", op, a, result, x);
}
