/* nvcc's command line, as far as it means something here. One table says what each option does; an
 * option of nvcc that has no meaning for PTX is dropped, one that asks for something that cannot be
 * had is an error, and what starts with -W, -f, -m, -O or -g goes to clang as it is. */
#include "cc_args.h"
#include "base/strbuf.h"
#include <stdlib.h>
#include <string.h>

typedef enum {
  DROP,       /* no value */
  DROP_VALUE, /* with its value */
  REFUSE,     /* `to` says why */
  BOTH,       /* `to`, or the option itself */
  DEVICE,     /* the words of `to` */
  PREFIX,     /* both parts get `to` and the value as one word */
  SEPARATE,   /* both parts get `to` and the value as two words */
  OUTPUT,
  GOAL_OBJECT,
  GOAL_PTX,
  ARCH,
  GENCODE,
  HOST_LIST, /* the value's pieces go to the host compiler: see host_words() */
  LINK_LIST, /* the value's pieces go to the linker */
  LINK,      /* `to` and the value as one word */
  LIBRARY,
  LINK_FLAG,
  RDC,
  RDC_OBJECT,
  RDC_LINK,
  FMAD,
  VERBOSE,
  KEEP,
  DRY
} act_t;

static const char no_binary[] = "there is no machine code here, only PTX: --ptx writes it";

static const struct {
  const char *name; /* with one dash; the same with two is meant too */
  act_t act;
  const char *to;
} options[] = {
    {"-o", OUTPUT, NULL},
    {"-output-file", OUTPUT, NULL},
    {"-c", GOAL_OBJECT, NULL},
    {"-compile", GOAL_OBJECT, NULL},
    {"-ptx", GOAL_PTX, NULL},
    {"-v", VERBOSE, NULL},
    {"-verbose", VERBOSE, NULL},
    {"-keep", KEEP, NULL},
    {"-save-temps", KEEP, NULL},
    {"-dryrun", DRY, NULL},
    {"-arch", ARCH, NULL},
    {"-gpu-architecture", ARCH, NULL},
    {"-gencode", GENCODE, NULL},
    {"-generate-code", GENCODE, NULL},
    {"-code", DROP_VALUE, NULL},
    {"-gpu-code", DROP_VALUE, NULL},
    {"-I", PREFIX, "-I"},
    {"-include-path", PREFIX, "-I"},
    {"-isystem", SEPARATE, "-isystem"},
    {"-system-include", SEPARATE, "-isystem"},
    {"-iquote", SEPARATE, "-iquote"},
    {"-include", SEPARATE, "-include"},
    {"-pre-include", SEPARATE, "-include"},
    {"-D", PREFIX, "-D"},
    {"-define-macro", PREFIX, "-D"},
    {"-U", PREFIX, "-U"},
    {"-undefine-macro", PREFIX, "-U"},
    {"-std", PREFIX, "-std="},
    {"-optimize", PREFIX, "-O"},
    {"-debug", BOTH, "-g"},
    {"-g", BOTH, "-g"},
    {"-w", BOTH, "-w"},
    {"-disable-warnings", BOTH, "-w"},
    {"-pg", DROP, NULL},
    {"-x", DROP_VALUE, NULL},
    {"-L", LINK, "-L"},
    {"-library-path", LINK, "-L"},
    {"-l", LIBRARY, NULL},
    {"-library", LIBRARY, NULL},
    {"-shared", LINK_FLAG, "-shared"},
    {"-pthread", LINK_FLAG, "-pthread"},
    {"-Xcompiler", HOST_LIST, NULL},
    {"-compiler-options", HOST_LIST, NULL},
    {"-Xlinker", LINK_LIST, NULL},
    {"-linker-options", LINK_LIST, NULL},
    {"-use_fast_math", DEVICE,
     "-fcuda-flush-denormals-to-zero,-fcuda-approx-transcendentals,-ffast-math"},
    {"-ftz", DROP_VALUE, NULL},
    {"-prec-div", DROP_VALUE, NULL},
    {"-prec-sqrt", DROP_VALUE, NULL},
    {"-fmad", FMAD, NULL},
    {"-rdc", RDC, NULL},
    {"-relocatable-device-code", RDC, NULL},
    {"-dc", RDC_OBJECT, NULL},
    {"-device-c", RDC_OBJECT, NULL},
    {"-dlink", RDC_LINK, NULL},
    {"-device-link", RDC_LINK, NULL},
    {"-cubin", REFUSE, no_binary},
    {"-fatbin", REFUSE, no_binary},
    {"-run", REFUSE, "build the program, then `gmmu run -- ./program`"},
    {"-lib", REFUSE, "compile with -c, then use ar"},
    {"-Xptxas", DROP_VALUE, NULL},
    {"-ptxas-options", DROP_VALUE, NULL},
    {"-Xfatbin", DROP_VALUE, NULL},
    {"-fatbin-options", DROP_VALUE, NULL},
    {"-Xnvlink", DROP_VALUE, NULL},
    {"-Xcudafe", DROP_VALUE, NULL},
    {"-diag-suppress", DROP_VALUE, NULL},
    {"-maxrregcount", DROP_VALUE, NULL},
    {"-ccbin", DROP_VALUE, NULL},
    {"-compiler-bindir", DROP_VALUE, NULL},
    {"-cudart", DROP_VALUE, NULL},
    {"-default-stream", DROP_VALUE, NULL},
    {"-machine", DROP_VALUE, NULL},
    {"-m", DROP_VALUE, NULL},
    {"-t", DROP_VALUE, NULL},
    {"-threads", DROP_VALUE, NULL},
    {"-keep-dir", DROP_VALUE, NULL},
    {"-compress-mode", DROP_VALUE, NULL},
    {"-no-compress", DROP, NULL},
    {"-m64", DROP, NULL},
    {"-G", DROP, NULL},
    {"-device-debug", DROP, NULL},
    {"-lineinfo", DROP, NULL},
    {"-generate-line-info", DROP, NULL},
    {"-restrict", DROP, NULL},
    {"-res-usage", DROP, NULL},
    {"-resource-usage", DROP, NULL},
    {"-expt-relaxed-constexpr", DROP, NULL},
    {"-expt-extended-lambda", DROP, NULL},
    {"-extended-lambda", DROP, NULL},
    {"-extra-device-vectorization", DROP, NULL},
    {"-source-in-ptx", DROP, NULL},
    {"-src-in-ptx", DROP, NULL},
    {"-Wno-deprecated-gpu-targets", DROP, NULL},
    {"-compress-all", DROP, NULL},
    {0},
};

