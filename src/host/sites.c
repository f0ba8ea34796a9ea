/* Everything here comes from the program: the files it was loaded from, their line tables, sources.
 * It is only read, and only for names. */
#define _GNU_SOURCE
#include "host/sites.h"
#include "base/file.h"
#include "base/strbuf.h"
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCE_BYTES (64u << 20) /* of a source file that is looked into */
#define LINES_BACK   4           /* a call may begin above the line that its code has */
#define SITES_MAX    65536u

extern char **environ;

/* ---- the text of a call ---- */

static bool word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Behind the name of a function that allocates, and its template arguments: at the '('. */
static const char *find_call(const char *text) {
  for (const char *p = text; *p; p++) {
    if (p > text && word(p[-1])) continue;
    const char *end = p;
    while (word(*end)) end++;
    size_t n = (size_t)(end - p);
    bool allocates = n > 6 && (memmem(p, n, "Malloc", 6) || memmem(p, n, "MemAlloc", 8) ||
                               memmem(p, n, "HostAlloc", 9));
    if (end == p || !allocates) continue;
    while (isspace((unsigned char)*end)) end++;
    if (*end == '<')
      for (int depth = 0; *end && (depth += (*end == '<') - (*end == '>'), end++, depth);) {
      }
    while (isspace((unsigned char)*end)) end++;
    if (*end == '(') return end;
  }
  return NULL;
}

/* The end of what opens at `p`: behind its partner; NULL if there is none. */
static const char *closing(const char *p, char open, char close) {
  for (int depth = 0; *p; p++) {
    depth += (*p == open) - (*p == close);
    if (!depth) return p + 1;
  }
  return NULL;
}

static void trim(const char **from, const char **end) {
  while (*from < *end && isspace((unsigned char)**from)) ++*from;
  while (*from < *end && isspace((unsigned char)(*end)[-1])) --*end;
}

/* Casts, parentheses around all of it, and the & go. */
static void strip(const char **from, const char **end) {
  for (;;) {
    trim(from, end);
    const char *f = *from, *close = NULL;
    if (f < *end && *f == '&') {
      ++*from;
    } else if (f < *end && *f == '(' && (close = closing(f, '(', ')')) && close <= *end) {
      if (close == *end)
        ++*from, --*end;
      else
        *from = close;
    } else if (*end - f > 12 && memmem(f, 18 < *end - f ? 18 : (size_t)(*end - f), "_cast<", 6) &&
               (close = strchr(f, '<')) && (close = closing(close, '<', '>')) && close < *end) {
      *from = close;
    } else {
      return;
    }
  }
}

bool site_argument(const char *text, char *name, size_t size) {
  const char *from = find_call(text), *end;
  if (!from) return false;
  int depth = 0;
  for (end = ++from; *end && (depth || (*end != ',' && *end != ')')); end++)
    depth +=
        (*end == '(' || *end == '[' || *end == '{') - (*end == ')' || *end == ']' || *end == '}');
  if (!*end) return false;
  strip(&from, &end);
  size_t n = (size_t)(end - from);
  if (!n || n >= size) return false;
  memcpy(name, from, n);
  name[n] = 0;
  return memchr(name, '\n', n) == NULL && (word(name[0]) || name[0] == '*');
}

/* ---- lines ---- */

/* What "addr2line -i -e FILE OFFSET" prints: "source:line" for every function that was inlined
 * there, the innermost first. */
static bool run_symbolizer(const char *tool, const char *file, const char *offset, strbuf_t *out) {
  int fd[2], status = -1;
  pid_t pid;
  posix_spawn_file_actions_t a;
  char inlined[] = "-i", from[] = "-e";
  char *const argv[] = {(char *)(uintptr_t)tool,   inlined, from, (char *)(uintptr_t)file,
                        (char *)(uintptr_t)offset, NULL};
  if (pipe2(fd, O_CLOEXEC) < 0) return false;
  posix_spawn_file_actions_init(&a);
  posix_spawn_file_actions_addopen(&a, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&a, fd[1], 1);
  posix_spawn_file_actions_addopen(&a, 2, "/dev/null", O_WRONLY, 0);
  int rc = posix_spawnp(&pid, tool, &a, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&a);
  close(fd[1]);
  char buf[4096];
  for (ssize_t n; rc == 0 && (n = read(fd[0], buf, sizeof buf)) > 0;)
    if (out->size < sizeof buf * 16) strbuf_add(out, buf, (size_t)n);
  close(fd[0]);
  if (rc == 0) waitpid(pid, &status, 0);
  return rc == 0 && status == 0;
}

