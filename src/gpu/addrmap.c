#include "gpu/addrmap.h"
#include <stddef.h>
#include <string.h>

static const char *const kinds[] = {"fine", "frame", "hash", NULL};
static const char *kind_name(uint32_t i) { return kinds[i < 3 ? i : 3]; }

#define BITS(f, h)                                                                                 \
  {                                                                                                \
#f, OPT_BITS, offsetof(addrmap_spec_t, f), ADDRMAP_LOW_BIT, ADDRMAP_TOP_BIT, 0, "", h, NULL,   \
        NULL                                                                                       \
  }
const opt_t addrmap_options[] = {
    {"kind", OPT_NAME, offsetof(addrmap_spec_t, kind), 0, 0, 0, "",
     "fine: 256-byte pieces over the channels; frame: 2 MB in one channel; hash: by bit lists",
     kind_name, "fine"},
    {"channel_xor", OPT_BOOL, offsetof(addrmap_spec_t, channel_xor), 0, 1, 1, "",
     "channel number XOR folded upper address bits", NULL, NULL},
    {"bank_xor", OPT_BOOL, offsetof(addrmap_spec_t, bank_xor), 0, 1, 1, "",
     "bank number XOR low row bits", NULL, NULL},
    {"partition", OPT_BOOL, offsetof(addrmap_spec_t, partition), 0, 1, 0, "",
     "channels, and with them L2 slices, divided equally between the applications", NULL, NULL},
    BITS(module, "hash: functions of the channel; none: what bank and set functions share"),
    BITS(bank, "hash: functions of the DRAM bank, of all channels together"),
    BITS(set, "hash: functions of the L2 set, of all slices together"),
    {0},
};

static bool pow2(uint32_t x) { return x && !(x & (x - 1)); }

int addrmap_init(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t slices,
                 uint32_t banks, uint32_t row_bytes, uint32_t line_bytes, err_t *e) {
  uint32_t line_shift = (uint32_t)__builtin_ctz(line_bytes);
  if (!pow2(slices) || !pow2(banks) || !pow2(row_bytes) || row_bytes < 256)
    return err_set(
        e, GMMU_ERANGE,
        "slices per channel (%u), banks (%u) and row bytes (%u >= 256) must be powers of two",
        slices, banks, row_bytes);
  *m = (addrmap_t){.chunk_shift = (strcmp(spec->kind, "frame") == 0 ? 21 : 8) - line_shift,
                   .fold_mask = !spec->channel_xor ? 0
                                : pow2(channels)   ? channels - 1
                                                   : 0xff,
                   .channels = channels,
                   .slices = slices,
                   .channel_shift = pow2(channels) ? (uint32_t)__builtin_ctz(channels) : UINT32_MAX,
                   .slice_shift = (uint32_t)__builtin_ctz(slices),
                   .line_shift = line_shift,
                   .row_shift = (uint32_t)__builtin_ctz(row_bytes) - line_shift,
                   .bank_bits = (uint32_t)__builtin_ctz(banks),
                   .bank_xor = spec->bank_xor};
  return GMMU_OK;
}
