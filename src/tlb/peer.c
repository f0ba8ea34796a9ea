/* The table of peer look-ups, and their options. */
#include "tlb/peer.h"
#include "base/policy.h"
#include <string.h>

const peer_ops_t peer_none = {.name = "none", .help = "first-level TLBs are private"};

#define POLICIES(X) X(peer_none) X(peer_valkyrie) X(peer_neidty)
POLICY_TABLE(peer_ops_t, peer_all, POLICIES)

const peer_ops_t *peer_find(const char *name) {
  for (const peer_ops_t *const *p = peer_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *peer_name(uint32_t i) { return peer_all[i] ? peer_all[i]->name : NULL; }

/* NeiDty, section III.C. */
static const char *const updates[] = {
    [PEER_UPDATE_DEFAULT] = "default",
    [PEER_UPDATE_EXCLUSIVE] = "exclusive",
    [PEER_UPDATE_TWICE] = "twice",
};

static const char *update_name(uint32_t i) {
  return i < sizeof updates / sizeof *updates ? updates[i] : NULL;
}

peer_update_t peer_update(const peer_spec_t *spec) {
  for (uint32_t i = 0; update_name(i); i++)
    if (strcmp(updates[i], spec->update) == 0) return (peer_update_t)i;
  return PEER_UPDATE_DEFAULT;
}

/* Defaults: NeiDty's numbers (N, with the section), Valkyrie's (V), or a guess (G). */
const opt_t peer_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(peer_spec_t, f), lo, hi, d, u, h, NULL, NULL }
#define BOOL(f, n, h)                                                                              \
  { n, OPT_BOOL, offsetof(peer_spec_t, f), 0, 1, 0, "", h, NULL, NULL }
    U32(hop_cycles, "hop", 0, 1000, 1, "cycles",
        "one way between two TLBs next to each other"), /* N, IV.A */
    U32(ports, "ports", 0, 64, 1, "look-ups/cycle",
        "at each of a TLB's two ports for peers; 0: unlimited"), /* G: as its own */
    U32(buffer, "buffer", 0, 1024, 2, "questions",
        "that may wait at such a port, more go to the next level; 0: any number"), /* N, III.B.3 */
    U32(directory_entries, "directory", 1, 1024, 32, "entries",
        "neidty: of a TLB's directory, fully associative"), /* N, III.B.1 */
    U32(tag_bits, "tag_bits", 1, 32, 18, "bits",
        "neidty: of the hashed page number in the directory"), /* N, III.B.1 */
    U32(directory_cycles, "directory_latency", 0, 1000, 1, "cycles",
        "neidty: of a look-up in the directory, which begins with that in the TLB"), /* N, IV.A */
    {"update", OPT_NAME, offsetof(peer_spec_t, update), 0, 0, 0, "",
     "neidty: a neighbour's answer is put into the own TLB always (default), never (exclusive), or "
     "when the page is asked for twice in a row (twice)",
     update_name, "default"}, /* N, III.C */
    U32(group, "group", 0, 256, 16, "TLBs",
        "valkyrie: that form a ring; 0: all"), /* V: a shader engine of its GPU, 64 / 4 units */
    U32(probes, "probes", 0, 255, 0, "TLBs",
        "valkyrie: most TLBs asked before the next level; 0: the whole ring"), /* G */
    BOOL(prefetch, "prefetch",
         "valkyrie: a page that two TLBs of a ring asked the next level for is copied to the "
         "others"),
    U32(locality_entries, "locality_entries", 1, 65536, 100, "entries",
        "valkyrie: of the table that detects such pages"), /* V */
    U32(prefetch_entries, "prefetch_entries", 1, 1024, 24, "entries",
        "valkyrie: of the buffer for copies beside each TLB"), /* V */
    BOOL(oracle, "oracle",
         "count how many first-level TLBs hold each page looked up, and whether a neighbour holds "
         "what misses; changes nothing but these statistics, and is slow"),
#undef BOOL
#undef U32
    {0},
};
