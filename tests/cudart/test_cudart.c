/* The runtime library over a double of gmmu. The library keeps one connection per process, so each
 * situation is a process of its own: test_cudart SITUATION. */
#include "api.h"
#include "double.h"
#include "ptx/ptx.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
/* after stdarg, setjmp */
#include <cmocka.h>

#define OK(call) assert_int_equal(call, cudaSuccess)

static double_log_t *asked;

/* What a compiler puts into a program: a fat binary, a stub, shadows of variables. */
static struct {
  uint32_t magic;
  uint16_t version, header;
  uint64_t bytes;
  char text[16];
} fatbin = {0xBA55ED50u, 1, 16, 16, "not looked into"};
static struct {
  uint32_t magic, version;
  const void *fatbin;
  const void *more;
} wrapper = {0x466243B1u, 1, &fatbin, NULL};
static const char stub, no_stub, shadow, no_shadow;
static void *managed;
static cuda_texref_t texref;
static void **module;

static void register_program(void) {
  module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &stub, NULL, "_kernel", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(module, &no_stub, NULL, "no_kernel", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(module, (char *)&shadow, NULL, "_var", 0, 64, 0, 0);
  __cudaRegisterVar(module, (char *)&no_shadow, NULL, "no_var", 0, 64, 0, 0);
  __cudaRegisterManagedVar(module, &managed, NULL, "_managed", 0, 64, 0, 0);
  __cudaRegisterTexture(module, &texref, NULL, "_tex", 1, 0, 0);
  __cudaRegisterFatBinaryEnd(module);
}

static const dim3_t one = {1, 1, 1};

/* --- launches --- */

static void nothing_is_sent_before_it_is_needed(void **s) {
  (void)s;
  assert_int_equal(asked->count[WIRE_HELLO], 0);
  OK(cudaSetDevice(0));
  assert_int_equal(asked->count[WIRE_HELLO], 1);
  assert_int_equal(asked->last[WIRE_HELLO].a[1], 13);
  assert_int_equal(asked->count[WIRE_LOAD], 0);
}

static void a_launch_packs_parameters_where_the_kernel_wants_them(void **s) {
  int a = 0x11223344;
  double b = 2.5;
  void *args[] = {&a, &b};
  (void)s;
  OK(cudaLaunchKernel(&stub, (dim3_t){3, 4, 5}, (dim3_t){32, 2, 1}, args, 100, NULL));
  assert_int_equal(asked->launch.kernel, 7);
  assert_memory_equal(asked->launch.grid, ((uint32_t[]){3, 4, 5}), 12);
  assert_memory_equal(asked->launch.block, ((uint32_t[]){32, 2, 1}), 12);
  assert_int_equal(asked->launch.dynamic_shared_bytes, 100);
  assert_memory_equal(asked->params, &a, 4);
  assert_memory_equal(asked->params + 4, "\0\0\0\0", 4);
  assert_memory_equal(asked->params + 8, &b, 8);
  assert_string_equal(asked->name, "_kernel");
}

static void the_new_sequence_launches(void **s) {
  dim3_t grid, block;
  size_t shared;
  cuda_stream_t stream;
  void *kernel, *args[] = {&(int){1}, &(double){1}};
  (void)s;
  OK(__cudaPushCallConfiguration((dim3_t){9, 1, 1}, one, 5, NULL));
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  OK(__cudaGetKernel(&kernel, &stub));
  OK(__cudaLaunchKernel(kernel, grid, block, args, shared, stream));
  assert_int_equal(asked->launch.grid[0], 9);
  assert_int_equal(asked->launch.dynamic_shared_bytes, 5);
  assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
                   cudaErrorMissingConfiguration);
  cudaGetLastError();
}

static void the_old_sequence_launches(void **s) {
  double b = 7;
  (void)s;
  OK(cudaConfigureCall((dim3_t){2, 1, 1}, one, 0, NULL));
  OK(cudaSetupArgument(&(int){5}, 4, 0));
  OK(cudaSetupArgument(&b, 8, 8));
  OK(cudaLaunch(&stub));
  assert_int_equal(asked->launch.grid[0], 2);
  assert_memory_equal(asked->params + 8, &b, 8);
}

