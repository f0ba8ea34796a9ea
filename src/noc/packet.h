#ifndef GMMU_NOC_PACKET_H
#define GMMU_NOC_PACKET_H
/* Flits of the packet that carries a request to L2, where stores and atomics bring data, and of the
 * answer. */
#include "engine/request.h"
#include "noc/noc.h"

/* With a packet per sector, an atomic has one for each of its operations. */
static inline uint32_t packet_flits_atomic(const noc_t *n, const request_t *r) {
  return n->spec.sector_packets ? request_operations(r) * n->flits[1] : n->flits[r->sectors];
}
static inline uint32_t packet_flits_out(const noc_t *n, const request_t *r) {
  if (r->kind == REQ_ATOMIC) return packet_flits_atomic(n, r);
  return r->kind == REQ_STORE ? n->flits[r->sectors] : n->ask[r->full];
}
static inline uint32_t packet_flits_back(const noc_t *n, const request_t *r) {
  if (r->kind == REQ_ATOMIC) return packet_flits_atomic(n, r);
  return r->kind == REQ_STORE ? n->ask[r->sectors] : n->flits[r->full];
}

/* Their bytes: what a link that is not as narrow as a port carries of them. */
static inline uint32_t packet_bytes(const noc_t *n, uint32_t sectors, bool data) {
  uint32_t packets = n->spec.sector_packets && sectors ? sectors : 1;
  return packets * n->spec.header_bytes + (data ? sectors * SECTOR_BYTES : 0);
}
static inline uint32_t packet_bytes_atomic(const noc_t *n, const request_t *r) {
  uint32_t operations = n->spec.sector_packets ? request_operations(r) : 0;
  return packet_bytes(n, operations ? operations : (uint32_t)__builtin_popcount(r->sectors), true);
}
static inline uint32_t packet_bytes_out(const noc_t *n, const request_t *r) {
  if (r->kind == REQ_ATOMIC) return packet_bytes_atomic(n, r);
  bool store = r->kind == REQ_STORE;
  return packet_bytes(n, (uint32_t)__builtin_popcount(store ? r->sectors : r->full), store);
}
static inline uint32_t packet_bytes_back(const noc_t *n, const request_t *r) {
  if (r->kind == REQ_ATOMIC) return packet_bytes_atomic(n, r);
  bool store = r->kind == REQ_STORE;
  return packet_bytes(n, (uint32_t)__builtin_popcount(store ? r->sectors : r->full), !store);
}
#endif
