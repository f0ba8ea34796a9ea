/* The address map for any number of channels and slices: no two lines share a place, the slice is
 * one of its channel's, and memory is spread evenly over channels, slices and sets. */
#include "map/addrmap.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define LINE_BYTES 128u
#define BANKS      8u
#define ROW_BYTES  1024u
#define SETS       16u

static const uint32_t channel_counts[] = {1, 2, 3, 5, 6, 8, 10, 12, 40, 64, 80, 96, 128, 255, 256};
static const uint32_t slice_counts[] = {1, 2, 3, 5, 6, 12, 16};
#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct {
  addrmap_t map;
  uint32_t channels, slices;
  uint64_t lines; /* as many chunks in every channel */
  const char *kind;
  bool xor ;
} case_t;

static void open_case(case_t *c, const char *kind, bool xor, uint32_t channels, uint32_t slices) {
  addrmap_spec_t spec = {.kind = kind, .channel_xor = xor, .bank_xor = true};
  err_t e;
  *c = (case_t){.channels = channels, .slices = slices, .kind = kind, .xor = xor};
  assert_int_equal(addrmap_init(&c->map, &spec, channels, slices, BANKS, ROW_BYTES, LINE_BYTES, &e),
                   0);
  c->lines = (uint64_t)channels << c->map.chunk_shift;
  while (c->lines < 200000) c->lines *= 2;
  assert_int_equal(addrmap_tabulate(&c->map, c->lines * LINE_BYTES, &e), 0);
}

static void wrong(const case_t *c, uint64_t line, const char *what) {
  fail_msg("%s, %u channels of %u slices, xor %d, line %llu: %s", c->kind, c->channels, c->slices,
           c->xor, (unsigned long long)line, what);
}

/* Equal but for a remainder: lines of a slice, or of one of its sets. */
static void check_even(const case_t *c, const uint32_t *count, uint32_t n, uint32_t slack,
                       const char *what) {
  uint64_t fair = c->lines / n;
  for (uint32_t i = 0; i < n; i++)
    if (count[i] + slack < fair || count[i] > fair + 1 + slack) wrong(c, i, what);
}

static void check_case(case_t *c) {
  uint64_t inside = c->lines / c->channels; /* lines of a channel */
  uint32_t slices = c->channels * c->slices;
  uint8_t *seen = calloc(c->channels, inside);
  uint32_t *in_channel = calloc(c->channels, sizeof *in_channel);
  uint32_t *in_slice = calloc(slices, sizeof *in_slice);
  uint32_t *in_set = calloc((size_t)slices * SETS, sizeof *in_set);
  assert_true(seen && in_channel && in_slice && in_set);
  for (uint64_t line = 0; line < c->lines; line++) {
    place_t p = addrmap_place_line(&c->map, line), q = addrmap_work_out(&c->map, line);
    uint32_t channel = addrmap_channel(&c->map, p.slice);
    if (p.slice != q.slice || p.local != q.local) wrong(c, line, "the table says something else");
    if (channel >= c->channels || p.local >= inside) wrong(c, line, "outside");
    if (c->kind[0] != 'p' && p.slice != channel * c->slices + p.local % c->slices)
      wrong(c, line, "not its slice");
    if (seen[channel * inside + p.local]++) wrong(c, line, "its place is another's");
    in_channel[channel]++;
    in_slice[p.slice]++;
    in_set[p.slice * SETS + addrmap_set(&c->map, p.local, SETS)]++;
  }
  check_even(c, in_channel, c->channels, 0, "channels are not even");
  check_even(c, in_slice, slices, 1, "slices are not even");
  check_even(c, in_set, slices * SETS, 2, "sets are not even");
  free(seen), free(in_channel), free(in_slice), free(in_set);
  addrmap_fini(&c->map);
}

static void every_shape(const char *kind) {
  case_t c;
  for (size_t i = 0; i < COUNT(channel_counts); i++)
    for (size_t k = 0; k < COUNT(slice_counts); k++)
      for (int xor = 0; xor < 2; xor ++) {
        uint32_t n = channel_counts[i] * slice_counts[k];
        if (kind[1] == 'r' && n > 100) continue;                                /* large */
        if (kind[0] == 'p' && ((n & (n - 1)) || slice_counts[k] > 2)) continue; /* refused */
        open_case(&c, kind, xor, channel_counts[i], slice_counts[k]);
        check_case(&c);
      }
}
static void pieces_are_one_to_one_and_even(void **state) {
  (void)state;
  every_shape("fine");
}
static void polynomial_pieces_are_one_to_one_and_even(void **state) {
  (void)state;
  every_shape("poly");
}
/* Accel-Sim's 64 slices, by its equations of IPOLY(67): bits 13, 8 to 12, and those from 14 on. */
static void the_polynomial_of_64_slices_is_the_one_of_gpgpu_sim(void **state) {
  (void)state;
  case_t c;
  open_case(&c, "poly", false, 32, 2);
  static const uint32_t at[][2] = {{8, 2},   {12, 32}, {13, 1},  {14, 3},  {15, 6},
                                   {18, 48}, {19, 35}, {20, 5},  {24, 19}, {26, 15},
                                   {29, 59}, {30, 53}, {31, 41}, {32, 17}};
  for (size_t i = 0; i < COUNT(at); i++)
    assert_int_equal(addrmap_work_out(&c.map, (1ull << at[i][0]) / LINE_BYTES).slice, at[i][1]);
  addrmap_fini(&c.map);
}
static void frames_are_one_to_one_and_even(void **state) {
  (void)state;
  every_shape("frame");
}

/* Addresses a power of two apart, as columns of a matrix are, do not meet in one channel. */
static void strides_are_spread(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(channel_counts); i++)
    for (uint32_t stride = 1; stride < 1 << 14; stride *= 2) {
      uint32_t channels = channel_counts[i], met = 0, n = 64 * channels;
      case_t c;
      open_case(&c, "fine", true, channels, 3);
      uint8_t *seen = calloc(channels, 1);
      for (uint64_t k = 0; k < n; k++) {
        place_t p = addrmap_work_out(&c.map, k * stride);
        met += !seen[addrmap_channel(&c.map, p.slice)]++;
      }
      if (4 * met < channels)
        wrong(&c, stride, "a stride meets less than a quarter of the channels");
      free(seen);
      addrmap_fini(&c.map);
    }
}

static void none_of_them_is_refused(void **state) {
  (void)state;
  addrmap_spec_t spec = {.kind = "fine"};
  addrmap_t m;
  err_t e;
  assert_int_equal(addrmap_init(&m, &spec, 0, 2, 8, 1024, 128, &e), GMMU_ERANGE);
  assert_int_equal(addrmap_init(&m, &spec, 6, 0, 8, 1024, 128, &e), GMMU_ERANGE);
  assert_int_equal(addrmap_init(&m, &spec, 6, 2, 6, 1024, 128, &e), GMMU_ERANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_one_to_one_and_even),
      cmocka_unit_test(frames_are_one_to_one_and_even),
      cmocka_unit_test(polynomial_pieces_are_one_to_one_and_even),
      cmocka_unit_test(the_polynomial_of_64_slices_is_the_one_of_gpgpu_sim),
      cmocka_unit_test(strides_are_spread),
      cmocka_unit_test(none_of_them_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
