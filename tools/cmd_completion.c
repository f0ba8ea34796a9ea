/* gmmu completion: a shell asks it what the word at the cursor may become.
 *
 * The scripts it prints hold no names: they hand the words typed so far to `gmmu completion words`,
 * which answers from the tables that also make the help texts. So a new preset, option or
 * application completes by itself. An empty answer means a file. */
#include "cli.h"
#include "cost/cost.h"
#include "db/db.h"
#include "gen/gen.h"
#include "gpu/presets.h"
#include "gpu/spec.h"
#include "lab/suite.h"
#include "repro/repro.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option_t cli_options[] = {{0}};

static const char *const bash_script =
    "# bash completion of gmmu: put it in /usr/share/bash-completion/completions/gmmu\n"
    "_gmmu() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} words cur cut\n"
    "  read -ra words <<<\"$line\"\n"
    "  [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "  cur=${words[-1]} cut=${cur%\"${cur##*[:=]}\"} # bash ends a word at : and =\n"
    "  mapfile -t COMPREPLY < <(gmmu completion words \"${words[@]:1}\" 2>/dev/null)\n"
    "  [[ ${COMPREPLY[0]-} == *[:=/] ]] && compopt -o nospace\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "}\n"
    "complete -o default -F _gmmu gmmu\n";

static const char *const zsh_script =
    "#compdef gmmu\n"
    "# zsh completion of gmmu: put it as _gmmu in a folder of fpath\n"
    "_gmmu() {\n"
    "  local -a found open\n"
    "  found=(${(f)\"$(gmmu completion words \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "  (( $#found )) || { _files; return }\n"
    "  open=(${(M)found:#*[:=/]}) found=(${found:#*[:=/]})\n"
    "  (( $#open )) && compadd -S '' -- $open\n"
    "  (( $#found )) && compadd -- $found\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _gmmu ]; then _gmmu \"$@\"; else compdef _gmmu gmmu; fi\n";

static const char *const fish_script =
    "# fish completion of gmmu: put it in /usr/share/fish/vendor_completions.d/gmmu.fish\n"
    "function __gmmu_words\n"
    "  set -l typed (commandline -opc) (commandline -ct)\n"
    "  set -l found (gmmu completion words $typed[2..-1] 2>/dev/null)\n"
    "  if test (count $found) -gt 0\n"
    "    printf '%s\\n' $found\n"
    "  else\n"
    "    __fish_complete_path (commandline -ct)\n"
    "  end\n"
    "end\n"
    "complete -c gmmu -f -a '(__gmmu_words)'\n";

/* ---- names ----------------------------------------------------------------------------------- */

/* What is asked for: the word so far. What comes before `keep` in it stays as it is; what comes
 * behind is completed. */
typedef struct {
  const char *word;
  size_t keep;
  strbuf_t *out;
} ask_t;

static void offer(const ask_t *q, const char *name, const char *tail) {
  if (strncmp(name, q->word + q->keep, strlen(q->word + q->keep)) != 0) return;
  strbuf_printf(q->out, "%.*s%s%s\n", (int)q->keep, q->word, name, tail);
}

/* The last element of a list with commas is the one at the cursor. */
static ask_t last_element(ask_t q) {
  const char *comma = strrchr(q.word + q.keep, ',');
  if (comma) q.keep = (size_t)(comma + 1 - q.word);
  return q;
}

static void offer_presets(const ask_t *q, const char *kind) {
  for (const preset_t *p = preset_all; p->name; p++)
    if (strcmp(p->kind, kind) == 0) offer(q, p->name, "");
}

static void offer_gpus(const ask_t *q) { offer_presets(q, "gpu"); }
/* A stack, mosaic+marching, is completed at its last part, too; "mosaic+mask" is a name itself. */
static void offer_designs(const ask_t *q) {
  offer_presets(q, "design");
  const char *plus = strrchr(q->word + q->keep, '+');
  if (!plus) return;
  ask_t part = {q->word, (size_t)(plus + 1 - q->word), q->out};
  for (const preset_t *p = preset_all; p->name; p++) {
    char whole[160];
    snprintf(whole, sizeof whole, "%.*s%s", (int)(part.keep - q->keep), q->word + q->keep, p->name);
    bool named = false;
    for (const preset_t *o = preset_all; o->name; o++)
      named |= strcmp(o->kind, "design") == 0 && strcmp(o->name, whole) == 0;
    if (strcmp(p->kind, "design") == 0 && !named) offer(&part, p->name, "");
  }
}
static void offer_papers(const ask_t *q) {
  for (uint32_t i = 0; cost_paper(i); i++) offer(q, cost_paper(i), "");
}

static void offer_devices(const ask_t *q) {
  char text[80];
  offer(q, "cpu", "");
  offer(q, "cuda", "");
  for (const preset_t *p = preset_all; p->name; p++) {
    snprintf(text, sizeof text, "sim:%s", p->name);
    if (strcmp(p->kind, "gpu") == 0) offer(q, text, "");
  }
}

static void offer_applications(const ask_t *q) {
  for (const suite_app_t *a = suite_all; a->name; a++) offer(q, a->name, "");
  for (const gen_ops_t *const *g = gen_all; *g; g++) offer(q, (*g)->name, "");
  for (uint32_t i = 0; i < DB_OPS; i++) offer(q, db_op_name[i], "");
}

static void offer_experiments(const ask_t *q) {
  for (const experiment_t *const *paper = repro_papers; *paper; paper++)
    for (const experiment_t *x = *paper; x->id; x++) offer(q, x->id, "");
}

/* KEY=VALUE: keys, then the names that the key takes. */
static void offer_settings(const ask_t *asked) {
  ask_t q = *asked;
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t spec;
  char key[160];
  gpu_spec_groups(&spec, groups);
  const char *equals = strchr(q.word + q.keep, '=');
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      int size = snprintf(key, sizeof key, "%s.%s=", g->prefix, o->name);
      if (!equals) {
        offer(&q, key, "");
        continue;
      }
      if (size < 0 || o->type != OPT_NAME || strncmp(q.word + q.keep, key, (size_t)size) != 0)
        continue;
      ask_t value = {q.word, (size_t)(equals + 1 - q.word), q.out};
      value = last_element(value);
      for (uint32_t i = 0; o->names(i); i++) offer(&value, o->names(i), "");
    }
}

/* Options whose values are few words: the name, what the help calls the value, the words. */
static const struct {
  const char *name, *value, *word[5];
} few[] = {
    {"size", "NAME", {"tiny", "standard", "large"}},
    {"graph", "NAME", {"uniform", "kron"}},
    {"by", "WHAT", {"array", "kernel", "line"}},
    {"bounds", "WHAT", {"error", "warn", "ignore"}},
    {"split", "HOW", {"equal", "oracle"}},
    {"at", "POINTS", {"table", "release", "measured", "all"}},
    {"table", "NAME", {"runs", "apps", "counters", "documents"}},
    {"status", "WHICH", {"done", "failed", "lost"}},
    {"form", "NAME", {"copy", "naive"}},
    {"scope", "BYTES,...", {"none", "probe"}},
};

static void offer_few(const cli_option_t *o, const ask_t *q) {
  for (size_t i = 0; i < sizeof few / sizeof *few; i++)
    if (strcmp(few[i].name, o->name) == 0 && strcmp(few[i].value, o->value) == 0)
      for (const char *const *w = few[i].word; *w; w++) offer(q, *w, "");
}

static const struct {
  const char *name; /* of the option, or a word of the usage in capitals */
  void (*names)(const ask_t *q);
} kinds[] = {
    {"gpu", offer_gpus},         {"gpus", offer_gpus},
    {"design", offer_designs},   {"designs", offer_designs},
    {"baseline", offer_designs}, {"device", offer_devices},
    {"app", offer_applications}, {"set", offer_settings},
    {"APP", offer_applications}, {"EXPERIMENT", offer_experiments},
    {"GPU", offer_gpus},
};

static bool offer_kind(const char *name, size_t size, const ask_t *q) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strlen(kinds[i].name) == size && strncmp(kinds[i].name, name, size) == 0) {
      kinds[i].names(q);
      return true;
    }
  return false;
}

