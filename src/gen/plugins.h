/* gen/plugins.h - where plug-ins are searched for, and which files may be loaded. */
#ifndef TUTTI_GEN_PLUGINS_H
#define TUTTI_GEN_PLUGINS_H

#include <stdbool.h>
#include <stddef.h>

/* The folders, with ':' between them, best first. */
void plugin_places(char *list, size_t capacity);
/* True if only root, this user and the owner of this code can have written the file or replaced it. real: the file's
 * path without links, to be loaded. If false, *why says what is wrong. */
bool plugin_trusted(const char *path, char real[4096], const char **why);

#endif
