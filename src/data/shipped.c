/* data/shipped.c - files that come with Tutti: under the prefix of the loaded library, in the build tree, or under the
 * configured prefix. */
#include "data.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool data_shipped(const char *file, char path[DATA_PATH])
{
    static const char here[] = "";                       /* in the library, whatever its name */
    char installed[DATA_PATH] = "";
    const char *const roots[] = { installed, TUTTI_TREE, TUTTI_SHARE };
    Dl_info me;
    if (dladdr((const void *)here, &me) && me.dli_fname) {
        const char *slash = strrchr(me.dli_fname, '/');
        if (slash) snprintf(installed, sizeof installed, "%.*s/../share/tutti", (int)(slash - me.dli_fname),
                            me.dli_fname);
    }
    for (int r = 0; r < 3; r++)
        if (*roots[r] && snprintf(path, DATA_PATH, "%s/data/%s", roots[r], file) < DATA_PATH && data_exists(path))
            return true;
    return false;
}
