/* Memory: all of it comes from gmmu, at addresses that are the host's and the device's at once, so
 * pinned, mapped and managed memory are one thing. Memory of the program's own that it registers is
 * moved into the device's file, page by page under its address. */
#define _GNU_SOURCE /* mremap */
#include "cudart/rt.h"
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  PAGE_BYTES = 4096,
  PITCH_BYTES = 512, /* of cudaMallocPitch's rows, as drivers since Kepler have it */
  HOST_MAPPED = 2    /* cudaHostAllocMapped */
};

static bool in_window(const void *p) {
  uintptr_t a = (uintptr_t)p;
  return a >= WIRE_MEMORY_BASE && a - WIRE_MEMORY_BASE < WIRE_MEMORY_BYTES;
}

static registered_t *registered_find(const rt_t *rt, const void *p) {
  registered_t *r = rt->registered;
  while (r && !((const char *)p >= r->page && (const char *)p < r->page + r->page_bytes))
    r = r->next;
  return r;
}

bool memory_on_device(const rt_t *rt, const void *p) {
  return in_window(p) || registered_find(rt, p) != NULL;
}

enum { CALLS_MAX = 12, CALL_BYTES = 4200 };

/* The file that holds an address, and where in it, as debuggers count. */
static int put_call(char *to, size_t room, const Dl_info *in, uintptr_t address) {
  const Elf64_Ehdr *head = in->dli_fbase;
  char program[4096];
  const char *file = in->dli_fname;
  uintptr_t offset = head->e_type == ET_EXEC ? address : address - (uintptr_t)in->dli_fbase;
  if (!file || file[0] != '/') {
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return 0;
    program[n] = 0;
    file = program;
  }
  return snprintf(to, room, "%s %#lx\n", file, (unsigned long)offset);
}

/* Who asked for the memory at `va`: the calls on the stack outside this library. */
static void tell_calls(rt_t *rt, uint64_t va) {
  void *call[CALLS_MAX];
  char text[CALL_BYTES];
  size_t used = 0;
  Dl_info own, in;
  int calls = backtrace(call, CALLS_MAX);
  if (!dladdr((void *)(uintptr_t)memory_on_device, &own)) return; /* NOLINT: any address of ours */
  for (int i = 0; i < calls; i++) {
    if (!dladdr(call[i], &in) || in.dli_fbase == own.dli_fbase) continue;
    int n = put_call(text + used, sizeof text - used, &in, (uintptr_t)call[i] - 1);
    if (n <= 0 || (size_t)n >= sizeof text - used) break;
    used += (size_t)n;
  }
  wire_answer_t answer;
  if (used)
    wire_call(rt, WIRE_NAME, (uint64_t[4]){va, 0, WIRE_CALLS, 0}, &(struct iovec){text, used}, 1,
              &answer);
}

cuda_error_t memory_alloc(rt_t *rt, size_t bytes, wire_alloc_t kind, void *out) {
  wire_answer_t answer;
  if (!out) return cudaErrorInvalidValue;
  if (!bytes) answer.r[0] = 0;
  cuda_error_t error = bytes ? wire_ask(rt, WIRE_ALLOC, bytes, 0, kind, 0, &answer) : rt->status;
  if (error) return error;
  *(void **)out = (void *)(uintptr_t)answer.r[0]; /* NOLINT: one address space */
  if (answer.r[0] && rt->device.names) tell_calls(rt, answer.r[0]);
  return cudaSuccess;
}

/* --- pieces of cuMemMap --- */

size_t memory_piece(const rt_t *rt, const void *p, size_t bytes) {
  for (const piece_t *m = rt->pieces; m; m = m->next) {
    size_t at = (uintptr_t)p - (uintptr_t)m->at;
    if (at < m->bytes) return bytes < m->bytes - at ? bytes : m->bytes - at;
  }
  return bytes;
}

static void piece_drop(rt_t *rt, const void *p) {
  piece_t **at = &rt->pieces, *gone;
  while (*at && (*at)->at != p) at = &(*at)->next;
  if (!(gone = *at)) return;
  *at = gone->next;
  free(gone);
}

void pieces_forget(rt_t *rt) {
  while (rt->pieces) piece_drop(rt, rt->pieces->at);
}

cuda_error_t memory_free(rt_t *rt, const void *p) {
  if (!p || graph_keeps(rt, p)) return cudaSuccess;
  cuda_error_t error = wire_ask(rt, WIRE_FREE, (uintptr_t)p, 0, 0, 0, NULL);
  if (!error) pool_freed(rt, p), piece_drop(rt, p), advice_freed(rt, p);
  return error;
}

/* --- device, pitched, managed --- */

API(cudaMalloc, void **out, size_t bytes) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, memory_alloc(rt, bytes, WIRE_DEVICE, out));
}

