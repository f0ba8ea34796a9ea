/* The reader of kernelslist.g, and the ranges its copies become: none overlaps an earlier one. */
#include "import/klist.h"
#include "import/ranges.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool ok) {
  if (!ok) abort();
}

static int emit(void *ctx, uint64_t va, uint64_t bytes, err_t *e) {
  uint64_t *total = ctx;
  (void)e;
  check(va % RANGES_ALIGN == 0 && bytes && va + bytes <= 1ull << 48);
  *total += bytes;
  return 0;
}

static void read_all(text_t *text, ranges_t *r, err_t *e) {
  klist_command_t c;
  notes_t notes = {0};
  uint64_t total = 0, sum = 0;
  int kind;
  while ((kind = klist_next(text, &notes, &c, e)) > 0) {
    check(kind <= KLIST_KERNEL);
    if (kind == KLIST_KERNEL)
      check(strncmp(c.file, "kernel", 6) == 0);
    else if (ranges_cover(r, c.va, c.va + c.bytes, emit, &total, e) < 0)
      return;
  }
  check(kind == 0 || e->code == kind);
  for (uint32_t i = 0; i < r->count; i++) {
    check(r->at[i].from < r->at[i].to && (!i || r->at[i - 1].to < r->at[i].from));
    sum += r->at[i].to - r->at[i].from;
  }
  check(sum == total);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  err_t e = {0};
  text_t *text;
  ranges_t r;
  int rc = text_open_memory("list", bytes, size, &text, &e);
  check(rc == 0 || e.code == rc);
  if (rc < 0) return 0;
  check(ranges_init(&r, &e) == 0);
  read_all(text, &r, &e);
  ranges_fini(&r);
  text_close(text);
  return 0;
}
