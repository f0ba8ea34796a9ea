#include "import/klist.h"
#include "import/scan.h"
#include <string.h>

#define VA_END (1ull << 48)

static bool begins(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

/* "MemcpyHtoD,0x7f0000000000,4096" */
static int copy(text_t *t, notes_t *notes, char *line, klist_kind_t kind, klist_command_t *c,
                err_t *e) {
  char *p = strchr(line, ',');
  if (p[1] == '0' && (p[2] | 32) == 'x') p += 2;
  p++;
  if (!scan_digits(&p, 16, &c->va) || *p++ != ',' || !scan_number(&p, 10, &c->bytes))
    return text_wrong(t, e, "expected \"%.10s,0xADDRESS,BYTES\", not \"%.60s\"", line, line);
  if (c->bytes && c->va < VA_END && c->bytes <= VA_END - c->va) return kind;
  note_add(notes, NOTE_COPY, t);
  return KLIST_END;
}

int klist_next(text_t *t, notes_t *notes, klist_command_t *c, err_t *e) {
  char *line;
  int rc;
  while ((rc = text_next(t, &line, e)) > 0) {
    *c = (klist_command_t){.file = line};
    if (begins(line, "kernel")) return KLIST_KERNEL;
    if (begins(line, "MemcpyHtoH")) continue; /* nothing to do with the GPU */
    bool in = begins(line, "MemcpyHtoD,"), out = begins(line, "MemcpyDtoH,");
    if (in || out) {
      rc = copy(t, notes, line, in ? KLIST_COPY_IN : KLIST_COPY_OUT, c, e);
      if (rc) return rc;
    } else {
      note_add(notes, NOTE_LIST_LINE, t);
    }
  }
  return rc;
}
