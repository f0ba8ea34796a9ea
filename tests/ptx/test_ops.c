/* Every opcode and type against data/ops.txt, whose results were computed with exact arithmetic
 * (see data/gen_ops.py). One kernel per instruction, one thread per case. */
#include "base/file.h"
#include "ptx/ptx.h"
#include "unit.h"
#include <stdio.h>

#define MAX_OPERANDS 4u
#define MAX_CASES    1024u

typedef struct {
  char inst[500];
  char reg[2][MAX_OPERANDS][8]; /* results, sources: r16 r32 r64 p */
  uint32_t count[2];
  uint64_t value[MAX_CASES][2][MAX_OPERANDS];
  uint32_t cases, line;
} group_t;

static const char *bits_of(const char *reg) { return reg[0] == 'p' ? "32" : reg + 1; }

static void declare(strbuf_t *s, const group_t *g, uint32_t side, char letter) {
  for (uint32_t i = 0; i < g->count[side]; i++) {
    const char *r = g->reg[side][i];
    strbuf_printf(s, ".reg .b%s %%%c%u;\n", bits_of(r), letter, i);
    if (r[0] == 'p') strbuf_printf(s, ".reg .pred %%p%c%u;\n", letter, i);
  }
}

static const char *prefix(const group_t *g, uint32_t side, uint32_t i) {
  return g->reg[side][i][0] == 'p' ? "p" : "";
}

static void write_inst(strbuf_t *s, const group_t *g) {
  strbuf_str(s, g->inst);
  if (!strchr(g->inst, '%')) {
    for (uint32_t i = 0; i < g->count[0]; i++)
      strbuf_printf(s, "%s%%%sd%u", i ? "|" : " ", prefix(g, 0, i), i);
    for (uint32_t i = 0; i < g->count[1]; i++) strbuf_printf(s, ", %%%ss%u", prefix(g, 1, i), i);
  }
  strbuf_str(s, ";\n");
}

static void write_kernel(strbuf_t *s, const group_t *g) {
  strbuf_str(s, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, "
                ".param .u64 out, .param .u32 n)\n{\n");
  strbuf_str(s, ".reg .b64 %a, %b, %o;\n.reg .b32 %i, %n;\n.reg .pred %end;\n");
  declare(s, g, 0, 'd');
  declare(s, g, 1, 's');
  strbuf_str(
      s, "mov.u32 %i, %tid.x;\nld.param.u32 %n, [n];\nsetp.ge.u32 %end, %i, %n;\n@%end bra END;\n");
  strbuf_printf(s,
                "ld.param.u64 %%a, [in];\nmul.wide.u32 %%o, %%i, %u;\nadd.s64 %%a, %%a, "
                "%%o;\nld.param.u64 %%b, [out];\nadd.s64 %%b, %%b, %%o;\n",
                8 * MAX_OPERANDS);
  for (uint32_t i = 0; i < g->count[1]; i++) {
    strbuf_printf(s, "ld.global.b%s %%s%u, [%%a+%u];\n", bits_of(g->reg[1][i]), i, 8 * i);
    if (g->reg[1][i][0] == 'p') strbuf_printf(s, "setp.ne.u32 %%ps%u, %%s%u, 0;\n", i, i);
  }
  write_inst(s, g);
  for (uint32_t i = 0; i < g->count[0]; i++) {
    if (g->reg[0][i][0] == 'p') strbuf_printf(s, "selp.b32 %%d%u, 1, 0, %%pd%u;\n", i, i);
    strbuf_printf(s, "st.global.b%s [%%b+%u], %%d%u;\n", bits_of(g->reg[0][i]), 8 * i, i);
  }
  strbuf_str(s, "END:\nret;\n}\n");
}

typedef struct {
  uint64_t in[MAX_CASES][MAX_OPERANDS], out[MAX_CASES][MAX_OPERANDS];
} buffers_t;

static uint32_t compare(const group_t *g, const buffers_t *b, const char *loop) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < g->cases; i++)
    for (uint32_t k = 0; k < g->count[0]; k++)
      if (b->out[i][k] != g->value[i][0][k] && wrong++ < 3)
        print_error("%s (%s): %llx %llx %llx %llx: result %u is %llx, not %llx\n", g->inst, loop,
                    (unsigned long long)b->in[i][0], (unsigned long long)b->in[i][1],
                    (unsigned long long)b->in[i][2], (unsigned long long)b->in[i][3], k,
                    (unsigned long long)b->out[i][k], (unsigned long long)g->value[i][0][k]);
  return wrong;
}

