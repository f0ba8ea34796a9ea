/* The reader of .tracez. The first byte says what the others are: 0, a file; else grouped text,
 * which the tests' writer packs into frames of so many instructions, so that damage of the text is
 * met behind sound frames. */
#include "import/zwriter.h"
#include "read_trace.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What the writer needs: a header that ends, and no NUL. */
static bool can_pack(const char *text) {
  const char *end = strstr(text, "\n#");
  return end && strchr(end + 1, '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (!size) return 0;
  if (!*bytes) {
    read_trace(bytes + 1, size - 1);
    return 0;
  }
  char *text = calloc(1, size), *packed = NULL; /* the input has no end of its own */
  size_t all = 0;
  check(text != NULL);
  memcpy(text, bytes + 1, size - 1);
  if (can_pack(text)) {
    FILE *f = open_memstream(&packed, &all);
    check(f != NULL);
    zwriter_convert(text, *bytes, false, f);
    fclose(f);
    read_trace(packed, all);
    free(packed);
  }
  free(text);
  return 0;
}
