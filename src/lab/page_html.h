#ifndef GMMU_LAB_PAGE_HTML_H
#define GMMU_LAB_PAGE_HTML_H
/* report/page.html, a text; made by scripts/embed-page.sh. */
extern const char page_html[];
#endif