/* For cuMemMap of our libcuda: memory at an address that the program has chosen. */
API(cudaGmmuMallocAt, void *at, size_t bytes) {
  rt_t *rt = rt_enter();
  if (!at || !bytes) return rt_leave(rt, cudaErrorInvalidValue);
  piece_t *m = malloc(sizeof *m);
  cuda_error_t error = cudaErrorMemoryAllocation;
  if (m) error = wire_ask(rt, WIRE_ALLOC, bytes, 0, WIRE_DEVICE, (uintptr_t)at, NULL);
  if (error) {
    free(m);
    return rt_leave(rt, error);
  }
  *m = (piece_t){rt->pieces, at, bytes};
  rt->pieces = m;
  return rt_leave(rt, cudaSuccess);
}

API(cudaFree, void *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, memory_free(rt, p));
}

static cuda_error_t alloc_pitched(rt_t *rt, cuda_pitched_t *out, cuda_extent_t e) {
  size_t pitch, rows, bytes;
  if (__builtin_add_overflow(e.width, PITCH_BYTES - 1, &pitch)) return cudaErrorInvalidValue;
  pitch -= pitch % PITCH_BYTES;
  if (__builtin_mul_overflow(e.height, e.depth, &rows) ||
      __builtin_mul_overflow(pitch, rows, &bytes))
    return cudaErrorInvalidValue;
  *out = (cuda_pitched_t){NULL, pitch, e.width, e.height};
  return memory_alloc(rt, bytes, WIRE_DEVICE, &out->ptr);
}

API(cudaMallocPitch, void **out, size_t *pitch, size_t width, size_t height) {
  cuda_pitched_t p;
  rt_t *rt = rt_enter();
  if (!out || !pitch) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = alloc_pitched(rt, &p, (cuda_extent_t){width, height, 1});
  if (!error) *out = p.ptr, *pitch = p.pitch;
  return rt_leave(rt, error);
}

API(cudaMalloc3D, cuda_pitched_t *out, cuda_extent_t extent) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, out ? alloc_pitched(rt, out, extent) : cudaErrorInvalidValue);
}

API(cudaMallocManaged, void **out, size_t bytes, unsigned flags) {
  rt_t *rt = rt_enter();
  if (!bytes || (flags != 1 && flags != 2)) return rt_leave(rt, cudaErrorInvalidValue);
  return rt_leave(rt, memory_alloc(rt, bytes, WIRE_MANAGED, out));
}

/* --- host memory --- */

API(cudaMallocHost, void **out, size_t bytes) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, memory_alloc(rt, bytes, WIRE_PINNED, out));
}

API(cudaHostAlloc, void **out, size_t bytes, unsigned flags) {
  (void)flags; /* portable, mapped, write-combined: all of it is, or need not be */
  return cudaMallocHost(out, bytes);
}

API(cudaFreeHost, void *p) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, memory_free(rt, p));
}

API(cudaHostGetDevicePointer, void **device, void *host, unsigned flags) {
  (void)flags;
  rt_t *rt = rt_enter();
  if (!device || !memory_on_device(rt, host)) return rt_leave(rt, cudaErrorInvalidValue);
  *device = host;
  return rt_leave(rt, cudaSuccess);
}

API(cudaHostGetFlags, unsigned *flags, void *host) {
  rt_t *rt = rt_enter();
  if (!flags || !memory_on_device(rt, host)) return rt_leave(rt, cudaErrorInvalidValue);
  *flags = HOST_MAPPED;
  return rt_leave(rt, cudaSuccess);
}

/* Puts `from`'s pages, mapped elsewhere and filled, under the address `page` in one step, so that
 * other threads never see a hole. */
static bool swap_in(void *from, char *page, size_t bytes) {
  if (from == MAP_FAILED) return false;
  memcpy(from, page, bytes);
  if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page) return true;
  munmap(from, bytes);
  return false;
}

static cuda_error_t register_pages(rt_t *rt, registered_t *r) {
  wire_answer_t answer;
  cuda_error_t error =
      wire_ask(rt, WIRE_REGISTER, (uintptr_t)r->page, r->page_bytes, 0, 0, &answer);
  if (error) return error;
  void *file = mmap(NULL, r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    rt->memory, (off_t)answer.r[0]);
  if (swap_in(file, r->page, r->page_bytes)) return cudaSuccess;
  wire_ask(rt, WIRE_UNREGISTER, (uintptr_t)r->page, 0, 0, 0, NULL);
  return cudaErrorOperatingSystem;
}

