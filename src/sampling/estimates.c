/* What windows say of the whole run.
 *
 * How many instructions each kernel has in the whole run is known, because those that are skipped
 * are counted. So kernels are strata: each has the ratio of its own windows, and its weight is that
 * of the run, whatever windows fell into it by chance. A window that lies in several kernels is cut
 * where they begin. The error is that of
 *
 *   a kernel with SAMPLING_ALONE windows or more   its windows
 *   all others that have one                       their windows together, as if they were one
 *                                                  kernel: a kernel has phases, too, which few
 *                                                  windows miss, and then they seem to be all alike
 *   those without one                              how unlike the others are to each other; if
 *                                                  there is one other alone, there is no interval
 */
#include "gpu/machine.h"

const char *const window_ratio_name[WINDOW_RATIOS_COUNT] = {
#define X(n, num, den, scale, h) #n,
    WINDOW_RATIOS(X)
#undef X
};
const char *const window_ratio_help[WINDOW_RATIOS_COUNT] = {
#define X(n, num, den, scale, h) h,
    WINDOW_RATIOS(X)
#undef X
};
/* One of the two is warp_instructions, of which the weights are known. */
static const struct {
  size_t num, den;
  uint32_t scale;
} ratio_of[WINDOW_RATIOS_COUNT] = {
#define X(n, num, den, scale, h) {offsetof(window_t, num), offsetof(window_t, den), scale},
    WINDOW_RATIOS(X)
#undef X
};
#define PER_INSTRUCTION offsetof(window_t, warp_instructions)

static const window_t *piece_of(const sampling_t *s, uint32_t app, uint32_t kernel, uint32_t w) {
  return &s->piece[((size_t)app * SAMPLING_KERNELS + kernel) * s->room + w];
}

/* Windows that met the kernel. */
static uint32_t windows_of(const sampling_t *s, uint32_t app, uint32_t kernel) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < s->windows; w++) n += piece_of(s, app, kernel, w)->warp_instructions > 0;
  return n;
}

uint64_t sampling_measured(const sampling_t *s, uint32_t app, uint32_t kernel) {
  uint64_t n = 0;
  for (uint32_t w = 0; w < s->windows; w++) n += piece_of(s, app, kernel, w)->warp_instructions;
  return n;
}

uint64_t sampling_instructions(const sampling_t *s, uint32_t app) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < s->kernels[app].count; i++) n += s->kernels[app].instructions[i];
  return n;
}

uint64_t sampling_unseen(const sampling_t *s, uint32_t app, const char **name) {
  const sampling_kernels_t *k = &s->kernels[app];
  uint64_t n = 0, most = 0;
  *name = NULL;
  for (uint32_t i = 0; i < k->count; i++) {
    if (windows_of(s, app, i)) continue;
    n += k->instructions[i];
    if (k->instructions[i] > most) most = k->instructions[i], *name = k->name[i];
  }
  return n;
}

/* ---- strata ---- */

/* What windows have of the kernels, in s->member; returns how many met one. */
static uint32_t members_of(const sampling_t *s, uint32_t app, uint32_t kernels, size_t of) {
  uint64_t *num = s->member, *den = s->member + s->room;
  uint32_t n = 0;
  for (uint32_t w = 0; w < s->windows; w++) {
    uint64_t instructions = 0, sum = 0, cycles = 0;
    for (uint32_t m = kernels; m; m &= m - 1) {
      const window_t *x = piece_of(s, app, (uint32_t)__builtin_ctz(m), w);
      instructions += x->warp_instructions, cycles += x->cycles;
      sum += ((const uint64_t *)(const void *)x)[of / sizeof(uint64_t)];
    }
    if (!instructions && !cycles) continue;
    num[n] = sum, den[n++] = instructions;
  }
  return n;
}

/* Kernels whose error is one, a bit for each: returns how many such sets there are. */
static uint32_t sets_of(const sampling_t *s, uint32_t app, uint32_t *set) {
  uint32_t n = 0, few = 0, met = 0;
  for (uint32_t k = 0; k < s->kernels[app].count; k++) {
    uint32_t windows = windows_of(s, app, k);
    if (windows) met |= 1u << k;
    if (windows && windows < SAMPLING_ALONE) few |= 1u << k;
    if (windows >= SAMPLING_ALONE) set[n++] = 1u << k;
  }
  if (few && members_of(s, app, few, 0) < 2) few = met, n = 0; /* one window tells no error */
  if (few) set[n++] = few;
  return n;
}

static void kernel_stratum(const sampling_t *s, uint32_t app, uint32_t kernel, size_t of,
                           stratum_t *out) {
  *out = (stratum_t){.weight = s->kernels[app].instructions[kernel]};
  estimate_stratum(s->member, s->member + s->room, members_of(s, app, 1u << kernel, of), out);
}

static void set_stratum(const sampling_t *s, uint32_t app, uint32_t kernels, size_t of,
                        stratum_t *out) {
  stratum_t each[SAMPLING_KERNELS];
  uint32_t n = 0;
  for (uint32_t m = kernels; m; m &= m - 1)
    kernel_stratum(s, app, (uint32_t)__builtin_ctz(m), of, &each[n++]);
  estimate_stratum(s->member, s->member + s->room, members_of(s, app, kernels, of), out);
  estimate_weigh(each, n, out);
}

void sampling_estimate(const sampling_t *s, uint32_t app, uint32_t ratio, estimate_t *out) {
  bool inverse = ratio_of[ratio].den != PER_INSTRUCTION;
  size_t of = inverse ? ratio_of[ratio].den : ratio_of[ratio].num;
  uint32_t set[SAMPLING_KERNELS], n = sets_of(s, app, set), met = 0;
  stratum_t at[SAMPLING_KERNELS + 1] = {0}, kernel[SAMPLING_KERNELS];
  const char *name;
  uint64_t unseen = sampling_unseen(s, app, &name), all = sampling_instructions(s, app);
  for (uint32_t i = 0; i < n; i++) set_stratum(s, app, set[i], of, &at[i]);
  for (uint32_t k = 0; k < s->kernels[app].count; k++)
    if (windows_of(s, app, k)) kernel_stratum(s, app, k, of, &kernel[met++]);
  bool matters = unseen * 1000 > all * SAMPLING_UNSEEN_PERMILLE;
  if (n && unseen && (met > 1 || matters)) estimate_unmet(kernel, met, unseen, &at[n++]);
  estimate_strata(at, n, ratio_of[ratio].scale, inverse, out);
}
