/* The reader of kernel traces as text, plain or packed. */
#include "read_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  read_trace(bytes, size);
  return 0;
}
