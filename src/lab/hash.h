#ifndef GMMU_LAB_HASH_H
#define GMMU_LAB_HASH_H
/* What a result depends on, as numbers. */
#include "gmmu/err.h"
#include <stdint.h>

/* Of a file's bytes and of a version, "" for none. */
int hash_file(const char *path, const char *version, uint64_t *out, err_t *e);

/* Numbers of src/lab/versions.def, which change when results do. The model's decides what a run
 * measures; option values are told apart by what they are, and recordings by their names, which
 * hold the program's bytes and the recorder's version. */
extern const char lab_model_version[];
extern const char lab_recorder_version[]; /* decides what a recording of a program holds */
extern const char lab_live_version[];     /* of what runs live on a simulated GPU */
#endif
