#ifndef GMMU_NOC_PACKET_H
#define GMMU_NOC_PACKET_H
/* Flits of the packet that carries a request to L2, where stores and atomics bring data, and of the
 * answer. */
#include "engine/request.h"
#include "noc/noc.h"

static inline uint32_t packet_flits_out(const noc_t *n, const request_t *r) {
  return request_writes(r) ? n->flits[r->sectors] : n->ask[r->full];
}
static inline uint32_t packet_flits_back(const noc_t *n, const request_t *r) {
  return r->kind == REQ_STORE ? n->ask[r->sectors] : n->flits[r->full];
}
#endif
