#!/bin/sh
# The table of features in docs/cc.md: features.sh ROOT PROGRAM... Each row names tests that are run;
# each program of this folder that needs a tool is found there. Output is TAP.
set -u
root=$1
shift
page=$root/docs/cc.md
table=$(sed -n '/^| feature |/,/^$/p' "$page" | sed 1,2d)
n=0
result() { # status, name, what went wrong
  n=$((n + 1))
  [ "$1" = 0 ] && echo "ok $n - $2" && return
  echo "not ok $n - $2"
  printf '%s\n' "$3" | sed 's/^/# /'
}

bad=
rows=0
while IFS='|' read -r _ feature tests ours nvcc _; do
  [ -n "$feature" ] || continue
  rows=$((rows + 1))
  for t in $(printf '%s' "$tests" | tr -d '`,'); do
    case " $* " in *" $t "*) ;; *) bad="$bad no program $t for$feature;" ;; esac
    # A tick of nvcc is shown by tests/cuda/nvcc.sh, which builds every program that does not say that it cannot.
    case $nvcc in *yes*) ! grep -q '^/\* not with nvcc' "$root/tests/cuda/$t.cu" || bad="$bad $t is not for nvcc;" ;; esac
  done
  case $ours in *yes* | *Debian*) ;; *) bad="$bad no word on gmmu cc for$feature;" ;; esac
done <<END
$table
END
[ -z "$bad" ] && [ "$rows" -gt 15 ]
result $? "each of $rows features has programs that are run both ways" "$bad"

said=$(sed -n 's/^`tests\/cuda` has \([0-9]*\) programs.*/\1/p' "$page")
[ "$said" = $# ]
result $? "docs/cc.md tells how many programs there are" "it says $said, there are $#"
echo "1..$n"