static uint32_t run_group(const group_t *g, bool portable, buffers_t *b) {
  devmem_t *mem;
  ptx_t *p;
  err_t e;
  strbuf_t s;
  char why[900];
  uint64_t in, out;
  memset(b, 0, sizeof *b);
  for (uint32_t i = 0; i < g->cases; i++) memcpy(b->in[i], g->value[i][1], sizeof b->in[i]);
  assert_int_equal(devmem_new(&mem, &e), 0);
  assert_int_equal(ptx_new(mem, &p, &e), 0);
  devmem_alloc(mem, sizeof b->in, 0, "in", &in, &e);
  devmem_alloc(mem, sizeof b->out, 0, "out", &out, &e);
  devmem_write(mem, in, b->in, sizeof b->in, &e);
  strbuf_init(&s);
  write_kernel(&s, g);
  struct {
    uint64_t in, out;
    uint32_t n;
  } params = {in, out, g->cases};
  int r = ptx_load(p, g->inst, strbuf_text(&s), s.size, &e);
  const ptx_kernel_t *k = r < 0 ? NULL : ptx_kernel(p, -1, "k", &e);
  ptx_launch_t l = {.grid = {1, 1, 1},
                    .block = {(g->cases + 31) & ~31u, 1, 1},
                    .dynamic_shared_bytes = 0,
                    .params = &params};
  ptx_options_t o = {.portable = portable};
  r = k ? ptx_run(p, k, &l, &o, NULL, NULL, &e) : -1;
  if (r < 0) {
    err_format(&e, why, sizeof why);
    print_error("ops.txt:%u: %s\n", g->line, why);
  }
  devmem_read(mem, out, b->out, sizeof b->out, &e);
  strbuf_fini(&s);
  ptx_free(p);
  devmem_free(mem);
  return r < 0 ? 1 : compare(g, b, portable ? "portable" : "best");
}

static void parse_head(group_t *g, char *line) {
  char *part[3] = {line + 2, NULL, NULL};
  for (uint32_t i = 1; i < 3; i++) {
    part[i] = strstr(part[i - 1], " : ");
    *part[i] = 0, part[i] += 3;
  }
  snprintf(g->inst, sizeof g->inst, "%s", part[0]);
  g->cases = 0;
  for (uint32_t side = 0; side < 2; side++) {
    g->count[side] = 0;
    for (char *t = strtok(part[side + 1], " "); t; t = strtok(NULL, " "))
      snprintf(g->reg[side][g->count[side]++], 8, "%s", t);
  }
}

static void parse_case(group_t *g, char *line) {
  assert_in_range(g->cases, 0, MAX_CASES - 1);
  char *p = line;
  for (uint32_t i = 0; i < g->count[1]; i++) g->value[g->cases][1][i] = strtoull(p, &p, 16);
  p = strchr(p, '=') + 1;
  for (uint32_t i = 0; i < g->count[0]; i++) g->value[g->cases][0][i] = strtoull(p, &p, 16);
  g->cases++;
}

static void every_opcode_gives_the_expected_values(void **state) {
  (void)state;
  strbuf_t text;
  err_t e;
  strbuf_init(&text);
  assert_int_equal(file_read(PTX_DATA "/ops.txt", 16 << 20, &text, &e), 0);
  group_t *g = calloc(1, sizeof *g);
  buffers_t *b = calloc(1, sizeof *b);
  uint32_t line = 0, wrong = 0, groups = 0;
  for (char *p = text.buf, *next; p && *p; p = next) {
    next = strchr(p, '\n');
    if (next) *next++ = 0;
    line++;
    if (*p == '!') {
      if (groups++) wrong += run_group(g, false, b) + run_group(g, true, b);
      g->line = line;
      parse_head(g, p);
    } else {
      parse_case(g, p);
    }
  }
  wrong += run_group(g, false, b) + run_group(g, true, b);
  free(g), free(b);
  strbuf_fini(&text);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_opcode_gives_the_expected_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
