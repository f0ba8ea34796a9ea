/* The C++ library's own header writes __attribute__((__noinline__)): see host_defines.h. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
