#ifndef GMMU_TESTS_MACHINE_DIGEST_H
#define GMMU_TESTS_MACHINE_DIGEST_H
/* Statistics as one number. The digest of a document is the sum of the hashes of its leaves, each
 * with its path, and a leaf that is zero, false, null or empty counts for nothing. So neither the
 * order of members nor a new counter that stays at zero changes it. */
#include <stdbool.h>
#include <stdint.h>

/* Hears of every leaf that counts: "apps[1].l2tlb.misses", its text as it stands in the JSON. */
typedef void (*digest_leaf_fn)(void *ctx, const char *path, const char *value);
/* False if the text is no JSON. */
bool digest_leaves(const char *json, digest_leaf_fn leaf, void *ctx);
uint64_t digest_leaf(const char *path, const char *value);
uint64_t digest_text(const char *text);
#endif
