/* test_tracez_large N: a .tracez of N warp instructions (default 10^6) is imported, in memory that
 * does not depend on N. Every 64 warps have the same text, so that writing it takes no time; packed
 * it is as large as if they had not. */
#include "base/unit.h"
#include "import/import.h"
#include "trace/gmt.h"
#include "zwriter.h"
#include <sys/resource.h>
#include <unistd.h>

#define WARPS      8u /* of a block */
#define MOST_BYTES (200u << 20)
#define STEP_INSTS 8u

static uint64_t insts = 1000000;

/* A loop over `steps` steps: two loads, a gather, a store and arithmetic. */
static void warp_text(uint32_t seed, uint64_t steps, strbuf_t *s) {
  strbuf_clear(s);
  for (uint64_t k = 0; k < steps; k++) {
    uint64_t at = 0x7f0000000000 + (k * 64 + seed) * 128;
    strbuf_printf(s, "0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x%016llx 4 0 0 NoVal \n",
                  (unsigned long long)at);
    strbuf_printf(s, "0020 ffffffff 1 R5 LDG.E.SYS 1 R6 4 1 0x%016llx 4 0 0 NoVal \n",
                  (unsigned long long)at + 0x1000000);
    strbuf_printf(s, "0030 0000ffff 1 R8 LDG.E.64 1 R10 8 2 0x%016llx", (unsigned long long)at);
    for (uint32_t l = 1; l < 16; l++) strbuf_printf(s, " %d", (int)((seed * l + k) % 64) * 8 - 256);
    strbuf_str(s, " 0 0 NoVal \n0040 ffffffff 1 R9 FFMA 3 R4 R5 R9 0 0 0 NoVal \n"
                  "0050 ffffffff 1 R2 IADD3 3 R2 R12 R255 0 0 0 NoVal \n"
                  "0060 ffffffff 1 R6 IADD3 3 R6 R12 R255 0 0 0 NoVal \n");
    strbuf_printf(s, "0070 ffffffff 0 STG.E.SYS 2 R2 R9 4 1 0x%016llx 4 0 0 NoVal \n",
                  (unsigned long long)at + 0x2000000);
    strbuf_str(s, k + 1 < steps ? "0080 ffffffff 0 BRA 0 0 0 0 NoVal \n"
                                : "0090 ffffffff 0 EXIT 0 0 0 0 NoVal ");
  }
}

static uint64_t write_file(const char *path) {
  uint64_t steps = insts > 10000000 ? 4096 : 256; /* of a warp */
  uint32_t blocks = (uint32_t)(insts / (steps * STEP_INSTS * WARPS)) + 1;
  char head[400];
  strbuf_t text;
  zwriter_t z;
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  strbuf_init(&text);
  snprintf(head, sizeof head,
           "-kernel name = large\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 0\n"
           "-nregs = 16\n-binary version = 90\n-accelsim tracer version = 6\n#traces format\n",
           blocks, WARPS * 32);
  zwriter_begin(&z, out, head, 2048, NULL);
  for (uint32_t b = 0; b < blocks; b++) {
    zwriter_block(&z, (uint32_t[10]){b, 0, 0, b});
    for (uint32_t w = 0; w < WARPS; w++) {
      if (b % 8 == 0) warp_text(b / 8 + w, steps, &text);
      if (b % 8 == 0 || w == 0)
        zwriter_warp(&z, text.buf, text.size);
      else
        zwriter_again(&z);
    }
  }
  zwriter_end(&z);
  strbuf_fini(&text);
  assert_int_equal(fclose(out), 0);
  return blocks * WARPS * steps * STEP_INSTS;
}

static uint64_t peak_bytes(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (uint64_t)u.ru_maxrss * 1024;
}

static void a_large_file_needs_little_memory(void **state) {
  (void)state;
  char dir[] = "tracez-XXXXXX", in[64], out[64];
  import_opts_t o = {.first = 1};
  import_summary_t s;
  err_t e = {0};
  assert_non_null(mkdtemp(dir));
  snprintf(in, sizeof in, "%s/kernel-1.tracez", dir), snprintf(out, sizeof out, "%s/x.gmt", dir);
  uint64_t wanted = write_file(in);
  int rc = import_run(in, out, &o, &s, &e);
  uint64_t peak = peak_bytes();
  unlink(in), unlink(out), rmdir(dir);
  if (rc < 0) fail_msg("%s: %s", e.file, e.text);
  assert_int_equal(s.warp_insts, wanted);
  assert_int_equal(s.kernels, 1);
  print_message("%llu warp instructions imported, at most %llu MB in memory\n",
                (unsigned long long)s.warp_insts, (unsigned long long)(peak >> 20));
#if !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
  assert_true(peak < MOST_BYTES);
#endif
  import_summary_fini(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_large_file_needs_little_memory)};
  if (argc > 1) insts = strtoull(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
