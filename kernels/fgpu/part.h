#ifndef KERNELS_FGPU_PART_H
#define KERNELS_FGPU_PART_H
/* What an application of Fractional GPUs has beside app.h when persist.awk has made it one of
 * persistent blocks: its part of the GPU, which its first arguments name.
 *   fgpu-APP --part I N [what APP takes] */
#include "../common/app.h"
#include <gmmu_fgpu.h>

static fgpu part;

static inline app part_begin(const char *name, int argc, char **argv) {
  if (argc < 4 || strcmp(argv[1], "--part") != 0)
    app_usage(name, "its first arguments are --part I N");
  CHECK(fgpu_open(&part, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])));
  argv[3] = argv[0];
  return app_begin(name, argc - 3, argv + 3);
}
#endif
