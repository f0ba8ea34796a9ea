/* The C++ library knows the rules; what is left is to find the name in its answer. */
#include "base/demangle.h"
#include <stdlib.h>
#include <string.h>

#define SYMBOL_MAX 4096 /* longer ones are shown as they are: they may come from any file */

/* Of <cxxabi.h>, which C cannot include. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *size, int *status);

/* A '<' that opens template arguments; "operator<" opens none. */
static bool opens(const char *text, size_t at) {
  static const char operator_[] = "operator";
  size_t n = sizeof operator_ - 1;
  size_t from = at && text[at - 1] == '<' ? at - 1 : at;
  return from < n || strncmp(text + from - n, operator_, n) != 0;
}

/* "void f<int (*)(int)>(int*)" has its name from 5 on, 16 characters. */
static void find_name(const char *text, size_t *from, size_t *end) {
  size_t depth = 0, i = 0;
  *from = 0;
  for (; text[i]; i++) {
    if (strncmp(text + i, "(anonymous namespace)", 21) == 0)
      i += 20;
    else if (!depth && text[i] == '(' && i > *from)
      break;
    else if (text[i] == '(' || (text[i] == '<' && opens(text, i)))
      depth++;
    else if (depth && (text[i] == ')' || (text[i] == '>' && text[i - 1] != '-')))
      depth--;
    else if (!depth && text[i] == ' ')
      *from = i + 1;
  }
  *end = i;
}

void demangle(const char *symbol, strbuf_t *out) {
  int status = 0;
  char *text = strncmp(symbol, "_Z", 2) == 0 && strlen(symbol) <= SYMBOL_MAX
                   ? __cxa_demangle(symbol, NULL, NULL, &status)
                   : NULL;
  size_t from, end;
  if (text && status == 0) {
    find_name(text, &from, &end);
    strbuf_add(out, text + from, end - from);
  } else {
    strbuf_str(out, symbol);
  }
  free(text);
}