static void a_launch_with_attributes(void **s) {
  cuda_launch_attribute_t cluster = {.id = LAUNCH_CLUSTER, .value.dim = {2, 1, 1}};
  cuda_launch_config_t c = {{6, 1, 1}, one, 0, NULL, NULL, 0};
  void *args[] = {&(int){1}, &(double){1}};
  (void)s;
  OK(cudaLaunchKernelExC(&c, &stub, args));
  assert_int_equal(asked->launch.grid[0], 6);
  c.attribute = &cluster, c.attributes = 1;
  assert_int_equal(cudaLaunchKernelExC(&c, &stub, args), cudaErrorNotSupported);
  cudaGetLastError();
}

static void wrong_launches_are_refused(void **s) {
  void *args[] = {&(int){1}, &(double){1}};
  unsigned before = asked->count[WIRE_LAUNCH];
  (void)s;
  assert_int_equal(cudaLaunchKernel(&stub, (dim3_t){0, 1, 1}, one, args, 0, NULL), 9);
  assert_int_equal(cudaLaunchKernel(&stub, one, (dim3_t){1025, 1, 1}, args, 0, NULL), 9);
  assert_int_equal(cudaLaunchKernel(&stub, one, (dim3_t){513, 1, 1}, args, 0, NULL), 701);
  assert_int_equal(cudaLaunchKernel(&stub, one, one, args, 49152, NULL), 1);
  assert_int_equal(cudaLaunchKernel(&no_stub, one, one, args, 0, NULL), 98);
  assert_int_equal(cudaLaunchKernel("none", one, one, args, 0, NULL), 98);
  assert_int_equal(cudaLaunchKernel(&stub, one, one, args, 0, (cuda_stream_t)args), 400);
  assert_int_equal(cudaLaunchCooperativeKernel(&stub, (dim3_t){1000, 1, 1}, one, args, 0, NULL),
                   720);
  assert_int_equal(asked->count[WIRE_LAUNCH], before);
  assert_int_equal(cudaPeekAtLastError(), 720);
  assert_int_equal(cudaGetLastError(), 720);
  OK(cudaGetLastError());
}

static void more_shared_memory_has_to_be_asked_for(void **s) {
  void *args[] = {&(int){1}, &(double){1}};
  (void)s;
  assert_int_equal(cudaFuncSetAttribute(&stub, 8, 98304), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(&stub, 8, 65536));
  OK(cudaLaunchKernel(&stub, one, one, args, 65536, NULL));
  cudaGetLastError();
}

static void a_kernel_has_attributes_and_occupancy(void **s) {
  cuda_function_t f;
  int blocks;
  (void)s;
  OK(cudaFuncGetAttributes(&f, &stub));
  assert_int_equal(f.regs, 32);
  assert_int_equal(f.shared_bytes, 1024);
  assert_int_equal(f.max_threads, 512);
  assert_int_equal(f.binary_version, 70);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub, 256, 0));
  assert_int_equal(blocks, 8); /* 2048 threads, and 65536 registers, 32 each */
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub, 32, 48000));
  assert_int_equal(blocks, 2); /* 96 KB of shared memory */
}

/* --- memory --- */

static void memory_goes_there_and_back(void **s) {
  char to[100], from[100];
  void *d;
  (void)s;
  for (int i = 0; i < 100; i++) from[i] = (char)i;
  OK(cudaMalloc(&d, 100));
  OK(cudaMemcpy(d, from, 100, COPY_TO_DEVICE));
  assert_int_equal(asked->last[WIRE_COPY].a[3], WIRE_TO_DEVICE);
  OK(cudaMemset((char *)d + 10, 0xff, 5));
  OK(cudaMemcpy(to, d, 100, COPY_DEFAULT));
  assert_int_equal(asked->last[WIRE_COPY].a[3], WIRE_FROM_DEVICE);
  memset(from + 10, 0xff, 5);
  assert_memory_equal(to, from, 100);
  assert_int_equal(cudaMemcpy(d, from, 101, COPY_TO_DEVICE), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(to, from, 10, COPY_TO_DEVICE), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(d, from, 10, 9), cudaErrorInvalidMemcpyDirection);
  OK(cudaFree(d));
  OK(cudaFree(NULL));
  assert_int_equal(cudaFree(d), cudaErrorInvalidValue);
  assert_int_equal(cudaMalloc(&d, (size_t)1 << 40), cudaErrorMemoryAllocation);
  cudaGetLastError();
}