static bool take_back(const registered_t *r) {
  return swap_in(
      mmap(NULL, r->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      r->page, r->page_bytes);
}

static bool overlaps(const rt_t *rt, const registered_t *n) {
  for (const registered_t *r = rt->registered; r; r = r->next)
    if (n->page < r->page + r->page_bytes && r->page < n->page + n->page_bytes) return true;
  return in_window(n->user);
}

/* Registered memory that shares a page with other registered memory is refused as registered
 * already; nothing else could be said of the page. */
API(cudaHostRegister, void *p, size_t bytes, unsigned flags) {
  (void)flags;
  rt_t *rt = rt_enter();
  uintptr_t first = (uintptr_t)p & ~(uintptr_t)(PAGE_BYTES - 1), end = (uintptr_t)p + bytes;
  if (!p || !bytes || end < first) return rt_leave(rt, cudaErrorInvalidValue);
  registered_t *r = malloc(sizeof *r);
  if (!r) return rt_leave(rt, cudaErrorMemoryAllocation);
  *r = (registered_t){.next = rt->registered, .user = p, .user_bytes = bytes};
  r->page = (char *)p - ((uintptr_t)p - first);
  r->page_bytes = (end - first + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
  cuda_error_t error =
      overlaps(rt, r) ? cudaErrorHostMemoryAlreadyRegistered : register_pages(rt, r);
  if (error) free(r);
  if (!error) rt->registered = r;
  return rt_leave(rt, error);
}

API(cudaHostUnregister, void *p) {
  rt_t *rt = rt_enter();
  registered_t **at = &rt->registered, *r;
  while (*at && (*at)->user != p) at = &(*at)->next;
  if (!(r = *at)) return rt_leave(rt, cudaErrorHostMemoryNotRegistered);
  if (!take_back(r)) return rt_leave(rt, cudaErrorOperatingSystem);
  *at = r->next;
  cuda_error_t error = wire_ask(rt, WIRE_UNREGISTER, (uintptr_t)r->page, 0, 0, 0, NULL);
  free(r);
  return rt_leave(rt, error);
}

void memory_forget(rt_t *rt) {
  advice_forget(rt);
  while (rt->registered) {
    registered_t *r = rt->registered;
    take_back(r);
    rt->registered = r->next;
    free(r);
  }
}

/* --- what there is --- */

API(cudaMemGetInfo, size_t *free_bytes, size_t *total) {
  wire_answer_t answer;
  rt_t *rt = rt_enter();
  cuda_error_t error = wire_ask(rt, WIRE_MEMINFO, 0, 0, 0, 0, &answer);
  if (!error && free_bytes) *free_bytes = answer.r[0];
  if (!error && total) *total = answer.r[1];
  return rt_leave(rt, error);
}

/* Device memory has no host pointer in the answer, though ours could be read there. */
static void describe(const rt_t *rt, const void *p, uint64_t kind, cuda_pointer_t *a) {
  void *q = (void *)p;
  a->device = 0;
  if (managed_has(rt, p)) kind = WIRE_MANAGED;
  if (registered_find(rt, p)) {
    a->type = POINTER_HOST, a->device_pointer = a->host_pointer = q;
    return;
  }
  a->device_pointer = q, a->host_pointer = kind == WIRE_DEVICE ? NULL : q;
  a->type = kind == WIRE_DEVICE   ? POINTER_DEVICE
            : kind == WIRE_PINNED ? POINTER_HOST
                                  : POINTER_MANAGED;
}

API(cudaPointerGetAttributes, cuda_pointer_t *a, const void *p) {
  wire_answer_t answer = {0};
  rt_t *rt = rt_enter();
  if (!a) return rt_leave(rt, cudaErrorInvalidValue);
  memset(a, 0, sizeof *a);
  a->type = POINTER_UNREGISTERED, a->device = -2, a->host_pointer = (void *)p;
  if (registered_find(rt, p) || managed_has(rt, p) ||
      (in_window(p) && !wire_ask(rt, WIRE_RANGE, (uintptr_t)p, 0, 0, 0, &answer)))
    describe(rt, p, answer.r[2], a);
  return rt_leave(rt, cudaSuccess);
}

/* The allocation that an address is in: a call of ours, for libcuda. */
API(cudaGmmuRange, const void *p, void **base, size_t *bytes) {
  wire_answer_t answer;
  rt_t *rt = rt_enter();
  cuda_error_t error = cudaErrorInvalidValue;
  if (in_window(p)) error = wire_ask(rt, WIRE_RANGE, (uintptr_t)p, 0, 0, 0, &answer);
  if (!error) *base = (void *)(uintptr_t)answer.r[0]; /* NOLINT: one address space */
  if (!error) *bytes = answer.r[1];
  return rt_leave_quietly(rt, error);
}

/* --- advice: checked, and noted (advice.c) --- */

cuda_error_t memory_is_managed(rt_t *rt, const void *p, size_t bytes) {
  wire_answer_t answer;
  if (bytes && managed_has(rt, p)) return cudaSuccess;
  if (!bytes || !in_window(p)) return cudaErrorInvalidValue;
  cuda_error_t error = wire_ask(rt, WIRE_RANGE, (uintptr_t)p, 0, 0, 0, &answer);
  if (error) return error == rt->sticky ? error : cudaErrorInvalidValue;
  bool fits = (uintptr_t)p - answer.r[0] + bytes <= answer.r[1];
  return fits && answer.r[2] == WIRE_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

static cuda_error_t prefetch(const void *p, size_t bytes, int device, cuda_stream_t stream) {
  rt_t *rt = rt_enter();
  cuda_error_t error = device > 0 ? cudaErrorInvalidDevice : stream_check(rt, stream);
  if (!error) error = memory_is_managed(rt, p, bytes);
  if (!error) advice_prefetched(rt, p, bytes, device);
  return rt_leave(rt, error);
}

static cuda_error_t advise(const void *p, size_t bytes, int advice, int device) {
  rt_t *rt = rt_enter();
  if (device > 0) return rt_leave(rt, cudaErrorInvalidDevice);
  if (advice < 1 || advice > 6) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_error_t error = memory_is_managed(rt, p, bytes);
  if (!error) advice_given(rt, p, bytes, advice, device);
  return rt_leave(rt, error);
}

static int location_device(cuda_location_t where) { return where.type == 1 ? where.id : -1; }

/* CUDA 13 has given the old names to the functions that 12 called _v2. */
#if CUDA_MAJOR >= 13
API(cudaMemPrefetchAsync, const void *p, size_t bytes, cuda_location_t where, unsigned flags,
    cuda_stream_t stream) {
  (void)flags;
  return prefetch(p, bytes, location_device(where), stream);
}
API(cudaMemAdvise, const void *p, size_t bytes, int advice, cuda_location_t where) {
  return advise(p, bytes, advice, location_device(where));
}
#else
API(cudaMemPrefetchAsync, const void *p, size_t bytes, int device, cuda_stream_t stream) {
  return prefetch(p, bytes, device, stream);
}
API(cudaMemAdvise, const void *p, size_t bytes, int advice, int device) {
  return advise(p, bytes, advice, device);
}
API(cudaMemPrefetchAsync_v2, const void *p, size_t bytes, cuda_location_t where, unsigned flags,
    cuda_stream_t stream) {
  (void)flags;
  return prefetch(p, bytes, location_device(where), stream);
}
ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);
API(cudaMemAdvise_v2, const void *p, size_t bytes, int advice, cuda_location_t where) {
  return advise(p, bytes, advice, location_device(where));
}
#endif
ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

API(cudaStreamAttachMemAsync, cuda_stream_t stream, void *p, size_t bytes, unsigned flags) {
  (void)p, (void)bytes, (void)flags; /* every stream sees all of it anyway */
  rt_t *rt = rt_enter();
  return rt_leave(rt, stream_check(rt, stream));
}
ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* --- page colours: calls of ours, which programs find by name (include/cuda/gmmu_fgpu.h) --- */

/* How many there are (0: none), and a bit for each that this process may choose. */
API(cudaGmmuColours, unsigned *count, unsigned long long *own) {
  rt_t *rt = rt_enter();
  if (!count || !own) return rt_leave(rt, cudaErrorInvalidValue);
  *count = rt->device.colours, *own = rt->device.own_colours;
  return rt_leave(rt, rt->status);
}

/* What is allocated from now on lies in pages of these. */
API(cudaGmmuSetColours, unsigned long long colours) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, wire_ask(rt, WIRE_COLOURS, colours, 0, 0, 0, NULL));
}

/* --- content: a call of ours, which programs find by name (include/cuda/gmmu_content.h) --- */

/* The allocation holds gmmu_content_word() of that kind from now on, without a byte of memory. */
API(cudaGmmuContent, void *p, unsigned kind, unsigned long long seed, unsigned long long n) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, wire_ask(rt, WIRE_CONTENT, (uintptr_t)p, kind, seed, n, NULL));
}

/* --- names of arrays (include/cuda/gmmu_name.h) --- */

API(cudaGmmuName, const void *p, const char *name) {
  rt_t *rt = rt_enter();
  wire_answer_t answer;
  if (!name || !*name) return rt_leave(rt, cudaErrorInvalidValue);
  struct iovec text = {(void *)(uintptr_t)name, strlen(name)};
  return rt_leave(rt, wire_call(rt, WIRE_NAME, (uint64_t[4]){(uintptr_t)p, 0, WIRE_CALLED, 0},
                                &text, 1, &answer));
}
