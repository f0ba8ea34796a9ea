#!/usr/bin/env python3
"""Programs define macros of any name that CUDA has not taken (-DM=128, #define LINE 64), so our headers
may use only CUDA's names, keywords and reserved ones (__name, gmmu_name, gm_name).

header_names.py CLANG HEADERS: lists the identifiers of the headers, takes away what clang says is declared for
users (functions, types, fields, enumerators), and compiles the headers with all others defined as macros, the
reserved ones without their underscores. Output is TAP."""
import json
import os
import re
import string
import subprocess
import sys
import tempfile

OWN = ["gmmu_content.h", "gmmu_fgpu.h"]  # an interface of ours, whose names are public too: judged alone
FLAGS = ["--driver-mode=g++", "--cuda-gpu-arch=sm_70", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-fdeclspec", "-w",
         "-D__CUDACC__", "-D__NVCC__", "-Xclang", "-target-sdk-version=11.0", "-ferror-limit=20"]
KEYWORDS = set("""alignas alignof and asm auto bool break case catch char class const constexpr const_cast continue decltype default
  delete do double dynamic_cast else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept
  not nullptr operator or override private protected public register reinterpret_cast restrict return short signed sizeof static
  static_assert static_cast struct switch template this throw true try typedef typeid typename union unsigned using virtual void
  volatile wchar_t while xor""".split())
# Of the C and C++ libraries and of the preprocessor, which no program may define away; and clang's __declspec, which
# has no other spelling of these.
LIBRARY = set("""property get std defined include include_next pragma define undef ifdef ifndef elif endif line error push_macro pop_macro once unroll
  __VA_ARGS__ NULL FILE stderr stdout EXIT_FAILURE EXIT_SUCCESS CLOCK_MONOTONIC UINT_MAX INT_MAX INT_MIN SIZE_MAX""".split())


def tokens(path):
    """The identifiers of a header: no comments, no literals, no file names, no parameters of macros."""
    text = open(path).read()
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', " ", text)
    found = set()
    for line in text.split("\n"):
        head = re.match(r"\s*#\s*(\w+)", line)
        if head and head[1] in ("include", "include_next", "pragma"):
            continue
        gone = set()
        macro = re.match(r"\s*#\s*define\s+(\w+)(?:\(([^)]*)\))?", line)
        if macro:
            gone = set(re.findall(r"\w+", macro[2] or "")) | {macro[1]}
        found |= set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", line)) - gone
        found |= set(re.findall(r"(?<=[A-Za-z_\])]\.)[A-Za-z_]\w*", line)) - gone  # fields
    return found


def declared(node, inside, names):
    """Names that a user of the headers may write."""
    kind, name = node.get("kind", ""), node.get("name", "")
    hidden = kind in ("ParmVarDecl", "TemplateTypeParmDecl", "NonTypeTemplateParmDecl", "TemplateTemplateParmDecl", "CompoundStmt")
    record = kind in ("CXXRecordDecl", "RecordDecl", "ClassTemplateDecl", "NamespaceDecl", "FunctionDecl", "FunctionTemplateDecl")
    if name and not inside and not hidden:
        names.add(name)
    if record and name.startswith(("gmmu_", "__", "StopWatchInterface")):
        hidden = True
    private = node.get("tagUsed") == "class"
    for child in node.get("inner", []):
        if child.get("kind") == "AccessSpecDecl":
            private = child.get("access") == "private"
        declared(child, inside or hidden or (private and "Record" in kind), names)


def compile_(clang, headers, args, source):
    return subprocess.run([clang, *FLAGS, "-isystem", headers, "-idirafter", headers + "/stubs", "-include", "cuda_runtime.h", "-fsyntax-only", *args,
                           "-x", "cuda", source], capture_output=True, text=True, env={**os.environ, "CCACHE_DISABLE": "1"})


def macros(headers, files, public):
    every = set(string.ascii_letters)
    for f in files:
        for name in tokens(os.path.join(headers, f)):
            if not name.lower().startswith(("gmmu", "gm_")):
                every.add(name.strip("_") or "_")
    return sorted(n for n in every - public - KEYWORDS - LIBRARY if re.match(r"[A-Za-z]", n))


def judge(clang, headers, files, dir_, number):
    source = os.path.join(dir_, "all.cu")
    with open(source, "w") as f:
        f.write("".join("#include <%s>\n" % os.path.basename(h) for h in files))
    public = set()
    r = compile_(clang, headers, ["--cuda-host-only", "-Xclang", "-ast-dump=json"], source)
    if r.returncode:
        return [f"not ok {number} - the headers compile", *("# " + x for x in r.stderr.split("\n"))]
    declared(json.loads(r.stdout), False, public)
    # A macro that is a number where a type or a name is wanted stops the compiler in any place.
    names = macros(headers, files, public)
    for side in ("--cuda-host-only", "--cuda-device-only"):
        r = compile_(clang, headers, [side, *(f"-D{n}=128" for n in names)], source)
        if r.returncode:
            return [f"not ok {number} - {files[0]} and {len(files) - 1} more with {len(names)} macros",
                    *("# " + x for x in r.stderr.split("\n")[:30])]
    return [f"ok {number} - {files[0]} and {len(files) - 1} more with {len(names)} macros"]


def main():
    clang, headers = sys.argv[1:3]
    sys.setrecursionlimit(100000)
    files = sorted(f for f in os.listdir(headers) if f.endswith(".h") and f != "gmmu_compat.h")
    files += sorted("stubs/" + f for f in os.listdir(headers + "/stubs") if f.endswith(".h"))
    with tempfile.TemporaryDirectory() as dir_:
        for number, group in enumerate(([f for f in files if f not in OWN], OWN), 1):
            print("\n".join(judge(clang, headers, group, dir_, number)))
    print("1..2")


main()
