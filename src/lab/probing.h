#ifndef GMMU_PROBING_H
#define GMMU_PROBING_H
/* A probe in place of an application: "probe:sharing" asks what the TLBs of a machine are, by
 * timing alone, "probe:hash" and "probe:isolation,others=73" what its L2 and DRAM are. It has the
 * machine for itself. */
#include "base/json.h"
#include "gpu/spec.h"

bool probing_knows(const char *text);
/* The words behind `gmmu probe` that ask the same. */
void probing_words(const char *text, strbuf_t *out);
/* One JSON object, as `gmmu probe --json` has it. */
int probing_run(const char *text, const gpu_spec_t *spec, json_t *j, err_t *e);
#endif
