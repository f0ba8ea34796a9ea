#ifndef GMMU_LAB_PLUGIN_H
#define GMMU_LAB_PLUGIN_H
/* Plug-ins (gmmu/plugin.h): rows of others in the tables of policies and of mechanisms. They belong
 * to the process: loaded before the first machine is made, and never unloaded. */
#include "gmmu/err.h"
#include "gpu/spec.h"

#define PLUGIN_MOST 16

/* Opens the file and enters its rows; all of them, or none. A file that is loaded already is left
 * as it is. */
int plugin_load(const char *path, err_t *e);
uint32_t plugin_count(void);
const char *plugin_path(uint32_t i); /* absolute */
uint64_t plugin_hash(uint32_t i);    /* of the file's bytes */
/* Whether a setting of the machine names one of its rows, or turns a mechanism of it on. */
bool plugin_used(uint32_t i, const gpu_spec_t *spec);
#endif
