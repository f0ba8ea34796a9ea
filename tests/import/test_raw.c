/* Raw traces: lines of all warps in the order of arrival become the grouped text, whatever that
 * order is and however many words stand in front; what cannot be is refused with its place. */
#include "help.h"
#include "import/raw.h"

#define LINES 5 /* of a warp, an LDGSTS among them, which has two in a raw trace */
enum { GX = 3, GY = 2, WARPS = 2, ALL = GX * GY * WARPS };
#define TEXT_BYTES 65536

typedef struct {
  const char *text;
} trace_text_t;

static int open_source(void *ctx, text_t **out, err_t *e) {
  const trace_text_t *s = ctx;
  return text_open_memory("raw", s->text, strlen(s->text), out, e);
}

static const char head[] = "-kernel name = k\n-grid dim = (3,2,1)\n-block dim = (64,1,1)\n"
                           "-shmem = 0\n-nregs = 16\n-binary version = 80\n"
                           "-accelsim tracer version = %d\n%s#format\n";

/* Line i of warp w of all. */
static int line_text(char *to, size_t room, uint32_t w, uint32_t i, bool info, bool first_half) {
  char number[16] = "";
  if (info) snprintf(number, sizeof number, "%u ", 40 + i);
  if (i == 2)
    return snprintf(to, room, "%s0020 ffffffff 0 LDGSTS.E.128 2 R6 R2 16 1 0x%x 16\n", number,
                    first_half ? 0x100 : 0x10000 * (w + 1));
  if (i == LINES - 1) return snprintf(to, room, "%s0040 ffffffff 0 EXIT 0 0\n", number);
  return snprintf(to, room, "%s%04x ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4\n", number, 16 * i,
                  0x10000 * (w + 1) + i);
}

static size_t front_text(char *to, size_t room, uint32_t w, bool clusters, bool core) {
  uint32_t b = w / WARPS;
  int n = snprintf(to, room, "%u %u 0 %u ", b % GX, b / GX, w % WARPS);
  if (clusters) n += snprintf(to + n, room - (size_t)n, "%u 0 0 1 0 0 1 ", b % GX);
  if (core) n += snprintf(to + n, room - (size_t)n, "17 3 ");
  return (size_t)n;
}

/* The lines of all warps in an order that only keeps each warp's own. */
static void raw_text(char *to, uint32_t seed, int version, bool info, bool clusters, bool core) {
  uint32_t at[ALL] = {0}, left = ALL;
  size_t n = (size_t)snprintf(to, TEXT_BYTES, head, version, info ? "-enable lineinfo = 1\n" : "");
  while (left) {
    seed = seed * 1664525u + 1013904223u;
    uint32_t w = (seed >> 8) % ALL, k = at[w];
    if (k > LINES) continue; /* LDGSTS makes one more */
    n += front_text(to + n, TEXT_BYTES - n, w, clusters, core);
    n += (size_t)line_text(to + n, TEXT_BYTES - n, w, k < 3 ? k : k - 1, info, k == 2);
    at[w]++;
    left -= k == LINES;
  }
}

static void grouped_text(char *to, int version, bool info, bool clusters, bool core) {
  size_t n = (size_t)snprintf(to, TEXT_BYTES, head, version, info ? "-enable lineinfo = 1\n" : "");
  for (uint32_t w = 0; w < ALL; w++) {
    uint32_t b = w / WARPS;
    if (w % WARPS == 0)
      n += (size_t)snprintf(to + n, TEXT_BYTES - n, "\n#BEGIN_TB\n\nthread block = %u,%u,0\n",
                            b % GX, b / GX);
    if (w % WARPS == 0 && clusters)
      n += (size_t)snprintf(to + n, TEXT_BYTES - n,
                            "cluster id = %u,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n", b % GX);
    n += (size_t)snprintf(to + n, TEXT_BYTES - n, "\nwarp = %u\ninsts = %d\n", w % WARPS, LINES);
    for (uint32_t i = 0; i < LINES; i++) {
      if (core) n += (size_t)snprintf(to + n, TEXT_BYTES - n, "17 3 ");
      n += (size_t)line_text(to + n, TEXT_BYTES - n, w, i, info, false);
    }
    if (w % WARPS == WARPS - 1) n += (size_t)snprintf(to + n, TEXT_BYTES - n, "\n#END_TB\n");
  }
}

static void any_order_and_front_becomes_the_grouped_text(void **state) {
  (void)state;
  char *raw = malloc(TEXT_BYTES), *want = malloc(TEXT_BYTES), *got = malloc(TEXT_BYTES);
  assert_true(raw && want && got);
  for (uint32_t k = 0; k < 64; k++) {
    bool info = k & 1, clusters = k & 2, core = k & 4;
    int version = info ? 4 : (int)(k % 4);
    err_t e = {0};
    FILE *f;
    raw_text(raw, k * 7919 + 1, version, info, clusters, core);
    grouped_text(want, version, info, clusters, core);
    trace_text_t s = {raw};
    if (raw_group(open_source, &s, &f, &e) != 0) fail_msg("%u: %s", k, e.text);
    assert_non_null(f);
    rewind(f);
    size_t n = fread(got, 1, TEXT_BYTES - 1, f);
    got[n] = 0;
    assert_string_equal(got, want);
    fclose(f);
  }
  free(raw), free(want), free(got);
}

static void a_grouped_trace_is_left_alone(void **state) {
  (void)state;
  trace_text_t s = {HEAD V3 "#\n" BODY("0000 1 0 EXIT 0 0")};
  err_t e = {0};
  FILE *f;
  assert_int_equal(raw_group(open_source, &s, &f, &e), 0);
  assert_null(f);
}

static void refused(const char *body, uint32_t line, const char *words) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s#\n%s", HEAD, V3, body);
  trace_text_t s = {text};
  err_t e = {0};
  FILE *f;
  assert_int_equal(raw_group(open_source, &s, &f, &e), GMMU_EFORMAT);
  assert_null(f);
  assert_int_equal(e.line, line);
  if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
}

static void what_cannot_be_is_refused_with_its_line(void **state) {
  (void)state;
  refused("0 0 0 0 0000 1 0 NOP 0 0\n1 0 0 0 0010 1 0 EXIT 0 0\n", 12, "outside the grid");
  refused("0 0 0 0 0000 1 0 NOP 0 0\n0 0 0 1 0010 1 0 EXIT 0 0\n", 12, "warp 1 of a block of 1");
  refused("0 0 0 0 0000 1 0 NOP 0 0\n0 0 x 0 0010 1 0 EXIT 0 0\n", 12, "block, warp or cluster");
  refused("0 0 0 0 0000 1 0 NOP 0 0\nwarp = 1\n", 12, "expected an instruction");
  refused("0 0000\n", 11, "block and warp in front");
  refused("0 0 0 0 0000 1 0 NOP 0 0\n#BEGIN_TB\n", 12, "expected an instruction");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order_and_front_becomes_the_grouped_text),
      cmocka_unit_test(a_grouped_trace_is_left_alone),
      cmocka_unit_test(what_cannot_be_is_refused_with_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
