/* xxHash: fast, the same on every machine, and wide enough that no two runs meet. */
#include "lab/hash.h"
#include "base/file.h"
#include "lab/store.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static int hash_all(int fd, const char *path, XXH64_state_t *state, err_t *e) {
  unsigned char block[1 << 16];
  ssize_t n;
  while ((n = file_get(fd, path, block, sizeof block, e)) > 0)
    XXH64_update(state, block, (size_t)n);
  return (int)n;
}

int hash_file(const char *path, const char *version, uint64_t *out, err_t *e) {
  int fd = file_open(path, FILE_REGULAR, e);
  if (fd < 0) return fd;
  XXH64_state_t *state = XXH64_createState();
  int rc = state && XXH64_reset(state, strtoull(version, NULL, 10)) == XXH_OK
               ? hash_all(fd, path, state, e)
               : err_set(e, GMMU_ENOMEM, "out of memory for %s", path);
  if (rc == GMMU_OK) *out = XXH64_digest(state);
  XXH64_freeState(state);
  close(fd);
  return rc;
}

void store_key(const char *identity, char key[STORE_KEY_BYTES]) {
  XXH128_hash_t h = XXH3_128bits(identity, strlen(identity));
  snprintf(key, STORE_KEY_BYTES, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
           (uint64_t)h.low64);
}

#define VERSION(what, number, hash) const char lab_##what##_version[] = #number;
#include "lab/versions.def"
