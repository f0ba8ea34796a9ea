/* The connection to gmmu. Invariant: rt->socket and rt->memory are open, and the device's memory is
 * mapped, exactly as long as rt->tried and rt->status is 0. An answer that cannot be is the end of
 * the connection: nothing after it could be trusted. */
#include "cudart/rt.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { MAX_PARTS = 4 };

static bool write_all(int fd, struct iovec *part, int parts) {
  struct msghdr m = {.msg_iov = part, .msg_iovlen = (size_t)parts};
  while (m.msg_iovlen) {
    ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    while (m.msg_iovlen && (size_t)n >= m.msg_iov->iov_len) {
      n -= (ssize_t)m.msg_iov->iov_len;
      m.msg_iov++, m.msg_iovlen--;
    }
    if (!m.msg_iovlen) break;
    m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
    m.msg_iov->iov_len -= (size_t)n;
  }
  return true;
}

static bool read_all(int fd, void *to, size_t bytes) {
  char *p = to;
  while (bytes) {
    ssize_t n = recv(fd, p, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n, bytes -= (size_t)n;
  }
  return true;
}

static bool payload_room(rt_t *rt, size_t bytes) {
  if (bytes <= rt->payload_room) return true;
  char *p = realloc(rt->payload, bytes);
  if (!p) return false;
  rt->payload = p, rt->payload_room = bytes;
  return true;
}

void wire_abandon(rt_t *rt, cuda_error_t status) {
  if (rt->socket >= 0) close(rt->socket);
  if (rt->memory >= 0) close(rt->memory);
  rt->socket = rt->memory = -1;
  rt->status = status;
}

static cuda_error_t lost(rt_t *rt, const char *why) {
  rt_say("%s", why);
  wire_abandon(rt, cudaErrorDevicesUnavailable);
  return rt->status;
}

/* Errors of kernels, which stay. */
static bool stays(cuda_error_t error) {
  switch (error) {
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure: return true;
  default: return false;
  }
}

cuda_error_t wire_call(rt_t *rt, wire_op_t op, const uint64_t a[4], const struct iovec *payload,
                       int parts, wire_answer_t *answer) {
  wire_request_t q = {.op = op};
  struct iovec v[MAX_PARTS + 1] = {{&q, sizeof q}};
  size_t bytes = 0;
  memset(answer, 0, sizeof *answer);
  if (rt->status) return rt->status;
  memcpy(q.a, a, sizeof q.a);
  for (int i = 0; i < parts; i++) {
    v[i + 1] = payload[i];
    bytes += payload[i].iov_len;
  }
  if (bytes > WIRE_MAX_PAYLOAD) return cudaErrorInvalidValue;
  q.bytes = (uint32_t)bytes;
  if (!write_all(rt->socket, v, parts + 1) || !read_all(rt->socket, answer, sizeof *answer))
    return lost(rt, "gmmu has ended; there is no device any more");
  if (answer->bytes > WIRE_MAX_PAYLOAD || answer->error < 0 || !payload_room(rt, answer->bytes))
    return lost(rt, "gmmu's answer cannot be understood; is this libcudart of another version?");
  if (!read_all(rt->socket, rt->payload, answer->bytes))
    return lost(rt, "gmmu has ended in the middle of an answer");
  if (stays(answer->error)) rt->sticky = answer->error;
  return answer->error;
}

cuda_error_t wire_ask(rt_t *rt, wire_op_t op, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
                      wire_answer_t *answer) {
  wire_answer_t unused;
  const uint64_t a[4] = {a0, a1, a2, a3};
  return wire_call(rt, op, a, NULL, 0, answer ? answer : &unused);
}

/* After an exec() the descriptors may be closed, or something else: nothing is written to them
 * before they look right. */
static bool looks_right(int socket, int memory) {
  struct stat s, m;
  return fstat(socket, &s) == 0 && S_ISSOCK(s.st_mode) && fstat(memory, &m) == 0 &&
         S_ISREG(m.st_mode) && m.st_size >= 0;
}

static cuda_error_t map_memory(rt_t *rt) {
  void *want = (void *)WIRE_MEMORY_BASE; /* NOLINT: the address is part of the contract */
  void *got = mmap(want, WIRE_MEMORY_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, rt->memory, 0);
  if (got == want) return cudaSuccess;
  if (got != MAP_FAILED) munmap(got, WIRE_MEMORY_BYTES); /* an old kernel took it for a hint */
  rt_say("the device's memory cannot be mapped at %p (%s); is the address space limited?", want,
         strerror(errno));
  return cudaErrorInitializationError;
}

static cuda_error_t hello(rt_t *rt) {
  wire_answer_t answer;
  cuda_error_t error = wire_ask(rt, WIRE_HELLO, WIRE_VERSION, CUDA_MAJOR, 0, 0, &answer);
  if (error) return error;
  if (answer.bytes != sizeof rt->device)
    return lost(rt, "gmmu is of another version than this libcudart");
  memcpy(&rt->device, rt->payload, sizeof rt->device);
  rt->device.name[sizeof rt->device.name - 1] = 0;
  return cudaSuccess;
}

cuda_error_t wire_connect(rt_t *rt) {
  const char *env = getenv(WIRE_ENV);
  int s, m, end = 0;
  if (!env || sscanf(env, "%d,%d%n", &s, &m, &end) != 2 || env[end] || !looks_right(s, m)) {
    rt_say("no device: this libcudart needs gmmu; start the program with `gmmu run -- ...`");
    return cudaErrorNoDevice;
  }
  rt->socket = s, rt->memory = m;
  fcntl(s, F_SETFD, FD_CLOEXEC); /* programs started by this one have no part in it */
  fcntl(m, F_SETFD, FD_CLOEXEC);
  cuda_error_t error = map_memory(rt);
  if (!error) error = hello(rt);
  if (error) wire_abandon(rt, error);
  return error;
}