static bool symbolize(const char *file, const char *offset, strbuf_t *out) {
  static const char *const tool[] = {"addr2line", "llvm-addr2line"};
  for (uint32_t i = 0; i < 2; i++) {
    strbuf_clear(out);
    if (run_symbolizer(tool[i], file, offset, out)) return true;
  }
  return false;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Of several calls in one line, the one behind `before` others; `text` if it has not so many. */
static const char *nth_call(const char *text, uint32_t before) {
  const char *end = strchr(text, '\n'), *at = text;
  for (uint32_t i = 0; i <= before; i++) {
    const char *call = find_call(at);
    if (!call || (end && call > end)) return text;
    if (i < before) at = call;
  }
  return at;
}

/* The call's text, from some lines above `line` on; `before`: calls of the same line before it. */
static bool name_in_source(const char *path, uint32_t line, uint32_t before, char *name,
                           size_t size) {
  strbuf_t text;
  bool found = false;
  strbuf_init(&text);
  if (file_read(path, SOURCE_BYTES, &text, &(err_t){0}) == 0) {
    const char *start[LINES_BACK + 1] = {0}, *p = strbuf_text(&text);
    for (uint32_t n = 1; p && n <= line; n++) {
      memmove(start + 1, start, LINES_BACK * sizeof *start);
      start[0] = p;
      p = strchr(p, '\n');
      if (p) p++;
    }
    size_t end = p ? (size_t)(p - strbuf_text(&text)) : text.size;
    const char *more = p ? strchr(p, ';') : NULL; /* the arguments may go on below */
    if (more && more - p < 400) end = (size_t)(more - strbuf_text(&text)) + 1;
    strbuf_cut(&text, end);
    for (uint32_t i = 0; i <= LINES_BACK && start[i] && !found; i++)
      found = site_argument(i ? start[i] : nth_call(start[0], before), name, size);
  }
  strbuf_fini(&text);
  return found;
}

static bool begins(const char *path, const char *with) {
  return strncmp(base_name(path), with, strlen(with)) == 0;
}

/* CUDA's own wrappers are nobody's array. */
static bool of_cuda(const char *path) {
  return begins(path, "cuda_runtime") || begins(path, "gmmu_");
}

/* What calls main() is seen where libc has line numbers. A name must not depend on that. */
static bool of_start(const char *path) {
  return begins(path, "libc-start") || begins(path, "libc_start");
}

typedef struct {
  char source[PATH_MAX]; /* of the allocation */
  uint32_t line;
  char first[ARRAY_NAME_BYTES]; /* the same as "name.cu:12" */
  char place[ARRAY_NAME_BYTES]; /* of the next call out; "": none */
} found_t;

static void see_line(found_t *f, char *text) {
  char *colon = strrchr(text, ':');
  if (!colon || text[0] == '?' || of_cuda((*colon = 0, text))) return;
  uint32_t line = (uint32_t)strtoul(colon + 1, NULL, 10);
  if (!line || of_start(text)) return;
  char place[ARRAY_NAME_BYTES];
  snprintf(place, sizeof place, "%.100s:%u", base_name(text), line);
  if (!f->first[0]) {
    memcpy(f->first, place, sizeof place);
    snprintf(f->source, sizeof f->source, "%s", text);
    f->line = line;
  } else if (!f->place[0] && strcmp(place, f->first) != 0) {
    memcpy(f->place, place, sizeof place);
  }
}

/* The calls from the innermost on, until the allocation and who called it are known. */
static void look_up(const char *calls, found_t *f) {
  char *copy = strdup(calls), *save = NULL;
  strbuf_t out;
  strbuf_init(&out);
  for (char *c = copy ? strtok_r(copy, "\n", &save) : NULL; c && !f->place[0];
       c = strtok_r(NULL, "\n", &save)) {
    char *blank = strrchr(c, ' '), *inner = NULL;
    if (!blank) continue;
    *blank = 0;
    if (c[0] != '/' || !symbolize(c, blank + 1, &out)) continue;
    char *lines = strdup(strbuf_text(&out));
    for (char *l = lines ? strtok_r(lines, "\n", &inner) : NULL; l;
         l = strtok_r(NULL, "\n", &inner)) {
      char *note = strstr(l, " (");
      if (note) *note = 0; /* (discriminator 2) */
      see_line(f, l);
    }
    free(lines);
  }
  strbuf_fini(&out);
  free(copy);
}

/* ---- places that were seen ---- */

static bool taken(const sites_t *s, const char *name) {
  for (uint32_t i = 0; i < s->count; i++)
    if (s->at[i].name && strcmp(s->at[i].name, name) == 0) return true;
  return false;
}

/* How many other calls of the same line were seen before. Who called a wrapper tells its arrays
 * apart, not the order; and the same call has one address, whatever is further out. */
static uint32_t calls_before(const sites_t *s, const site_t *site) {
  uint32_t n = 0;
  size_t innermost = strcspn(site->calls, "\n") + 1;
  for (uint32_t i = 0; i < s->count; i++) {
    const site_t *other = &s->at[i];
    if (!other->place || strcmp(other->place, site->place) != 0) continue;
    if (strncmp(other->calls, site->calls, innermost) == 0) return other->before;
    if (other->before >= n) n = other->before + 1;
  }
  return n;
}

/* The variable, if the source is there. If another array is called so: also who called the wrapper
 * that allocates it, or a number if that is the same, too. */
static char *choose_name(const sites_t *s, const site_t *site, const found_t *f) {
  char text[3 * ARRAY_NAME_BYTES], own[ARRAY_NAME_BYTES];
  if (!f->first[0]) return NULL;
  if (!name_in_source(f->source, f->line, site->before, own, sizeof own))
    snprintf(own, sizeof own, "%s", f->first);
  snprintf(text, sizeof text, "%s", own);
  if (taken(s, text) && f->place[0]) snprintf(text, sizeof text, "%s, %s", own, f->place);
  if (taken(s, text) && site->before)
    snprintf(text, sizeof text, "%s, %s (%u)", own, f->place[0] ? f->place : f->first,
             site->before + 1);
  return strdup(text);
}

static char *whole_place(const found_t *f) {
  char text[2 * ARRAY_NAME_BYTES + 4];
  snprintf(text, sizeof text, "%s, %s", f->first, f->place);
  return strdup(text);
}

static const site_t *site_of(sites_t *s, const char *calls) {
  for (uint32_t i = 0; i < s->count; i++)
    if (strcmp(s->at[i].calls, calls) == 0) return &s->at[i];
  site_t *more = s->count < SITES_MAX ? realloc(s->at, (s->count + 1) * sizeof *more) : NULL;
  found_t f = {0};
  if (!more) return NULL;
  s->at = more;
  look_up(calls, &f);
  site_t site = {.calls = strdup(calls), .place = whole_place(&f)};
  if (!site.calls || !site.place) {
    free(site.calls), free(site.place);
    return NULL;
  }
  site.before = calls_before(s, &site);
  site.name = choose_name(s, &site, &f);
  s->at[s->count] = site;
  return &s->at[s->count++];
}

bool sites_name(sites_t *s, const char *calls, char *name, size_t size) {
  const site_t *site = site_of(s, calls);
  if (!site || !site->name) return false;
  snprintf(name, size, "%s", site->name);
  return true;
}

void sites_fini(sites_t *s) {
  for (uint32_t i = 0; i < s->count; i++)
    free(s->at[i].calls), free(s->at[i].place), free(s->at[i].name);
  free(s->at);
  *s = (sites_t){0};
}
