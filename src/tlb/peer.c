#include "tlb/peer.h"
#include <string.h>

const peer_ops_t peer_none = {.name = "none", .help = "first-level TLBs are private"};

const peer_ops_t *const peer_all[] = {&peer_none, NULL};

const peer_ops_t *peer_find(const char *name) {
  for (const peer_ops_t *const *p = peer_all; *p; p++)
    if (strcmp((*p)->name, name) == 0) return *p;
  return NULL;
}

const char *peer_name(uint32_t i) {
  return i < sizeof peer_all / sizeof *peer_all - 1 ? peer_all[i]->name : NULL;
}
