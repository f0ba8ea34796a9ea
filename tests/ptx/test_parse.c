/* What the parser takes, and how it complains. */
#include "base/strbuf.h"
#include "world.h"

#define KERNEL_HEAD                                                                                \
  PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .f32 "  \
           "%f<4>;\n.reg .pred %p<3>;\n"
#define KERNEL_TAIL  "\nret;\n}\n"
#define KERNEL(body) KERNEL_HEAD body KERNEL_TAIL

static void refuse(world_t *w, const char *text, uint32_t line, uint32_t column, const char *says) {
  int r = world_load(w, text);
  if (r >= 0) r = ptx_link(w->p, &w->e);
  assert_true(r < 0);
  err_format(&w->e, w->text, sizeof w->text);
  assert_says(w, says);
  assert_int_equal(w->e.line, line);
  if (column) assert_int_equal(w->e.column, column);
}

static void errors_show_the_line_and_a_caret(void **state) {
  world_t *w = *state;
  refuse(w, KERNEL("add.s32 %r1, %r2, %rx;"), 10, 19, "'%rx' is not declared");
  assert_says(w, "test.ptx:10:19:");
  assert_says(w, "\n  add.s32 %r1, %r2, %rx;\n                    ^");
}

/* .loc holds for what follows; .file may come behind it; what is inlined has its own line. */
static void loc_says_where_an_instruction_was_written(void **state) {
  world_t *w = *state;
  assert_true(world_load(w, KERNEL("ld.param.u64 %rd1, [a];\n.loc 2 70000 5\n"
                                   "ld.global.u32 %r1, [%rd1];\n"
                                   ".loc 1 12 3, function_name $info, inlined_at 2 9 1\n"
                                   "st.global.u32 [%rd1], %r1;\n.loc 3 1 1\n"
                                   "add.s32 %r1, %r1, %r1;") ".file 1 \"a.cu\"\n"
                                                             ".file 2 \"b.h\"\n") >= 0);
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
  assert_non_null(k);
  launch_t l;
  ptx_launch_describe(k, &(ptx_launch_t){.grid = {1, 1, 1}, .block = {32, 1, 1}}, NULL, &l);
  assert_int_equal(l.where[0].file, 0);
  assert_string_equal(l.file[l.where[1].file - 1], "b.h");
  assert_int_equal(l.where[1].source, 70000);
  assert_int_equal(l.where[1].line, 12);
  assert_string_equal(l.file[l.where[2].file - 1], "a.cu");
  assert_int_equal(l.where[2].source, 12);
  assert_int_equal(l.where[3].file, 0); /* no .file has that number */
  assert_int_equal(l.where[3].source, 0);
}

static void unknown_instructions_are_named_at_load_time(void **state) {
  refuse(*state, KERNEL("wgmma.fence.sync.aligned;"), 10, 1,
         "instruction 'wgmma.fence.sync.aligned' is not supported");
  refuse(*state, KERNEL("ad.s32 %r1, %r2, %r3;"), 10, 1, "did you mean 'add'");
}

/* Matrix instructions: shapes, types and numbers of registers go together. */
static void matrices_that_do_not_fit_are_refused(void **state) {
  refuse(*state, KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1];"), 10, 44,
         "8 registers are expected");
  refuse(*state, KERNEL("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 %r1, %r1, %r1, %r1;"),
         10, 1, "not supported");
  refuse(*state, KERNEL("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %r1, %r1, %r1, %r1;"), 10,
         1, "not supported");
  refuse(*state, KERNEL(".reg .tf32 %t;"), 10, 6, "matrix instructions only");
  refuse(*state, KERNEL("cp.async.ca.shared.global [%r1], [%rd1], 12;"), 10, 42, "4, 8 or 16");
  refuse(*state, KERNEL("cp.async.bulk.shared.global [%r1], [%rd1], 16;"), 10, 9, "not supported");
  refuse(*state, KERNEL("vadd4.u32.u32.u32 %r1, %r2.b3210, %r3, %r1;"), 10, 27, "not supported");
}

/* tld4 is near ld, suq near sub: a suggestion would send the reader the wrong way. */
static void what_is_known_and_absent_is_not_taken_for_a_slip(void **state) {
  static const char *const text[] = {"tensormap.cp_fenceproxy;", "tcgen05.alloc;",
                                     "getctarank.u32 %r1, %r2;", "suq.width.b32 %r1, [%rd1];"};
  static const char *const says[] = {"asynchronous copies", "tensor cores", "clusters", "surfaces"};
  for (uint32_t i = 0; i < sizeof text / sizeof *text; i++) {
    world_t *w = *state;
    strbuf_t b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s%s%s", KERNEL_HEAD, text[i], KERNEL_TAIL);
    refuse(w, strbuf_text(&b), 10, 1, says[i]);
    assert_null(strstr(w->text, "did you mean"));
    strbuf_fini(&b);
  }
}

