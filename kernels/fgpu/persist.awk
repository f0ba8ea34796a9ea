# Makes a plain CUDA program of kernels/ one whose kernels run as persistent blocks on a part of the GPU
# (include/cuda/gmmu_fgpu.h), by the three changes of the paper: a parameter, a loop around the body, another launch.
# It relies on the format of the sources: a kernel begins with "__global__ void" and ends with "}" at the begin of a line,
# and a launch is one line.

# How many commas of `text` are outside of parentheses.
function commas(text,   i, c, depth, n) {
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    depth += (c == "(") - (c == ")")
    n += c == "," && !depth
  }
  return n
}

/^#include "..\/common\/app.h"/ { print "#include \"fgpu/part.h\""; next }
{ sub(/app_begin\(/, "part_begin(") }

/^__global__ void / { kernel = 1; sub(/\(/, "(fgpu_grid gridDim, ") }
kernel && !body && /\{$/ { print; print "for (fgpu_block blockIdx(gridDim); blockIdx.next();) {"; body = 1; next }
body && /^}/ { print "}"; kernel = body = 0 }
body { gsub(/return;/, "continue;") }

# NAME<<<grid, threads[, shared]>>>(arguments);
/<<</ {
  from = index($0, "<<<"); to = index($0, ">>>")
  if (!match(substr($0, 1, from - 1), /[a-z_]+$/) || $0 !~ />>>\(.*\);$/) { print FILENAME ": " NR ": a launch that is not one line" > "/dev/stderr"; exit 1 }
  name = substr($0, RSTART, RLENGTH)
  config = substr($0, from + 3, to - from - 3)
  if (commas(config) == 1) config = config ", 0"
  arguments = substr($0, to + 4)
  sub(/\);$/, "));", arguments)
  print substr($0, 1, RSTART - 1) "CHECK(fgpu_launch(&part, " name ", " config ", " arguments
  next
}
{ print }
