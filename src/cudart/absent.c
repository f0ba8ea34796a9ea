/* Entry points of NVIDIA's library that are not here: they exist, so that programs start, answer
 * with cudaErrorNotSupported whatever their arguments, and say their name once. */
#include "cudart/rt.h"

#define ROW(name)                                                                                  \
  API(name, void) { return UNSUPPORTED(#name); }
#include "cudart/absent.def"