/* ---- the word at the cursor ------------------------------------------------------------------ */

static void offer_commands(const ask_t *q) {
  for (const subcommand_t *const *s = cli_commands; *s; s++) offer(q, (*s)->name, "");
  offer(q, "help", "");
}

static void offer_options(const subcommand_t *s, const ask_t *q) {
  char text[80];
  for (const cli_option_t *o = s->options; o->name; o++) {
    snprintf(text, sizeof text, "--%s", o->name);
    offer(q, text, "");
  }
  offer(q, "--plugin", ""); /* every command's; its value is a file */
  offer(q, "--help", "");
}

/* The usage names what an argument may be: words in small letters are themselves, with | between,
 * and words in capitals are kinds of names. */
static void offer_arguments(const subcommand_t *s, const ask_t *q) {
  static const char small[] = "abcdefghijklmnopqrstuvwxyz",
                    capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  char text[80];
  for (const char *at = s->usage; *at;) {
    size_t n = strspn(at, small), k = strspn(at, capitals), dashed = strspn(at, "-");
    char end = at[n];
    if (n && (end == '|' || end == ' ' || end == ']' || end == 0)) {
      snprintf(text, sizeof text, "%.*s", (int)n, at);
      offer(q, text, "");
    } else if (s == &cmd_cost && k == 5 && strncmp(at, "PAPER", k) == 0) {
      offer_papers(q);
    } else if (k > 1) {
      offer_kind(at, k, q);
    }
    if (dashed || n || k) at += strcspn(at, " |[]"); /* an option, or done with this word */
    at += *at != 0;
  }
}