/* ---- the table ------------------------------------------------------------------------------- */

static bool takes_value(act_t a) {
  return a == DROP_VALUE || a == PREFIX || a == SEPARATE || a == OUTPUT || a == ARCH ||
         a == GENCODE || a == HOST_LIST || a == LINK_LIST || a == LINK || a == LIBRARY ||
         a == RDC || a == FMAD;
}

/* -Ifolder, -DNAME, -Lfolder, -lname, -ofile: one letter, its value attached. */
static bool may_attach(const char *name) {
  return name[1] && !name[2] && strchr("IDULlo", name[1]);
}

/* The row of option `text`; *value is what is attached to it, or NULL. -1: not in the table. */
static int find(const char *text, const char **value) {
  const char *name = text[1] == '-' ? text + 1 : text;
  size_t size = strcspn(name, "=");
  *value = NULL;
  for (int i = 0; options[i].name; i++) {
    if (strlen(options[i].name) != size || strncmp(options[i].name, name, size)) continue;
    if (name[size]) *value = name + size + 1;
    return i;
  }
  for (int i = 0; options[i].name; i++) {
    if (name != text || !may_attach(options[i].name) || name[1] != options[i].name[1]) continue;
    *value = name + 2;
    return i;
  }
  return -1;
}

/* ---- actions --------------------------------------------------------------------------------- */

/* The target must be one that clang 14 and later know; what a newer one has extra is not in PTX of
 * clang anyway. */
static void set_arch(cc_job_t *j, const char *text) {
  static const uint32_t known[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
  const char *digit = strpbrk(text, "0123456789");
  uint32_t wanted = digit ? (uint32_t)strtoul(digit, NULL, 10) : 0;
  if (!wanted) return; /* native, all, all-major */
  j->arch = known[0];
  for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i] <= wanted) j->arch = known[i];
}

static void add_library(cc_job_t *j, const char *name) {
  /* The runtime is there anyway, and marks for a profiler are a header's. */
  static const char *const linked[] = {"cudart", "cudart_static", "cudadevrt", "nvToolsExt", NULL};
  static const struct {
    const char *name, *file;
  } ours[] = {{"cuda", "libcuda.so.1"},
              {"nvrtc", "libnvrtc.so.12"},
              {"cublas", "libcublas.so.12"},
              {"cufft", "libcufft.so.11"},
              {"curand", "libcurand.so.10"}};
  for (const char *const *o = linked; *o; o++)
    if (strcmp(*o, name) == 0) return;
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(ours[i].name, name) == 0) {
      words_addf(&j->link, "-l:%s", ours[i].file);
      return;
    }
  words_addf(&j->link, "-l%s", name);
}

/* -Xcompiler: with nvcc these words reach the host compiler, which preprocesses both parts,
 * compiles the host's and links. So those that steer the preprocessor are for both parts here. */
static const char *const preprocessor[] = {"-D",       "-U",        "-I",       "-include",
                                           "-imacros", "-iquote",   "-isystem", "-idirafter",
                                           "-std",     "-nostdinc", "-undef",   NULL};

static bool is_preprocessor(const char *word) {
  for (const char *const *p = preprocessor; *p; p++)
    if (strncmp(word, *p, strlen(*p)) == 0) return true;
  return false;
}

/* -D NAME, -include FILE: the value is a word of its own. */
static bool awaits_value(const char *word) {
  for (const char *const *p = preprocessor; *p; p++)
    if (strcmp(word, *p) == 0) return strcmp(word, "-nostdinc") != 0 && strcmp(word, "-undef") != 0;
  return false;
}

