#ifndef GMMU_CC_H
#define GMMU_CC_H
/* `gmmu cc`: what is to be compiled (tools/cc_args.c reads it from nvcc's options), and the steps
 * that do it (cc_steps.c). */
#include "base/strbuf.h"
#include "base/words.h"
#include "gmmu/err.h"

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
bool cc_is_cuda(const char *path); /* .cu */
bool cc_is_source(
    const char *path); /* .cu or another file to compile; else it goes to the linker */
/* To whom compilation speaks while it is under way. */
typedef struct {
  void *ctx;
  void (*text)(void *ctx, const char *text, size_t size); /* commands and compilers' messages */
  void (*say)(void *ctx, const char *sentence);           /* of ours */
  int (*ptx)(void *ctx, const strbuf_t *ptx, err_t *e);   /* the output if its name is "-" */
} cc_tell_t;
/* Does it. An error without a text is a compiler's, which has said what is wrong. */
int cc_build(const cc_job_t *j, const cc_tell_t *tell, err_t *e);

/* One sentence, and true, if `said`, what a compiler or linker printed, names a library or a part
 * of CUDA that gmmu does not have. */
bool cc_explain(const char *said, strbuf_t *out);

/* CUDA source that nvcc takes and clang does not, made good, is added to `out`: "<< <" and ">> >"
 * of launches, "%laneid" among operands of asm, alignas behind "__shared__". Returns whether
 * anything was changed. Lines stay where they are. */
bool cc_mend(const char *text, strbuf_t *out);
/* PTX that clang got wrong, made good, is added to `out`; lines stay where they are. */
void cc_mend_ptx(const char *ptx, strbuf_t *out);
/* PTX for separate compilation, in which static variables have their plain names again: the host's
 * part asks for those. */
void cc_mend_statics(const char *ptx, strbuf_t *out);
/* Whether a host object registers a variable of its own that the PTX does not have: to clang nobody
 * else could write one in a nameless namespace, or of a nameless type, so it became a constant. */
bool cc_loses_variables(const char *object, size_t bytes, const char *ptx);
/* A fat binary, uncompressed, with one image: the PTX text. Caller frees; NULL: no memory. */
uint8_t *cc_fatbin(const char *ptx, size_t bytes, uint32_t arch, size_t *size);
#endif