/* The option that the word before the cursor's waits for a value with; NULL: none. */
static const cli_option_t *waiting(const subcommand_t *s, const char *before) {
  if (before[0] != '-' || !before[1]) return NULL;
  for (const cli_option_t *o = s->options; o->name; o++) {
    bool is_long = before[1] == '-' && strcmp(before + 2, o->name) == 0;
    bool is_short = o->id < CLI_LONG_ONLY && before[1] == o->id && !before[2];
    if ((is_long || is_short) && o->value) return o;
  }
  return NULL;
}

static void offer_value(const cli_option_t *o, ask_t q) {
  if (strchr(o->value, '=') == NULL) q = last_element(q);
  if (!offer_kind(o->name, strlen(o->name), &q)) offer_few(o, &q);
}

/* Shared objects, and folders to look into. */
static void offer_plugins(ask_t q) {
  char folder[4096], path[4400];
  const char *slash = strrchr(q.word + q.keep, '/');
  size_t size = slash ? (size_t)(slash + 1 - (q.word + q.keep)) : 0;
  if (size >= sizeof folder) return;
  memcpy(folder, q.word + q.keep, size), folder[size] = 0;
  DIR *d = opendir(size ? folder : ".");
  q.keep += size;
  for (struct dirent *f; d && (f = readdir(d));) {
    struct stat st;
    size_t n = strlen(f->d_name);
    snprintf(path, sizeof path, "%s%s", folder, f->d_name);
    if (f->d_name[0] == '.' || stat(path, &st) < 0) continue;
    if (S_ISDIR(st.st_mode))
      offer(&q, f->d_name, "/");
    else if (n > 3 && strcmp(f->d_name + n - 3, ".so") == 0)
      offer(&q, f->d_name, "");
  }
  if (d) closedir(d);
}

static void complete(const subcommand_t *s, char *const *words, uint32_t count, strbuf_t *out) {
  ask_t q = {.word = words[count - 1], .out = out};
  for (uint32_t i = 0; i + 1 < count; i++)
    if (strcmp(words[i], "--") == 0) return; /* a program's own words */
  const cli_option_t *o = count > 1 ? waiting(s, words[count - 2]) : NULL;
  if (o) {
    offer_value(o, q);
  } else if (count > 1 && strcmp(words[count - 2], "--plugin") == 0) {
    offer_plugins(q);
  } else if (strncmp(q.word, "--plugin=", 9) == 0) {
    q.keep = 9;
    offer_plugins(q);
  } else if (strncmp(q.word, "--", 2) == 0 && strchr(q.word, '=')) {
    char name[80];
    q.keep = strcspn(q.word, "=") + 1;
    snprintf(name, sizeof name, "%.*s", (int)(q.keep - 1), q.word);
    o = waiting(s, name);
    if (o) offer_value(o, q);
  } else if (q.word[0] == '-') {
    offer_options(s, &q);
  } else {
    offer_arguments(s, &q);
  }
}

static void answer(char *const *words, strbuf_t *out) {
  uint32_t count = 0;
  while (words[count]) count++;
  if (!count) return;
  ask_t q = {.word = words[count - 1], .out = out};
  if (count == 1 || (count == 2 && strcmp(words[0], "help") == 0)) {
    offer_commands(&q);
    return;
  }
  for (const subcommand_t *const *s = cli_commands; *s; s++)
    if (strcmp((*s)->name, words[0]) == 0) complete(*s, words + 1, count - 1, out);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(cli_t *c) {
  strbuf_t text;
  strbuf_init(&text);
  const char *what = c->argv[0];
  int status = CLI_DONE;
  if (what && strcmp(what, "words") == 0)
    answer(c->argv + 1, &text);
  else if (what && strcmp(what, "bash") == 0)
    strbuf_str(&text, bash_script);
  else if (what && strcmp(what, "zsh") == 0)
    strbuf_str(&text, zsh_script);
  else if (what && strcmp(what, "fish") == 0)
    strbuf_str(&text, fish_script);
  else
    status = cli_usage(c, "which shell? one of: bash, zsh, fish");
  if (status == CLI_DONE) status = cli_output(NULL, &text);
  strbuf_fini(&text);
  return status;
}

const subcommand_t cmd_completion = {
    .name = "completion",
    .summary = "a script by which a shell completes gmmu's words",
    .usage = "bash|zsh|fish",
    .details =
        "The script completes commands, options, presets, applications, experiments and the keys\n"
        "of -s. For one session: source <(gmmu completion bash). `make install` puts all three\n"
        "where the shells look. `gmmu completion words WORD...` is what they call: what the last\n"
        "of the words may become, a line each.\n"
        "\n"
        "  gmmu completion bash\n"
        "  gmmu completion words run --gpu max\n",
    .options = cli_options,
    .run = run,
};
