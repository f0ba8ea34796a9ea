#ifndef GMMU_PROGRAM_H
#define GMMU_PROGRAM_H
/* A CUDA program as what it sees of the machine it runs on. */
#include "gpu/spec.h"
#include "host/host.h"

/* What the program is told of the GPU, and where its libraries are. `library` is room for a path
 * and outlives the program. Refuses what cannot be run. Nobody hears
 * of the program's errors yet (`note`, `warn`). */
int program_prepare(char **argv, const gpu_spec_t *gpu, const char *gpu_name, char *library,
                    size_t size, host_spec_t *out, err_t *e);
/* The device as a program on that GPU sees it. */
void program_device(const gpu_spec_t *gpu, const char *name, wire_device_t *out);
/* Tells it, too, which page colours it may choose from as application `app` of `apps`. */
int program_colours(const gpu_spec_t *gpu, uint32_t app, uint32_t apps, host_spec_t *out, err_t *e);
#endif
