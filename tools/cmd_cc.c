/* gmmu cc: CUDA C++ to a program that `gmmu run -- ./program` runs, with clang and headers of ours.
 */
#include "cc_args.h"
#include <stdio.h>

static const cli_option_t options[] = {
    {'o', "output-file", "FILE", "what to write (a.out, FILE.o, FILE.ptx)"},
    {'c', "compile", NULL, "stop at objects"},
    {CLI_LONG_ONLY, "ptx", NULL, "stop at PTX"},
    {'v', "verbose", NULL, "print the commands"},
    {CLI_LONG_ONLY, "keep", NULL, "keep PTX, fat binary and object in the working folder"},
    {CLI_LONG_ONLY, "dryrun", NULL, "print the commands and run none"},
    {0},
};

static void text(void *ctx, const char *from, size_t size) {
  (void)ctx;
  fwrite(from, 1, size, stderr);
}

static void say(void *ctx, const char *sentence) {
  (void)ctx;
  cli_say("%s", sentence);
}

static int ptx(void *ctx, const strbuf_t *made, err_t *e) {
  (void)ctx, (void)e; /* what goes wrong is said */
  return cli_data(NULL, made) == CLI_DONE ? GMMU_OK : GMMU_EIO;
}

static int build(const cc_job_t *j) {
  static const cc_tell_t tell = {.text = text, .say = say, .ptx = ptx};
  err_t e = {0};
  int rc = cc_build(j, &tell, &e);
  if (rc < 0 && e.text[0]) return cli_fail(&e);
  return rc == GMMU_EINTERRUPTED ? CLI_INTERRUPTED : rc < 0 ? CLI_FAILED : CLI_DONE;
}

static int run(cli_t *c) {
  cc_job_t j;
  int status = cc_read(c, &j);
  if (!status) status = build(&j);
  cc_job_fini(&j);
  return status;
}

const subcommand_t cmd_cc = {
    .name = "cc",
    .summary = "compile a CUDA program, with clang and no CUDA toolkit",
    .usage = "[OPTIONS] FILE...",
    .details =
        "FILE is a .cu, .cpp or .c source, an object or a library. Other options are nvcc's: -I, "
        "-D,\n"
        "-U, -include, -std, -O, -g, -L, -l, -shared, -arch and -gencode, -Xcompiler, -Xlinker,\n"
        "-use_fast_math and -fmad mean what they mean there; what concerns machine code (-Xptxas,\n"
        "-maxrregcount, ...) is taken and has no effect. With -rdc=true files share their\n"
        "__device__ functions and variables; -dc and -dlink are there, too. GMMU_CLANG\n"
        "names the compiler, if it is not the first of clang, clang-14 .. clang-19.\n"
        "\n"
        "    gmmu cc prog.cu -o prog\n",
    .options = options,
    .run = run,
};
