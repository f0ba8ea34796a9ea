/* Names and texts of errors: one table, errors.def, in the order of numbers. */
#include "cudart/rt.h"

typedef struct {
  int number;
  const char *name, *text;
} row_t;

static const row_t rows[] = {
#define ROW(name, number, text) {number, #name, text},
#include "cudart/errors.def"
#undef ROW
};

static const row_t *find(int number) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].number == number) return &rows[i];
  return NULL;
}

API_AS(const char *, cudaGetErrorName, cuda_error_t error) {
  const row_t *r = find(error);
  return r ? r->name : "unrecognized error code";
}

API_AS(const char *, cudaGetErrorString, cuda_error_t error) {
  const row_t *r = find(error);
  return r ? r->text : "unrecognized error code";
}