static void rows_apart_are_copied_row_by_row(void **s) {
  char from[4][8], to[4][5];
  void *d;
  size_t pitch;
  (void)s;
  for (int i = 0; i < 32; i++) from[i / 8][i % 8] = (char)i;
  OK(cudaMallocPitch(&d, &pitch, 5, 4));
  assert_int_equal(pitch, 512);
  unsigned before = asked->count[WIRE_COPY];
  OK(cudaMemcpy2D(d, pitch, from, 8, 5, 4, COPY_TO_DEVICE));
  assert_int_equal(asked->count[WIRE_COPY], before + 4);
  OK(cudaMemset2D(d, pitch, 7, 2, 2));
  OK(cudaMemcpy2D(to, 5, d, pitch, 5, 4, COPY_FROM_DEVICE));
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 5; x++) assert_int_equal(to[y][x], x < 2 && y < 2 ? 7 : y * 8 + x);
  assert_int_equal(cudaMemcpy2D(d, 4, from, 8, 5, 4, COPY_TO_DEVICE), cudaErrorInvalidPitchValue);
  OK(cudaFree(d));
  cudaGetLastError();
}

static void arrays_are_copied_in_lines_and_boxes(void **s) {
  cuda_channel_t f32 = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
  cuda_array_t a;
  float in[12], out[12];
  (void)s;
  for (int i = 0; i < 12; i++) in[i] = (float)i;
  OK(cudaMallocArray(&a, &f32, 4, 3, 0));
  OK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, COPY_TO_DEVICE));
  OK(cudaMemcpyFromArray(out, a, 8, 0, 24, COPY_FROM_DEVICE)); /* from the middle of a row on */
  assert_memory_equal(out, in + 2, 24);
  OK(cudaMemcpy2DFromArray(out, 8, a, 4, 1, 8, 2, COPY_FROM_DEVICE));
  assert_true(out[0] == 5 && out[1] == 6 && out[2] == 9 && out[3] == 10);
  OK(cudaMemcpy2DToArray(a, 0, 2, in, 16, 16, 1, COPY_TO_DEVICE));
  cuda_copy3d_t c = {
      .from_array = a, .to = {out, 16, 4, 1}, .extent = {4, 3, 1}, .kind = COPY_FROM_DEVICE};
  OK(cudaMemcpy3D(&c));
  assert_memory_equal(out + 4, in + 4, 16);
  assert_memory_equal(out + 8, in, 16);
  assert_int_equal(cudaMemcpyToArray(a, 0, 0, in, 52, COPY_TO_DEVICE), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpyToArray(a, 20, 0, in, 4, COPY_TO_DEVICE), cudaErrorInvalidValue);
  OK(cudaFreeArray(a));
  assert_int_equal(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

static void pinned_and_managed_memory_is_the_hosts_too(void **s) {
  cuda_pointer_t at;
  int *h, *m;
  void *d;
  (void)s;
  OK(cudaMallocHost((void **)&h, 4096));
  OK(cudaMallocManaged((void **)&m, 4096, 1));
  h[5] = 6, m[5] = 7;
  OK(cudaHostGetDevicePointer(&d, h, 0));
  assert_ptr_equal(d, h);
  OK(cudaPointerGetAttributes(&at, h + 1));
  assert_int_equal(at.type, POINTER_HOST);
  OK(cudaPointerGetAttributes(&at, m));
  assert_int_equal(at.type, POINTER_MANAGED);
  OK(cudaPointerGetAttributes(&at, &at));
  assert_int_equal(at.type, POINTER_UNREGISTERED);
  OK(cudaMemPrefetchAsync(m, 4096, (cuda_location_t){1, 0}, 0, NULL));
  assert_int_equal(cudaMemPrefetchAsync(m, 4097, (cuda_location_t){1, 0}, 0, NULL), 1);
  assert_int_equal(cudaMemPrefetchAsync(h, 4096, (cuda_location_t){1, 0}, 0, NULL), 1);
  OK(cudaFreeHost(h));
  OK(cudaFree(m));
  cudaGetLastError();
}

static void registered_memory_keeps_its_address_and_contents(void **s) {
  char *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char out[4];
  (void)s;
  memcpy(p + 5000, "abc", 4);
  OK(cudaHostRegister(p + 4100, 5000, 0));
  assert_int_equal(asked->last[WIRE_REGISTER].a[0], (uintptr_t)p + 4096);
  assert_int_equal(asked->last[WIRE_REGISTER].a[1], 2 * 4096);
  assert_string_equal(p + 5000, "abc");
  OK(cudaMemcpy(out, p + 5000, 4, COPY_FROM_DEVICE));
  assert_string_equal(out, "abc");
  assert_int_equal(cudaHostRegister(p + 5000, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
  memcpy(p + 5000, "xyz", 4);
  OK(cudaHostUnregister(p + 4100));
  assert_string_equal(p + 5000, "xyz");
  assert_int_equal(cudaHostUnregister(p + 4100), cudaErrorHostMemoryNotRegistered);
  munmap(p, 4 * 4096);
  cudaGetLastError();
}

static void variables_are_found_by_their_shadows(void **s) {
  int in = 42, out = 0;
  size_t bytes;
  void *va;
  (void)s;
  OK(cudaMemcpyToSymbol(&shadow, &in, 4, 60, COPY_TO_DEVICE));
  OK(cudaMemcpyFromSymbol(&out, &shadow, 4, 60, COPY_FROM_DEVICE));
  assert_int_equal(out, 42);
  OK(cudaGetSymbolAddress(&va, &shadow));
  OK(cudaGetSymbolSize(&bytes, &shadow));
  assert_int_equal(bytes, 64);
  assert_int_equal(((int *)va)[15], 42);
  assert_int_equal(cudaMemcpyToSymbol(&shadow, &in, 4, 61, COPY_TO_DEVICE), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpyToSymbol(&no_shadow, &in, 4, 0, COPY_TO_DEVICE),
                   cudaErrorInvalidSymbol);
  assert_int_equal(cudaMemcpyToSymbol(&in, &in, 4, 0, COPY_TO_DEVICE), cudaErrorInvalidSymbol);
  assert_int_equal(__cudaInitModule(module), 1);
  assert_ptr_equal(managed, va); /* the double has one variable */
  cudaGetLastError();
}

/* --- streams, events, textures --- */

static void count_call(cuda_stream_t stream, int status, void *data) {
  (void)stream;
  *(int *)data += status == 0;
}

static void streams_run_in_order(void **s) {
  cuda_stream_t a, b;
  int calls = 0;
  void *args[] = {&(int){1}, &(double){1}};
  (void)s;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaLaunchKernel(&stub, one, one, args, 0, b));
  assert_int_equal(asked->launch.stream, 2);
  OK(cudaStreamAddCallback(a, count_call, &calls, 0));
  assert_int_equal(calls, 1);
  OK(cudaStreamSynchronize(a));
  OK(cudaStreamDestroy(a));
  assert_int_equal(cudaStreamSynchronize(a), cudaErrorInvalidResourceHandle);
  OK(cudaStreamDestroy(b));
  cudaGetLastError();
}

/* The launch asked for last waits for this one and no other; UINT64_MAX: for none. */
static void waits_for(uint64_t number) {
  assert_int_equal(asked->launch.overlaps, 1);
  assert_int_equal(asked->launch.afters, number != UINT64_MAX);
  if (asked->launch.afters) assert_int_equal(asked->launch.after[0], number);
}

static void launches_say_what_they_wait_for(void **s) {
  cuda_stream_t a, b, c;
  cuda_event_t e;
  void *args[] = {&(int){1}, &(double){1}};
  (void)s;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaEventCreate(&e));
#define LAUNCH(stream) OK(cudaLaunchKernel(&stub, one, one, args, 0, stream))
  LAUNCH(NULL); /* alone: streams wait for it, so nothing before it matters any more */
  assert_int_equal(asked->launch.overlaps, 0);
  LAUNCH(a);
  waits_for(UINT64_MAX);
  uint64_t first = asked->number;
  LAUNCH(b);
  waits_for(UINT64_MAX);
  LAUNCH(a);
  waits_for(first);
  OK(cudaEventRecord(e, b));
  OK(cudaStreamWaitEvent(a, e, 0));
  LAUNCH(a); /* behind its own and behind b's */
  assert_int_equal(asked->launch.afters, 2);
  assert_int_equal(asked->launch.after[0], first + 2);
  assert_int_equal(asked->launch.after[1], first + 1);
  LAUNCH(NULL);
  assert_int_equal(asked->launch.overlaps, 0);
  OK(cudaStreamCreateWithFlags(&c, 1)); /* does not wait for the default stream */
  LAUNCH(c);
  waits_for(UINT64_MAX);
  first = asked->number;
  LAUNCH(NULL); /* now it may run beside c's */
  assert_int_equal(asked->launch.overlaps, 1);
  LAUNCH(b);
  waits_for(first + 1);
  OK(cudaStreamSynchronize(c));
  OK(cudaDeviceSynchronize()); /* the host has seen all of it end */
  LAUNCH(c);
  assert_int_equal(asked->launch.afters, 3);
#undef LAUNCH
  OK(cudaEventDestroy(e));
  OK(cudaStreamDestroy(a)), OK(cudaStreamDestroy(b)), OK(cudaStreamDestroy(c));
}

static void events_tell_simulated_time(void **s) {
  cuda_event_t a, b;
  float ms = -1;
  void *args[] = {&(int){1}, &(double){1}};
  (void)s;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventRecord(a, NULL));
  assert_int_equal(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
  OK(cudaLaunchKernel(&stub, one, one, args, 0, NULL));
  OK(cudaEventRecord(b, NULL));
  OK(cudaEventElapsedTime(&ms, a, b));
  assert_true(ms == 1.5f);
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  cudaGetLastError();
}

static void texture_objects_say_what_they_are(void **s) {
  cuda_channel_t u8x4 = cudaCreateChannelDesc(8, 8, 8, 8, CHANNEL_UNSIGNED);
  cuda_texture_t how = {.address = {0, 1, 1}, .read_mode = 1, .normalized = 1};
  cuda_resource_t r = {.type = RESOURCE_PITCH2D};
  unsigned long long handle;
  ptx_texture_t t;
  (void)s;
  r.of.pitch2d.base = (void *)WIRE_MEMORY_BASE, r.of.pitch2d.channel = u8x4;
  r.of.pitch2d.width = 10, r.of.pitch2d.height = 20, r.of.pitch2d.pitch = 512;
  OK(cudaCreateTextureObject(&handle, &r, &how, NULL));
  memcpy(&t, asked->texture, sizeof t);
  assert_int_equal(t.va, WIRE_MEMORY_BASE);
  assert_true(t.width == 10 && t.height == 20 && t.pitch_bytes == 512 && t.channels == 4);
  assert_true(t.channel_bits == 8 && t.kind == PTX_TEX_UNSIGNED && t.normalized &&
              t.read_normalized);
  assert_true(t.address[0] == PTX_TEX_WRAP && t.address[1] == PTX_TEX_CLAMP);
  OK(cudaDestroyTextureObject(handle));
  how.filter = FILTER_LINEAR;
  OK(cudaCreateTextureObject(&handle, &r, &how, NULL));
  memcpy(&t, asked->texture, sizeof t);
  assert_true(t.linear && !t.surface);
  how.read_mode = 0; /* integers have no mean */
  assert_int_equal(cudaCreateTextureObject(&handle, &r, &how, NULL), cudaErrorInvalidFilterSetting);
  r.of.pitch2d.channel.x = 9;
  assert_int_equal(cudaCreateTextureObject(&handle, &r, &how, NULL),
                   cudaErrorInvalidChannelDescriptor);
  cudaGetLastError();
}

static void texture_references_are_bound_by_name(void **s) {
  cuda_channel_t f32 = cudaCreateChannelDesc(32, 0, 0, 0, CHANNEL_FLOAT);
  size_t offset = 1;
  ptx_texture_t t;
  (void)s;
  OK(cudaBindTexture(&offset, &texref, (void *)WIRE_MEMORY_BASE, &f32, 400));
  assert_int_equal(offset, 0);
  assert_string_equal(asked->name, "_tex");
  memcpy(&t, asked->texture, sizeof t);
  assert_true(t.width == 100 && t.kind == PTX_TEX_FLOAT && t.address[0] == PTX_TEX_CLAMP);
}

/* --- device and errors --- */

static void the_device_is_the_presets(void **s) {
  cuda_prop13_t p;
  cuda_prop12_t q;
  int count, value;
  size_t free_bytes, total;
  (void)s;
  OK(cudaGetDeviceCount(&count));
  assert_int_equal(count, 1);
  OK(cudaGetDeviceProperties(&p, 0));
  assert_string_equal(p.name, "double");
  assert_true(p.multiProcessorCount == 4 && p.major == 7 && p.warpSize == 32);
  OK(cudaGetDeviceProperties_v2(&q, 0));
  assert_true(q.clockRate == 1000000 && q.memoryBusWidth == 3072);
  OK(cudaDeviceGetAttribute(&value, 16, 0));
  assert_int_equal(value, 4);
  OK(cudaDeviceGetAttribute(&value, 97, 0));
  assert_int_equal(value, 98304);
  assert_int_equal(cudaDeviceGetAttribute(&value, 44, 0), cudaErrorInvalidValue);
  assert_int_equal(cudaSetDevice(1), cudaErrorInvalidDevice);
  OK(cudaMemGetInfo(&free_bytes, &total));
  assert_true(free_bytes == 1000 && total == 2000);
  cudaGetLastError();
}

static void page_colours_are_the_drivers(void **s) {
  unsigned count = 0;
  unsigned long long own = 0;
  (void)s;
  OK(cudaGmmuColours(&count, &own));
  assert_true(count == 4 && own == 0x6);
  assert_int_equal(cudaGmmuColours(NULL, &own), cudaErrorInvalidValue);
  OK(cudaGmmuSetColours(4));
  assert_int_equal(cudaGmmuSetColours(1), cudaErrorInvalidValue);
  cudaGetLastError();
}

static void errors_have_names(void **s) {
  (void)s;
  assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
  assert_string_equal(cudaGetErrorString(0), "no error");
  assert_string_equal(cudaGetErrorName(12345), "unrecognized error code");
}

static void what_is_missing_says_so(void **s) {
  (void)s;
  assert_int_equal(cudaFreeMipmappedArray(NULL), cudaErrorNotSupported);
  assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
}

static void a_kernels_error_stays_until_the_reset(void **s) {
  void *args[] = {&(int){1}, &(double){1}}, *d;
  (void)s;
  asked->fail_launch = cudaErrorIllegalAddress;
  assert_int_equal(cudaLaunchKernel(&stub, one, one, args, 0, NULL), 700);
  assert_int_equal(cudaDeviceSynchronize(), 700);
  assert_int_equal(cudaGetLastError(), 700);
  assert_int_equal(cudaGetLastError(), 700);
  assert_int_equal(cudaMalloc(&d, 10), 700);
  OK(cudaDeviceReset());
  OK(cudaGetLastError());
  OK(cudaMalloc(&d, 10));
  OK(cudaMemcpyToSymbol(&shadow, args, 4, 0, COPY_TO_DEVICE));
  OK(cudaLaunchKernel(&stub, one, one, args, 0, NULL));
}

static void a_forked_child_has_no_device(void **s) {
  unsigned before = asked->count[WIRE_ALLOC];
  int status;
  (void)s;
  pid_t child = fork();
  if (child == 0) {
    void *d;
    _exit(cudaMalloc(&d, 10) == cudaErrorNotSupported ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(asked->count[WIRE_ALLOC], before);
  OK(cudaDeviceSynchronize());
}

static void unloading_tells_gmmu(void **s) {
  (void)s;
  __cudaUnregisterFatBinary(module);
  assert_int_equal(asked->count[WIRE_UNLOAD], 1);
  assert_int_equal(cudaLaunchKernel(&stub, one, one, NULL, 0, NULL), 98);
}

/* --- other situations --- */

static void without_gmmu_there_is_no_device(void **s) {
  int count = 5;
  void *d;
  (void)s;
  assert_int_equal(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  assert_int_equal(count, 0);
  assert_int_equal(cudaMalloc(&d, 4), cudaErrorNoDevice);
  assert_int_equal(cudaLaunchKernel(&stub, one, one, NULL, 0, NULL), cudaErrorNoDevice);
  assert_int_equal(cudaGetLastError(), cudaErrorNoDevice);
}

static void a_bad_gmmu_is_the_end_of_the_device(void **s) {
  void *d;
  (void)s;
  assert_int_equal(cudaMalloc(&d, 4), cudaErrorDevicesUnavailable);
  assert_int_equal(cudaMalloc(&d, 4), cudaErrorDevicesUnavailable);
  assert_int_equal(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
}

static void descriptors_that_are_something_else_are_left_alone(void **s) {
  int pipe_fd[2];
  char env[32], byte;
  void *d;
  (void)s;
  assert_int_equal(pipe(pipe_fd), 0);
  snprintf(env, sizeof env, "%d,%d", pipe_fd[1], pipe_fd[0]);
  setenv(WIRE_ENV, env, 1);
  assert_int_equal(cudaMalloc(&d, 4), cudaErrorNoDevice);
  close(pipe_fd[1]);
  assert_int_equal(read(pipe_fd[0], &byte, 1), 0);
}

static int honest(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_sent_before_it_is_needed),
      cmocka_unit_test(a_launch_packs_parameters_where_the_kernel_wants_them),
      cmocka_unit_test(the_new_sequence_launches),
      cmocka_unit_test(the_old_sequence_launches),
      cmocka_unit_test(a_launch_with_attributes),
      cmocka_unit_test(wrong_launches_are_refused),
      cmocka_unit_test(more_shared_memory_has_to_be_asked_for),
      cmocka_unit_test(a_kernel_has_attributes_and_occupancy),
      cmocka_unit_test(memory_goes_there_and_back),
      cmocka_unit_test(rows_apart_are_copied_row_by_row),
      cmocka_unit_test(arrays_are_copied_in_lines_and_boxes),
      cmocka_unit_test(pinned_and_managed_memory_is_the_hosts_too),
      cmocka_unit_test(registered_memory_keeps_its_address_and_contents),
      cmocka_unit_test(variables_are_found_by_their_shadows),
      cmocka_unit_test(streams_run_in_order),
      cmocka_unit_test(launches_say_what_they_wait_for),
      cmocka_unit_test(events_tell_simulated_time),
      cmocka_unit_test(texture_objects_say_what_they_are),
      cmocka_unit_test(texture_references_are_bound_by_name),
      cmocka_unit_test(the_device_is_the_presets),
      cmocka_unit_test(page_colours_are_the_drivers),
      cmocka_unit_test(errors_have_names),
      cmocka_unit_test(what_is_missing_says_so),
      cmocka_unit_test(a_kernels_error_stays_until_the_reset),
      cmocka_unit_test(a_forked_child_has_no_device),
      cmocka_unit_test(unloading_tells_gmmu),
  };
  asked = double_start(DOUBLE_HONEST);
  register_program();
  return cmocka_run_group_tests(tests, NULL, NULL);
}

static int none(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_gmmu_there_is_no_device)};
  unsetenv(WIRE_ENV);
  register_program();
  return cmocka_run_group_tests(tests, NULL, NULL);
}

static int other(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptors_that_are_something_else_are_left_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

static int bad(double_mood_t mood) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bad_gmmu_is_the_end_of_the_device)};
  asked = double_start(mood);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "honest";
  if (!strcmp(what, "none")) return none();
  if (!strcmp(what, "other")) return other();
  if (!strcmp(what, "closes")) return bad(DOUBLE_CLOSES);
  if (!strcmp(what, "huge")) return bad(DOUBLE_HUGE);
  if (!strcmp(what, "hello")) return bad(DOUBLE_SHORT_HELLO);
  if (!strcmp(what, "cut")) return bad(DOUBLE_CUT);
  return honest();
}
