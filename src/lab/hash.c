/* xxHash: fast, the same on every machine, and wide enough that no two runs meet. */
#include "lab/hash.h"
#include "lab/store.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

int hash_file(const char *path, uint64_t seed, uint64_t *out, err_t *e) {
  unsigned char block[1 << 16];
  size_t n;
  XXH64_state_t *state = XXH64_createState();
  FILE *f = fopen(path, "rb");
  int rc = f && state ? GMMU_OK : err_set(e, GMMU_EIO, "%s: %s", path, strerror(errno));
  if (rc == GMMU_OK) {
    XXH64_reset(state, seed);
    while ((n = fread(block, 1, sizeof block, f)) > 0) XXH64_update(state, block, n);
    if (ferror(f)) rc = err_set(e, GMMU_EIO, "%s: %s", path, strerror(errno));
    *out = XXH64_digest(state);
  }
  XXH64_freeState(state);
  if (f) fclose(f);
  return rc;
}

void store_key(const char *identity, char key[STORE_KEY_BYTES]) {
  XXH128_hash_t h = XXH3_128bits(identity, strlen(identity));
  snprintf(key, STORE_KEY_BYTES, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64,
           (uint64_t)h.low64);
}
