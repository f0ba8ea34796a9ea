#ifndef GMMU_LAB_PAGE_H
#define GMMU_LAB_PAGE_H
/* The report: one HTML page with program, style and data inside. The page itself is
 * report/page.html (made by report/bundle.js, kept in the tree); its data are one JSON document,
 * put in as gzip in base64: statistics repeat themselves, and a page is to be sent around.
 * docs/report.md has the document's fields. */
#include "base/strbuf.h"
#include "gmmu/err.h"

/* `data` is the document. GMMU_EINVAL if this build's page has no place for it. */
int page_make(const char *data, size_t size, strbuf_t *out, err_t *e);

/* The two steps, for tests: gzip (RFC 1952), base64 (RFC 4648). */
int page_gzip(const char *data, size_t size, strbuf_t *out, err_t *e);
void page_base64(const char *data, size_t size, strbuf_t *out);
#endif
