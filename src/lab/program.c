/* The device is the chosen preset's; what presets do not say is the same on every chip. */
#include "lab/program.h"
#include "base/stop.h"
#include "base/where.h"
#include "share/colours.h"
#include <stdio.h>
#include <string.h>

/* CUDA C++ Programming Guide, technical specifications per compute capability: 1024 threads and 48
 * KB of shared memory per block without opting in, 64 KB of constant memory, on all of them. */
#define BLOCK_THREADS 1024
#define BLOCK_SHARED  49152
#define CONST_BYTES   65536
#define SHARED_KEPT   1024 /* per block, from 8.0 on */

void program_device(const gpu_spec_t *s, const char *name, wire_device_t *d) {
  uint32_t cc = s->core.capability;
  uint64_t shared = s->sm.shared_bytes, kept = cc >= 80 ? SHARED_KEPT : 0;
  uint32_t threads = s->sm.threads < BLOCK_THREADS ? s->sm.threads : BLOCK_THREADS;
  *d = (wire_device_t){.global_bytes = s->memory.memory_bytes,
                       .l2_bytes = s->l2.bytes,
                       .const_bytes = CONST_BYTES,
                       .shared_per_block = shared < BLOCK_SHARED ? shared : BLOCK_SHARED,
                       .shared_per_sm = shared,
                       .reserved_shared_per_block = kept,
                       .sms = s->core.sms,
                       .warp_lanes = WARP_LANES,
                       .major = cc / 10,
                       .minor = cc % 10,
                       .threads_per_block = threads,
                       .threads_per_sm = s->sm.threads,
                       .blocks_per_sm = s->sm.ctas,
                       .regs_per_block = s->sm.registers,
                       .regs_per_sm = s->sm.registers,
                       .core_khz = s->core.clock_mhz * 1000,
                       .memory_khz = s->dram.clock_mhz * 1000,
                       .memory_bus_bits = s->dram.channels * s->dram.bus_bytes * 8,
                       .names = s->observe.origins};
  bool opt_in = cc >= 70 && shared > BLOCK_SHARED + kept;
  d->shared_per_block_optin = opt_in ? shared - kept : d->shared_per_block;
  snprintf(d->name, sizeof d->name, "gmmu %s", name);
}

int program_colours(const gpu_spec_t *gpu, uint32_t app, uint32_t apps, host_spec_t *out,
                    err_t *e) {
  mm_colours_t c;
  int rc = colours_deal(gpu, apps, &c, e);
  if (rc < 0 || !c.functions) return rc;
  out->device.colours = 1u << c.functions, out->device.own_colours = c.of_space[app];
  return GMMU_OK;
}

static bool stop(void *ctx) {
  (void)ctx;
  return stop_asked();
}

int program_prepare(char **argv, const gpu_spec_t *gpu, const char *gpu_name, char *library,
                    size_t size, host_spec_t *out, err_t *e) {
  int rc = host_check_program(argv[0], e);
  if (rc == 0) rc = where_is(WHERE_CUDART, library, size, e);
  if (rc < 0) return rc;
  *out = (host_spec_t){.argv = argv, .library_dir = library, .out_fd = -1, .stop = stop};
  program_device(gpu, gpu_name, &out->device);
  return GMMU_OK;
}
