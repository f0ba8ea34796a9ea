#ifndef GMMU_HOST_FATBIN_H
#define GMMU_HOST_FATBIN_H
/* Fat binaries: what a CUDA compiler puts into a program for the device. One or more regions, each
 * a list of images of the same code: PTX text, and machine code for particular chips. We read the
 * text. The bytes are anybody's: every size is checked before it is used. */
#include "gmmu/err.h"
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAX_IMAGES 256u
#define FATBIN_MAX_TEXT   ((size_t)64 << 20) /* of one image; the largest seen have some MB */

typedef enum { FATBIN_PTX = 1, FATBIN_ELF = 2 } fatbin_kind_t; /* others exist */

typedef struct {
  uint16_t kind;         /* fatbin_kind_t */
  uint16_t major, minor; /* of PTX itself */
  uint32_t arch;         /* 75: compute_75 or sm_75 */
  uint32_t region;
  uint64_t flags;
  size_t offset, bytes; /* of the stored bytes, in the fat binary */
  size_t stored;        /* compressed size; 0: plain */
  size_t text_bytes;    /* as the header says; 0 if plain */
} fatbin_image_t;

typedef struct {
  fatbin_image_t image[FATBIN_MAX_IMAGES];
  uint32_t images;
} fatbin_t;

/* Lists the images. Errors have an offset. */
int fatbin_read(const void *data, size_t size, fatbin_t *out, err_t *e);
/* Chooses PTX as a driver would: of each region the newest architecture that the device has
 * (`device_arch`, 75 for 7.5), or else the oldest that it lacks. Image numbers in order of
 * preference go to order[]; returns how many, or GMMU_ENOENT with a sentence on how to rebuild. */
int fatbin_choose(const fatbin_t *f, uint32_t region, uint32_t device_arch,
                  uint32_t order[FATBIN_MAX_IMAGES], err_t *e);
uint32_t fatbin_regions(const fatbin_t *f);
/* The text of a PTX image, without the zeros behind it. On success the caller frees *text. */
int fatbin_text(const void *data, size_t size, const fatbin_image_t *i, char **text,
                size_t *text_size, err_t *e);
#endif
