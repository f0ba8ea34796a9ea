#ifndef GMMU_BLOCK_H
#define GMMU_BLOCK_H
/* The blocks that send each other messages, and their order: what a block receives in one cycle, it
 * receives by the numbers of the senders. Within a block everything is instant; between blocks
 * nothing is.
 *
 *   an SM                with its first-level TLB, the peers' directory of that, its L1 and its
 *                        ports of the crossbar. SMs that share a first-level TLB are one block: in
 *                        a cycle they come in order of their numbers
 *   a TLB                of a further level: one instance
 *   the walker           with the page-walk cache and the counters of MASK's quota
 *   the crossbar         where its inputs have queues, which SMs and slices fill by messages, and
 *                        the links between partitions of the chip. What passes it counts as sent
 *                        by the SM, slice or walker it came from: a slice is near or far for an
 *                        SM, so all that it has from one sender came the same way
 *   the host's side      dispatcher, turns, driver (paging, moves), link and mapped memory
 *   a memory partition   the L2 slices in front of one channel, which share the room towards it,
 *                        that channel, and their ports of the crossbar
 *
 * The host's side acts in the last phase of a cycle, when all others rest: what it changes in them,
 * page tables included, they see in the next cycle. */
#include <stdint.h>

/* Senders of one kind have a part of each slot of the wheel: few of them meet there. What slices
 * answer to the walker has a part of its own: it is all of one kind. */
typedef enum {
  SENDER_SM,
  SENDER_TLB,
  SENDER_ONE,
  SENDER_SLICE,
  SENDER_READ,
  SENDERS
} sender_kind_t;

/* What comes in the next cycle, and has but one sender for each receiver, or senders that it cannot
 * tell apart, goes by a queue, one for each kind of message and of sender. It comes behind what
 * senders of that kind have on the wheel. */
typedef enum {
  SOON_ANSWER, /* of a TLB to the level above: TLB_ANSWER */
  SOON_READ,   /* the walker's: L2_WALK */
  SOON_WALKED, /* the walker's: TLB_ANSWER */
  SOON_STORED, /* of a slice: SM_STORED */
  SOONS
} soon_t;

typedef struct {
  sender_kind_t kind; /* lower kinds come first */
  uint32_t number;    /* within a kind, lower numbers come first */
} sender_t;

#define TLBS_OF_LEVEL      1024u /* at most: one for each SM */
#define FROM_SM(i)         ((sender_t){SENDER_SM, (i)})
#define FROM_WALKER        ((sender_t){SENDER_ONE, 0})
#define FROM_HOST          ((sender_t){SENDER_ONE, 1})
#define FROM_CROSSBAR      ((sender_t){SENDER_ONE, 3}) /* with queues at its inputs */
#define FROM_PEERS         ((sender_t){SENDER_ONE, 2}) /* Valkyrie's table, beside the next level */
#define FROM_SLICE(i)      ((sender_t){SENDER_SLICE, (i)})
#define FROM_READ(i)       ((sender_t){SENDER_READ, (i)}) /* a slice, to the walker */
#define FROM_CHANNEL(i)    ((sender_t){SENDER_SLICE, 65536u + (i)})
#define FROM_TLB(level, i) ((sender_t){SENDER_TLB, (level)*TLBS_OF_LEVEL + (i)})
#endif