/* Names of templates: the limit is the memory, in every place where a name stands. */
static void names_have_any_length(void **state) {
  enum { CHARS = 20000 };
  static char name[CHARS + 1];
  memset(name, 'x', CHARS);
  strbuf_t b;
  strbuf_init(&b);
  strbuf_printf(&b,
                PTX_HEAD
                ".global .u32 v%s;\n.func f%s()\n{\nret;\n}\n.visible .entry k%s(.param .u64 "
                "p%s)\n{\n.reg .b64 %%d%s;\n.reg .v2 .b32 %%w%s;\nld.param.u64 %%d%s, [p%s];\n"
                "mov.u64 %%d%s, v%s;\nmov.u32 %%w%s.x, 1;\nmov.u32 %%w%s.g, %%w%s.r;\n"
                "call f%s;\nbra L%s;\nL%s:\nret;\n}\n",
                name, name, name, name, name, name, name, name, name, name, name, name, name, name,
                name, name);
  world_t *w = *state;
  must_load(w, strbuf_text(&b));
  assert_int_equal(ptx_link(w->p, &w->e), 0);
  strbuf_fini(&b);
}

static void a_long_name_does_not_hide_the_reason(void **state) {
  static char text[6000];
  char name[3001];
  memset(name, 'y', 3000), name[3000] = 0;
  snprintf(text, sizeof text, "%sbra %s;%s", KERNEL_HEAD, name, KERNEL_TAIL);
  refuse(*state, text, 10, 5, "yyy' is not declared");
}

static void unknown_modifiers_and_types_are_named(void **state) {
  refuse(*state, KERNEL("add.foo.s32 %r1, %r2, %r3;"), 10, 4, "'.foo'");
  refuse(*state, KERNEL("and.f32 %f1, %f2, %f3;"), 10, 4, "and is not supported for type .f32");
  refuse(*state, KERNEL("fma.f32 %f1, %f2, %f3, %f1;"), 10, 1, "a rounding mode is needed");
  refuse(*state, KERNEL("mul.s32 %r1, %r2, %r3;"), 10, 1, ".lo, .hi or .wide is needed");
}

static void operand_sizes_are_checked(void **state) {
  refuse(*state, KERNEL("add.s32 %r1, %rd2, %r3;"), 10, 14, "'%rd2' has 64 bits, .u32 has 32");
  refuse(*state, KERNEL("add.s32 %r1, %p1, %r3;"), 10, 14, "this is a predicate");
  refuse(*state, KERNEL("@%r1 bra L;"), 10, 2, "predicate register expected");
  refuse(*state, KERNEL("add.s32 %r1, %r2;"), 10, 0, "at least 3 operands");
  refuse(*state, KERNEL("add.s32 %r1, %r2, %r3, %r1;"), 10, 0, "at most 3 operands");
}

static void structure_errors_have_their_place(void **state) {
  refuse(*state, KERNEL("bra NOWHERE;"), 10, 5, "'NOWHERE' is not declared");
  refuse(*state, KERNEL("L: L: ret;"), 10, 4, "'L' is declared twice");
  refuse(*state, PTX_HEAD ".entry k()\n{\nret;\n", 7, 0, "'}' expected");
  refuse(*state, PTX_HEAD "/* never", 4, 1, "comment without end");
  refuse(*state, PTX_HEAD ".global .u32 x[-1];", 4, 0, "an array's size must be");
  refuse(*state, PTX_HEAD ".global .u32 x[2] = {1,2,3};", 4, 0, "too many initial values");
  refuse(*state, KERNEL("mov.u32 %r1, 99999999999999999999;"), 10, 0, "does not fit 64 bits");
}

static void functions_must_exist(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".extern .func missing();\n.entry k()\n{\ncall missing;\nret;\n}\n");
  assert_int_equal(world_run(w, "k", 1, 1, NULL), GMMU_ENOENT);
  assert_says(w, "function 'missing' is used but nowhere defined");
  assert_int_equal(w->e.line, 4);
}

static void call_shapes_are_checked(void **state) {
  refuse(*state, PTX_HEAD ".func f(.param .b32 x)\n{\nret;\n}\n.entry k()\n{\ncall f;\nret;\n}\n",
         10, 0, "'f' takes 1 arguments");
}

