/* The device "cuda" against a driver that only pretends (fake_cuda.c). */
#include "help.h"

static device_t *opened(void) {
  device_options_t o = {0};
  device_t *d = NULL;
  err_t e = {0};
  if (device_open("cuda", &o, &d, &e) < 0) fail_msg("%s", e.text);
  return d;
}

static void a_gpu_is_opened_with_most_of_its_memory(void **state) {
  (void)state;
  device_t *d = opened();
  assert_string_equal(d->info.name, "fake 0");
  assert_int_equal(d->info.sms, 4);
  assert_in_range(d->info.bytes, 192ull << 20, 448ull << 20);
  assert_false(d->info.contiguous);
  device_free(d);
}

static void chases_are_walked(void **state) {
  (void)state;
  device_t *d = opened();
  uint64_t at[3] = {0, 4096, 1 << 20}, other[2] = {128, 256};
  int64_t t[2][3] = {{0}};
  chase_t c[] = {{.sm = 1, .at = at, .count = 3, .warm = 1, .timed = 2, .time = t[0]},
                 {.sm = 1, .at = other, .count = 2, .warm = 3}};
  err_t e = {0};
  assert_int_equal(device_run(d, c, 2, &e), 0);
  for (uint32_t i = 0; i < 6; i++) assert_true(t[i / 3][i % 3] > 0);
  device_free(d);
}

/* Each load more takes the clock further: what is asked is what is loaded. */
static void questions_are_answered_in_order(void **state) {
  (void)state;
  enum { N = 1500 }; /* more than one launch has */
  device_t *d = opened();
  static uint64_t at[128];
  static uint32_t cycles[N];
  static question_t q[N];
  err_t e = {0};
  for (uint64_t i = 0; i < 128; i++) at[i] = i * 4096 + 16 * i;
  for (uint32_t i = 0; i < N; i++)
    q[i] = (question_t){
        .at = at, .warm = 2, .first = 3, .rest = 40, .ready = 1, .timed = 1, .cycles = &cycles[i]};
  q[N - 1].timed = 82;
  if (device_ask(d, q, N, &e) < 0) fail_msg("%s", e.text);
  assert_true(cycles[0] > 0);
  assert_int_equal(cycles[0], cycles[1]);
  assert_int_equal(cycles[0], cycles[N - 2]);
  assert_true(cycles[N - 1] > cycles[0]);
  device_free(d);
}

static void questions_beyond_the_buffer_are_refused(void **state) {
  (void)state;
  device_t *d = opened();
  uint64_t far = d->info.bytes, odd = 8;
  uint32_t cycles;
  question_t q = {.at = &far, .timed = 1, .cycles = &cycles};
  err_t e = {0};
  assert_int_equal(device_ask(d, &q, 1, &e), GMMU_ERANGE);
  q.at = &odd;
  assert_int_equal(device_ask(d, &q, 1, &e), GMMU_ERANGE);
  q.timed = DEVICE_TIMED + 1;
  assert_int_equal(device_ask(d, &q, 1, &e), GMMU_EINVAL);
  device_free(d);
}

static void a_gpu_that_is_not_there_is_said_to_be(void **state) {
  (void)state;
  device_options_t o = {0};
  device_t *d;
  err_t e = {0};
  assert_true(device_open("cuda:3", &o, &d, &e) < 0);
  assert_non_null(strstr(e.text, "find this GPU"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gpu_is_opened_with_most_of_its_memory),
      cmocka_unit_test(chases_are_walked),
      cmocka_unit_test(questions_are_answered_in_order),
      cmocka_unit_test(questions_beyond_the_buffer_are_refused),
      cmocka_unit_test(a_gpu_that_is_not_there_is_said_to_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
