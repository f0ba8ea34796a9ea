#ifndef GMMU_DRAM_LOG_H
#define GMMU_DRAM_LOG_H
/* A recorder of the commands a channel issues: for tests and debugging. Off costs one predictable
 * branch per command. */
#include "dram/dram.h"

typedef enum {
  DRAM_CMD_ACT,
  DRAM_CMD_PRE,
  DRAM_CMD_READ,
  DRAM_CMD_WRITE,
  DRAM_CMD_AUTO_PRE, /* closed_row: rides on the column command; bank_refresh: before the refresh of
                        a bank. Takes no slot of the bus; its time may lie ahead of the commands
                        recorded after it */
  DRAM_CMD_PRE_ALL,  /* before a refresh */
  DRAM_CMD_REFRESH,
  DRAM_CMD_REFRESH_BANK, /* takes no slot of the bus; its time may lie ahead, as AUTO_PRE's */
} dram_cmd_kind_t;

typedef struct {
  uint64_t t; /* command cycle */
  uint32_t row, id;
  uint16_t bursts;
  uint8_t cmd; /* dram_cmd_kind_t */
  uint8_t bank;
} dram_cmd_t;

typedef struct {
  dram_cmd_t *cmd; /* the caller's array */
  uint32_t capacity;
  uint32_t count; /* commands issued since; those beyond capacity are not stored */
} dram_log_t;

/* Record into `log`, which must outlive the channel or the next call; NULL stops. */
void dram_set_log(dram_t *d, dram_log_t *log);
#endif
