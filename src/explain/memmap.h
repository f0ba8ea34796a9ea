#ifndef GMMU_MEMMAP_H
#define GMMU_MEMMAP_H
/* A picture of physical memory: who owns which large frame, how full it is, coalesced or not. */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include "gmmu/mm.h"

#define MEMMAP_END UINT64_MAX
#define MEMMAP_MAX 16 /* pictures of one run */

/* A picture somebody asked for. */
typedef struct {
  char path[4096]; /* of the SVG file */
  uint64_t cycle;  /* MEMMAP_END: when the run has ended */
} memmap_t;

/* "FILE" or "FILE@CYCLE"; the @ is looked for in the last part of the path. */
int memmap_parse(const char *text, memmap_t *out, err_t *e);
/* The file for one of several designs: out.svg becomes out-mosaic.svg, or out-3.svg if the design
 * has no plain name. */
int memmap_path(const memmap_t *m, const char *design, uint32_t number, char *path, size_t size,
                err_t *e);

typedef struct {
  const char *gpu, *design, *manager;
  const char *const *app; /* [apps] names */
  uint32_t apps;
  uint64_t cycle;
} memmap_title_t;

/* The picture. Large frames without a used base frame that nobody holds are background only, so
 * the text grows with what is used, not with memory. */
void memmap_svg(const mm_t *m, const memmap_title_t *title, strbuf_t *out);
#endif
