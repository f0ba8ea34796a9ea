#!/bin/sh
# gmmu cc: what it makes, what it refuses, what it leaves behind (nothing).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

wants 2 'no file given' "no file" cc
wants 2 'unknown option "-nonsense"' "an unknown option" cc -nonsense x.cu
wants 2 'only PTX' "-cubin" cc -cubin x.cu
wants 2 'needs a value' "-o without a file" cc x.cu -o
wants 2 'is none' "--ptx of something else" cc --ptx x.cpp
wants 2 'one program' "-o with several objects" cc -c a.cu b.cu -o x.o
wants 1 'none.cu' "a file that is not there" cc "$dir/none.cu" -o "$dir/none"
command -v clang >/dev/null || command -v clang-14 >/dev/null || { finish; exit; }

# Spaces in launches, nvcc's options, a quoted include next to the source; from another folder.
mkdir "$dir/src" "$dir/tmp" "$dir/work"
echo '#define TIMES 3' >"$dir/src/times.h"
cat >"$dir/src/a.cu" <<'END'
#include <cstdio>
#include <vector>
#include "times.h"
template <class T> struct keep { T v; };
int helper(int);
__global__ void k(int *p) { p[threadIdx.x] = TIMES * EXTRA + (int)threadIdx.x; }
int main() {
  std::vector<keep<keep<int> > > v(2); /* not a launch: << < in a comment */
  int *d, h[32];
  cudaMalloc(&d, sizeof h);
  k << <1, 32>> >(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d << < %d\n", h[0], helper(h[31]), (int)v.size());
}
END
echo 'int helper(int x) { return x + 1; }' >"$dir/src/b.cpp"
cd "$dir/work" || exit 1
export TMPDIR="$dir/tmp"
try "two files become a program" "$gmmu" cc -O3 -std=c++14 -DEXTRA=7 -gencode arch=compute_60,code=sm_60 -lineinfo \
  -Xptxas -v --maxrregcount=32 -Xcompiler -Wall,-fno-common -lcudart -lnvToolsExt -lm ../src/a.cu ../src/b.cpp -o prog
try "which runs" sh -c "'$gmmu' run --functional -- ./prog | grep -x '21 53 << < 2'"
try "objects are named after their sources" "$gmmu" cc -c -DEXTRA=1 ../src/a.cu ../src/b.cpp
try "and can be linked" "$gmmu" cc a.o b.o -o linked
try "PTX for the target asked for" sh -c "'$gmmu' cc --ptx -arch=sm_61 -DEXTRA=1 ../src/a.cu && grep -q 'target sm_61' a.ptx"
try "--keep keeps" sh -c "'$gmmu' cc --keep -DEXTRA=1 -c ../src/a.cu -o kept.o && test -s a.fatbin"
try "--dryrun only talks" sh -c "'$gmmu' cc --dryrun ../src/b.cpp -o not 2>&1 | grep -q clang && ! test -e not"
"$gmmu" cc ../src/a.cu -o wrong >out 2>err
try "errors of the compiler name the user's file and line" grep -q '^../src/a.cu:6:.*EXTRA' err
try "a failed build leaves no program" test ! -e wrong
try "of two OpenMP runtimes clang's is linked" sh -c "'$gmmu' cc --dryrun -Xcompiler -fopenmp ../src/b.cpp -lgomp -lm -o not 2>&1 | grep -e -lm | grep -vqe -lgomp &&
  '$gmmu' cc --dryrun ../src/b.cpp -lgomp -o not 2>&1 | grep -qe -lgomp"
sh -c "'$gmmu' cc --dryrun ../src/a.cu -o not 2>&1 >/dev/null | true" # nobody reads what it says

# Sources that nvcc takes: of 2009, and with options of the host compiler.
cat >old.cu <<'END'
#define LETTER "d"
#define SAY(x) printf("%"LETTER"\n", x)
#include <cuda_gl_interop.h>
#include <stdio.h>
#include <vector>
texture<float, 1, cudaReadModeElementType> ref;
struct base { int v; __device__ base(int x) : v(x) {} __device__ virtual int get() { return v; } __device__ virtual ~base() {} };
struct derived : base { __device__ derived(int x) : base(x) {} __device__ int get() { return 2 * v; } };
__global__ void k(int *p, float scale) {
  base *b = new derived((int)threadIdx.x);
  int *a = new int[4];
  a[threadIdx.x & 3] = b->get();
  p[threadIdx.x] = a[threadIdx.x & 3] + (int)(scale * tex1Dfetch(ref, threadIdx.x));
  delete b;
  delete[] a;
}
int main(int argc, char **) {
  std::vector<std::vector<int> > v(argc);
  float values[32], *f;
  float narrow[2] = {argc * 1.0, 2.0};
  int h[32], *d;
  for (int i = 0; i < 32; i++) values[i] = (float)i;
  cudaMalloc((void **)&f, sizeof values);
  cudaMalloc((void **)&d, sizeof h);
  cudaMemcpy(f, values, sizeof values, cudaMemcpyHostToDevice);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  if (cudaBindTexture(0, &ref, f, &desc, sizeof values) != cudaSuccess) return 1;
  k<<<dim3(1), dim3(32)>>>(d, narrow[1]);
  if (cudaThreadSynchronize() != cudaSuccess || cudaGLSetGLDevice(0) != cudaErrorNotSupported) return 2;
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  SAY(h[31]);
}
END
for how in -std=c++98 -std=c++11 "-DM=128 -DN=64 -DT=float -DP=3 -Dold=1 -Dwidth_=1 -Dcount=9"; do
  # shellcheck disable=SC2086  # words
  "$gmmu" cc $how old.cu -o old >out 2>err
  try "an old source with ${how:-no option}" sh -c "'$gmmu' run --functional -- ./old 2>&1 | grep -x 124 || { cat err; false; }"
done
echo '#define VALUE 4' >value.h
cat >x.cu <<'END'
#include <stdio.h>
#include <threads_inside.h>
__global__ void k(int *p) { *p = FACTOR * VALUE * INSIDE; }
int main() {
  int h, *d;
  cudaMalloc(&d, 4);
  k<<<1, 1>>>(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
}
END
mkdir -p inc
echo '#define INSIDE 5' >inc/threads_inside.h
try "-Xcompiler: definitions, includes and the link reach what they reach with nvcc" sh -c "'$gmmu' cc -Xcompiler -DFACTOR=3 \
  -Xcompiler '-Iinc -fno-strict-aliasing' -Xcompiler -include,value.h -Xcompiler '\"-Wl,-z,now\"' -Xcompiler -pthread x.cu -o x &&
  '$gmmu' run --functional -- ./x | grep -x 60"

# A folder of NVIDIA's toolkit, which makefiles and programs of NVRTC name, hides none of our headers.
mkdir -p toolkit/crt
echo '#error "a header of the toolkit"' | tee toolkit/cuda_runtime.h toolkit/cuda_fp16.h >toolkit/crt/host_defines.h
echo '#define OF_THE_TOOLKIT 12' >toolkit/of_the_toolkit.h
cat >t.cu <<'END'
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <of_the_toolkit.h>
int main() { return OF_THE_TOOLKIT == 12 ? 0 : 1; }
END
try "headers of NVIDIA's toolkit come last" sh -c "'$gmmu' cc -Itoolkit t.cu -o t && '$gmmu' cc -isystem toolkit t.cu -o t"

# What CUDA has and gmmu has not: the last line names it and says what to do.
lacks() { # NAME PATTERN SOURCE OPTIONS...
  label=$1 pattern=$2
  printf '%b\n' "$3" >lack.cu
  shift 3
  "$gmmu" cc "$@" lack.cu -o lack >out 2>err
  try "$label" sh -c "! test -e lack && tail -n 1 err | grep '^gmmu: .*$pattern' || { cat err; false; }"
}
lacks "the header of cuSPARSE" 'cusparse.h belongs to cuSPARSE; .*kernels of the program' '#include <cusparse.h>\nint main() {}'
lacks "the header of cuDNN" 'belongs to cuDNN' '#include <cudnn.h>\nint main() {}'
lacks "a library of the linker" 'cusolver belongs to cuSOLVER' 'int main() {}' -lcusolver
lacks "a function of the linker" 'nvgraphCreate belongs to nvGRAPH' 'extern "C" int nvgraphCreate(void *);\nint main() { return nvgraphCreate(0); }'
lacks "a function of the driver API" 'cuTexRefCreate is of the driver API' 'extern "C" int cuTexRefCreate(void *);\nint main() { return cuTexRefCreate(0); }' -lcuda
lacks "the library of the driver API" 'cuArrayCreate_v2 is of the driver API (-lcuda)' '#include <cuda.h>\nint main() { return cuArrayCreate(0, 0); }'
lacks "the toolkit's C++ library" 'nvcc -cudart shared' '#include <cuda/std/variant>\nint main() {}'
lacks "shared memory" 'gmmu has no memory that processes share' 'int main() { return cudaIpcNothing(0, 0); }'
lacks "a call of the runtime" 'cudaNeverHeardOf is of the CUDA runtime, of which gmmu does not have this name' 'int main() { return cudaNeverHeardOf(0); }'
lacks "conditional nodes" 'gmmu has no graph nodes that depend on a condition' 'int main() { cudaGraphConditionalHandle h; }'
lacks "a call of cuBLAS" 'cublasCherk is of cuBLAS, of which gmmu does not have this name' '#include <cublas_v2.h>\nint main() { return cublasCherk(0); }'
lacks "8-bit floats" 'gmmu has no 8-bit floats' '#include <cuda_fp8.h>\nint main() {}'
lacks "kernels that launch kernels" 'gmmu has no dynamic parallelism' '__global__ void c() {}\n__global__ void k() { c<<<1, 1>>>(); }\nint main() {}'
echo '__global__ void k(cudaTextureObject_t t, float *p) { *p = texCubemap<float>(t, 0.f, 0.f, 0.f); } int main() {}' >lack.cu
"$gmmu" cc lack.cu -o lack >out 2>err
try "cube maps are absent by name, and no slip of another" sh -c "grep -q 'gmmu has no cube-map textures' err && ! grep -q 'did you mean' err"
echo 'int main() { return cudaMalocc(0, 4); }' >lack.cu
"$gmmu" cc lack.cu -o lack >out 2>err
try "a slip is the compiler's business" sh -c "grep -q \"did you mean 'cudaMalloc\" err && ! grep -q '^gmmu' err"
printf '#include <cublas_v2.h>\nint main() { return cublasCreate(1, 2, 3); }\n' >misused.cu
"$gmmu" cc misused.cu -o misused 2>err
try "a call that is there and used wrongly is not called absent" sh -c "grep -q error err && ! grep -q 'does not have' err"
# a study goes on while the program is built anew
here=${gmmu%/*}/gmmu-of-before.$$
cp "$gmmu" "$here"
exec 8<"$here"
rm "$here"
echo 'int main() { return 0; }' >lack.cu
try "a program whose file is gone finds its headers" /proc/self/fd/8 cc --ptx lack.cu -o lack
exec 8<&-
rm -f x old x.cu old.cu value.h lack.cu
try "nothing stays in the temporary folder" sh -c "test -z \"\$(ls '$dir/tmp')\""
finish