/* Up to the next comma or blank; quotes hold together what they enclose and go. */
static const char *host_word(const char *p, strbuf_t *word) {
  char quote = 0;
  for (; *p && (quote || !strchr(", \t", *p)); p++) {
    if (quote ? *p == quote : *p == '"' || *p == '\'')
      quote = quote ? 0 : *p;
    else
      strbuf_add(word, p, 1);
  }
  return p + (*p != 0);
}

static void host_words(cc_job_t *j, const char *text) {
  strbuf_t word;
  strbuf_init(&word);
  while (*text) {
    strbuf_clear(&word);
    text = host_word(text, &word);
    if (!word.size) continue;
    bool both = j->value_follows || is_preprocessor(strbuf_text(&word));
    words_add(both ? &j->both : &j->host, strbuf_text(&word));
    j->value_follows = !j->value_follows && awaits_value(strbuf_text(&word));
  }
  strbuf_fini(&word);
}

/* Options that are only words for one of the compilers; false if `act` is another. */
static bool pass_on(cc_job_t *j, act_t act, const char *to, const char *name, const char *value) {
  switch (act) {
  case BOTH: words_add(&j->both, to ? to : name); return true;
  case DEVICE: words_split(&j->device, to); return true;
  case PREFIX: words_addf(&j->both, "%s%s", to, value); return true;
  case SEPARATE: words_add(&j->both, to), words_add(&j->both, value); return true;
  case HOST_LIST: host_words(j, value); return true;
  case LINK_LIST: words_addf(&j->link, "-Wl,%s", value); return true;
  case LINK: words_addf(&j->link, "%s%s", to, value); return true;
  case LINK_FLAG: words_add(&j->link, to), words_add(&j->host, to); return true;
  case LIBRARY: add_library(j, value); return true;
  case DROP:
  case DROP_VALUE: return true;
  default: return false;
  }
}

static int act(cli_t *c, cc_job_t *j, int row, const char *value) {
  const char *name = options[row].name, *to = options[row].to;
  act_t a = options[row].act;
  if (pass_on(j, a, to, name, value)) return CLI_DONE;
  switch (a) {
  case REFUSE: return cli_usage(c, "%s: %s", name, to);
  case OUTPUT: j->output = value; break;
  case GOAL_OBJECT: j->goal = CC_OBJECT; break;
  case GOAL_PTX: j->goal = CC_PTX; break;
  case ARCH:
  case GENCODE: set_arch(j, value); break;
  case FMAD:
    if (strcmp(value, "false") == 0) words_add(&j->device, "-ffp-contract=off");
    break;
  case RDC: j->rdc = strcmp(value, "true") == 0; break;
  case RDC_OBJECT: j->goal = CC_OBJECT, j->rdc = true; break;
  case RDC_LINK: j->goal = CC_DEVICE_LINK, j->rdc = true; break;
  case VERBOSE: j->verbose = true; break;
  case KEEP: j->keep = true; break;
  case DRY: j->dry = j->verbose = true; break;
  default: break;
  }
  return CLI_DONE;
}

static int read_option(cli_t *c, cc_job_t *j, const char *text) {
  const char *value;
  int row = find(text, &value);
  if (row < 0 && text[1] && strchr("WfmOgM", text[1])) {
    words_add(strchr("fmM", text[1]) ? &j->host : &j->both, text);
    return CLI_DONE;
  }
  if (row < 0)
    return cli_usage(c, "unknown option \"%s\"; `gmmu help cc` says what is taken", text);
  if (takes_value(options[row].act) && (!value || !*value)) {
    value = c->argv[c->at];
    if (!value) return cli_usage(c, "%s needs a value", text);
    c->at++;
  }
  return act(c, j, row, value);
}

/* ---- the command line ------------------------------------------------------------------------ */

static int check(cli_t *c, const cc_job_t *j) {
  uint32_t sources = 0;
  for (uint32_t i = 0; i < j->input.count; i++) {
    sources += cc_is_source(j->input.at[i]);
    if (j->goal == CC_PTX && !cc_is_cuda(j->input.at[i]))
      return cli_usage(c, "--ptx is for .cu files; \"%s\" is none", j->input.at[i]);
  }
  if (!j->input.count) return cli_usage(c, "no file given; `gmmu help cc` shows how");
  bool one_each = j->goal == CC_OBJECT || j->goal == CC_PTX;
  if (one_each && j->output && j->input.count > 1)
    return cli_usage(c, "-o with several files needs them to become one program");
  if (j->goal == CC_OBJECT && sources < j->input.count)
    return cli_usage(c, "-c is for sources; there is nothing to compile in an object");
  return CLI_DONE;
}

int cc_read(cli_t *c, cc_job_t *j) {
  *j = (cc_job_t){.arch = 70};
  const char *text;
  while ((text = c->argv[c->at])) {
    c->at++;
    if (text[0] == '-' && text[1]) {
      int status = read_option(c, j, text);
      if (status) return status;
    } else {
      words_add(&j->input, text);
      words_add(&j->link, "");
    }
  }
  return check(c, j);
}