static void a_failed_module_leaves_the_others_usable(void **state) {
  world_t *w = *state;
  assert_true(world_load(w, KERNEL("add.s32 %r1, %r2, gv;")) < 0);
  must_load(w, KERNEL(""));
  uint64_t a = 0;
  must_run(w, "k", 1, 32, &a);
}

static void odd_but_legal_text_is_taken(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD "# 1 \"file\"\n.file 1 \"a.cu\"\n.global .align 16 .v4 .f32 vec;\n.const "
                        ".f32 c[2] = {1.0, 0f40000000};\n"
                        ".global .u64 ptr = generic(vec)+4;\n.global .u8 text[] = {72, 105, "
                        "0};\n.global .u32 m[2][2] = {{1,2},{3,4}};\n"
                        ".weak .func (.param .b32 r) h(.param .b32 x);\n"
                        ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 .ptr .global "
                        ".align 4 p)\n.maxntid 256, 1, 1\n.minnctapersm 2\n"
                        "{\n.reg .v4 .f32 %v;\n.reg .b32 %r<5>, %x;\n.reg .b64 %rd<3>;\n.reg .f32 "
                        "%f<3>;\n.pragma \"nounroll\";\n.loc 1 2 3\n"
                        "ld.global.v4.f32 %v, [vec];\nadd.f32 %f1, %v.x, %v.w;\nmov.u32 %r1, "
                        "WARP_SZ*2+(4<<1)-1;\nmov.b64 {%r2,%r3}, %rd1;\n"
                        "{ .reg .b32 %r2; mov.u32 %r2, -1; bra IN; IN: add.u32 %r3, %r2, 0b101; "
                        "}\n{ IN: mov.u32 %r3, 017; }\n"
                        "st.global.u32 [m+4], %r3;\nL0: .branchtargets L1, L2;\nbrx.idx %r3, "
                        "L0;\nL1:\nL2: ret;\n}\n");
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
  assert_non_null(k);
  const ptx_kernel_info_t *i = ptx_kernel_info(k);
  assert_int_equal(i->params, 2);
  assert_int_equal(i->param[0].bytes, 24);
  assert_int_equal(i->param[1].offset, 24);
  assert_int_equal(i->param_bytes, 32);
  assert_int_equal(i->max_threads, 256);
  uint64_t va, bytes, v = 0, vec;
  assert_int_equal(ptx_symbol(w->p, -1, "ptr", &va, &bytes, &w->e), 0);
  assert_int_equal(ptx_symbol(w->p, -1, "vec", &vec, &bytes, &w->e), 0);
  devmem_read(w->mem, va, &v, 8, &w->e);
  assert_int_equal(v, vec + 4);
  assert_int_equal(ptx_symbol(w->p, -1, "m", &va, &bytes, &w->e), 0);
  assert_int_equal(read32(w, va + 8), 3);
  assert_int_equal(ptx_symbol(w->p, -1, "nothing", &va, &bytes, &w->e), GMMU_ENOENT);
}

static void every_prefix_of_a_module_is_refused_or_taken(void **state) {
  world_t *w = *state;
  const char *text = KERNEL("ld.param.u64 %rd1, [a];\nL: setp.lt.s32 %p1, %r1, 5;\n@%p1 bra "
                            "L;\nst.global.v2.u32 [%rd1+8], {%r1, %r2};");
  for (size_t n = 0; n < strlen(text); n++) {
    char *part = calloc(1, n + 1);
    memcpy(part, text, n);
    world_load(w, part);
    free(part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {WORLD_TEST(errors_show_the_line_and_a_caret),
                                     WORLD_TEST(loc_says_where_an_instruction_was_written),
                                     WORLD_TEST(unknown_instructions_are_named_at_load_time),
                                     WORLD_TEST(matrices_that_do_not_fit_are_refused),
                                     WORLD_TEST(what_is_known_and_absent_is_not_taken_for_a_slip),
                                     WORLD_TEST(names_have_any_length),
                                     WORLD_TEST(a_long_name_does_not_hide_the_reason),
                                     WORLD_TEST(unknown_modifiers_and_types_are_named),
                                     WORLD_TEST(operand_sizes_are_checked),
                                     WORLD_TEST(structure_errors_have_their_place),
                                     WORLD_TEST(functions_must_exist),
                                     WORLD_TEST(call_shapes_are_checked),
                                     WORLD_TEST(a_failed_module_leaves_the_others_usable),
                                     WORLD_TEST(odd_but_legal_text_is_taken),
                                     WORLD_TEST(every_prefix_of_a_module_is_refused_or_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
