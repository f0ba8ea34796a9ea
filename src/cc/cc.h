#ifndef GMMU_CC_H
#define GMMU_CC_H
/* `gmmu cc`: what is to be compiled (cc_args.c reads it from nvcc's options), and the steps that do
 * it (cc_steps.c). */
#include "base/words.h"
#include "cli.h"

typedef enum { CC_PROGRAM, CC_OBJECT, CC_PTX, CC_DEVICE_LINK } cc_goal_t;

typedef struct {
  cc_goal_t goal;
  const char *output; /* as typed; NULL: by rule */
  words_t input;      /* sources and objects, in order */
  words_t both;       /* options of the device's and the host's part of a .cu file */
  words_t device, host;
  bool value_follows; /* the next word of -Xcompiler belongs to the one before */
  words_t link;       /* objects and libraries, in order; an empty word stands for the next input */
  uint32_t arch;
  bool verbose, keep, dry;
  bool rdc; /* variables of the device may be used across files */
} cc_job_t;

void cc_job_fini(cc_job_t *j);
/* Reads the arguments of `c`; a status, with the error printed. */
int cc_read(cli_t *c, cc_job_t *j);
bool cc_is_cuda(const char *path); /* .cu */
bool cc_is_source(
    const char *path); /* .cu or another file to compile; else it goes to the linker */
/* Does it; a status. */
int cc_build(const cc_job_t *j);

/* One sentence on stderr if `said`, what a compiler or linker printed, names a library or a part of
 * CUDA that gmmu does not have. */
void cc_explain(const char *said);

/* CUDA source that nvcc takes and clang does not, made good: "<< <" and ">> >" of launches. Returns
 * the new text (caller frees, *size its length), or NULL if nothing is to be changed. Lines stay
 * where they are. */
char *cc_mend(const char *text, size_t *size);
/* PTX that clang got wrong, made good, is added to `out`; lines stay where they are. */
void cc_mend_ptx(const char *ptx, strbuf_t *out);
/* A fat binary, uncompressed, with one image: the PTX text. Caller frees; NULL: no memory. */
uint8_t *cc_fatbin(const char *ptx, size_t bytes, uint32_t arch, size_t *size);
#endif
