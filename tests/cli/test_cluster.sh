#!/bin/sh
# Studies under mpirun and through a Slurm of the test's own: the same bytes as with -j, whatever is killed. What cannot
# be started here is skipped, with the reason. RUNS is the number of runs, KILLS how often each way is killed.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sweep_lib.sh
. "$(dirname "$0")/sweep_lib.sh"
# shellcheck source-path=SCRIPTDIR source=slurm_lib.sh
. "$(dirname "$0")/slurm_lib.sh"
trap 'slurm_stop; rm -rf "$dir"' EXIT
PATH=$PATH:/usr/sbin:/sbin

# shellcheck disable=SC2154  # of sweep_lib.sh
make_study "$runs" >"$dir/many.yaml"
try "the study here" sh -c "'$gmmu' sweep -j 2 --store '$dir/whole.db' '$dir/many.yaml' >/dev/null"
export_all "$dir/whole.db" >"$dir/whole"
same() { # name, store
  export_all "$2" >"$dir/other"
  try "$1: the same bytes" cmp "$dir/whole" "$dir/other"
  try "$1: no finished run was repeated" test "$(attempts "$2")" = 1
}

# ---- mpirun -----------------------------------------------------------------------------------------------------------
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
ranks() { # number, store
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 exec mpirun -n "$1" "$gmmu" sweep --store "$2" "$dir/many.yaml"
}
module=$(dirname "$gmmu")/../src/lab/gmmu-mpi.so
[ -e "$module" ] ||
  wants 1 "gmmu-mpi.so: this gmmu was built without MPI" "--mpi without MPI says so" sweep --mpi --store "$dir/none.db" "$dir/many.yaml"
if ! command -v mpirun >/dev/null || [ ! -e "$module" ]; then
  skip "mpirun" "no OpenMPI, or gmmu was built without it"
elif ! mpirun -n 1 true >"$dir/out" 2>&1; then
  skip "mpirun" "it does not start here: $(tail -n 1 "$dir/out")"
else
  (ranks 3 "$dir/mpi.db") >"$dir/out" 2>&1
  try "mpirun -n 3: all runs" grep -q " $runs runs: 0 were there, $runs have been run, 0 failed" "$dir/out"
  same "mpirun -n 3" "$dir/mpi.db"
  (ranks 1 "$dir/mpi.db") >"$dir/out" 2>&1
  try "mpirun -n 1: from the store" grep -q ": $runs were there, 0 have been run" "$dir/out"
  printf 'workloads: stream\ndesign: x\n' >"$dir/bad.yaml"
  mpirun -n 3 "$gmmu" sweep --store "$dir/none.db" "$dir/bad.yaml" >"$dir/out" 2>&1
  try "mpirun: an error is said once" sh -c "[ \$(grep -c 'bad.yaml:2:1: design: unknown key' '$dir/out') = 1 ]"
  killed=0
  for i in $(seq "$kills"); do
    (exec setsid sh -c "ASAN_OPTIONS=detect_leaks=0 exec mpirun -n 3 '$gmmu' sweep --store '$dir/mpikill.db' '$dir/many.yaml'") >/dev/null 2>&1 &
    pid=$!
    sleep 1 # before it begins
    sleep "$(moment "$i" "$span")"
    if [ $((i % 2)) = 0 ]; then whom=$pid; else whom=-$pid; fi
    if kill -s KILL -- "$whom" 2>/dev/null; then killed=$((killed + 1)); fi
    wait "$pid" 2>/dev/null
    ended "$pid" || fail "mpirun killed: it leaves no process"
  done
  echo "# mpirun was killed $killed of $kills times, $(count "$dir/mpikill.db") runs finished by then, GMMU_SEED=$seed"
  (ranks 3 "$dir/mpikill.db") >/dev/null 2>&1
  same "mpirun, killed" "$dir/mpikill.db"
fi

# ---- Slurm ------------------------------------------------------------------------------------------------------------
wants 2 "are for --slurm" "--partition without --slurm" sweep --partition x "$dir/many.yaml"
wants 1 "SLURM_ARRAY_TASK_ID" "a task without Slurm" sweep --slurm-task "$dir"
# Stand-ins, to stop the one who submits: another sweep must not take the folder for a dead one's.
mkdir "$dir/bin"
cat >"$dir/bin/sbatch" <<END
#!/bin/sh
touch "$dir/submitting"
until [ -e "$dir/go" ]; do sleep 0.05; done
for a; do case \$a in --array=0-*) last=\${a#--array=0-} ;; esac; done
for i in \$(seq 0 "\$last"); do SLURM_ARRAY_TASK_ID=\$i sh "\$a" >&2; done
echo 7
END
printf '#!/bin/sh\n' >"$dir/bin/squeue"
chmod +x "$dir/bin/sbatch" "$dir/bin/squeue"
printf 'workloads: "stream:footprint=64K,blocks=4"\n' >"$dir/one.yaml"
"$gmmu" sweep --store "$dir/held.db" "$dir/one.yaml" >/dev/null
(PATH=$dir/bin:$PATH exec "$gmmu" sweep --slurm --tasks 2 --store "$dir/held.db" "$dir/many.yaml") >"$dir/held" 2>&1 &
pid=$!
await 10 test -e "$dir/submitting"
mkdir "$dir/held.db.slurm/gmmu-dead00"
(PATH=$dir/bin:$PATH exec "$gmmu" sweep --slurm --store "$dir/held.db" "$dir/one.yaml") >"$dir/out" 2>&1
try "Slurm: an array that is being submitted is left alone" sh -c "ls '$dir'/held.db.slurm/gmmu-*/plan"
try "Slurm: the folder of a dead one is not" test ! -e "$dir/held.db.slurm/gmmu-dead00"
touch "$dir/go"
wait "$pid"
try "Slurm: it gets all its runs" grep -q " $runs runs: 0 were there, $runs have been run, 0 failed" "$dir/held"

# A plan that something has happened to: refused at once, and what its tasks have finished is taken before.
damaged() { # name, pattern, plan
  mkdir -p "$dir/plan.db.slurm/gmmu-bad000"
  printf '%b' "$3" >"$dir/plan.db.slurm/gmmu-bad000/plan"
  PATH=$dir/bin:$PATH timeout -s KILL $((600 * ${GMMU_SLOWNESS:-1})) "$gmmu" sweep --slurm --store "$dir/plan.db" "$dir/one.yaml" >"$dir/out" 2>"$dir/err"
  status=$?
  try "Slurm: $1" sh -c "[ $status = 1 ] && grep -q '^gmmu: .*gmmu-bad000/plan:$2.* remove the folder' '$dir/err' || { echo $status; cat '$dir/err'; exit 1; }"
}
run='gpu maxwell\ndesign sharedtlb\napp stream\nsms 30\nend 0123456789abcdef0123456789abcdef\n'
damaged "a plan with more tasks than runs" "1: 4294967295 tasks" "tasks 4294967295\n$run"
damaged "a plan without runs" "1: 1 tasks" 'tasks 1\n'
damaged "a plan that is none" "1: this is no plan" 'rows 7\n'
damaged "an empty plan" "1: this is no plan" ''
damaged "a plan that is cut off" "8: the last run is cut off" "tasks 1\n${run}gpu maxwell\n"
damaged "a plan with an unknown line" "3: unknown line" "tasks 1\ngpu maxwell\nghost 7\n"
damaged "a plan with a zero byte" "7: a zero byte" "tasks 1\n$run\\0000$run"
cp "$dir/held.db" "$dir/plan.db.slurm/gmmu-bad000/task-3.db"
damaged "a damaged plan with a finished task" "1: this is no plan" 'tasks\n'
try "Slurm: what the task had finished is in the store" test "$(count "$dir/plan.db")" = "$(count "$dir/held.db")"
rm -r "$dir/plan.db.slurm"

if ! slurm_start >"$dir/out" 2>&1; then
  skip "Slurm" "$(tail -n 1 "$dir/out")"
  finish
  exit 0
fi
slurm="sweep --slurm --partition test --time 5 --tasks 6 $dir/many.yaml"
# shellcheck disable=SC2086  # words
{
  "$gmmu" $slurm --store "$dir/slurm.db" >"$dir/out" 2>&1
  try "Slurm: all runs" grep -q " $runs runs: 0 were there, $runs have been run, 0 failed" "$dir/out"
  same "Slurm" "$dir/slurm.db"
  try "Slurm: nothing is left beside the store" test ! -e "$dir/slurm.db.slurm"
  "$gmmu" $slurm --store "$dir/slurm.db" --partition nowhere >"$dir/out" 2>&1
  try "Slurm: nothing is submitted if nothing is missing" grep -q ": $runs were there, 0 have been run" "$dir/out"
  "$gmmu" $slurm --partition nowhere --store "$dir/none.db" >"$dir/out" 2>"$dir/err"
  try "Slurm: what sbatch says" sh -c "[ $? = 1 ] && grep -q 'sbatch failed: .*partition' '$dir/err' && grep -q '^$runs are missing' '$dir/out'"
}
# The one who waits is killed; the next goes on with the same array.
killed=0
for i in $(seq "$kills"); do
  # shellcheck disable=SC2086  # words
  setsid "$gmmu" $slurm --store "$dir/slurmkill.db" >/dev/null 2>&1 &
  pid=$!
  sleep "$(moment "$i" "$span")"
  if kill -s KILL -- "-$pid" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$pid" 2>/dev/null
done
# shellcheck disable=SC2086  # words
"$gmmu" $slurm --store "$dir/slurmkill.db" >"$dir/out" 2>&1
echo "# who waited for Slurm was killed $killed of $kills times, GMMU_SEED=$seed"
same "Slurm, killed" "$dir/slurmkill.db"
mkdir "$dir/back\\slash"
"$gmmu" sweep --slurm --store "$dir/back\\slash/x.db" "$dir/one.yaml" >"$dir/out" 2>"$dir/err"
try "Slurm: a path that sbatch cannot take" sh -c "[ $? = 1 ] && grep -q 'below a name with a backslash' '$dir/err'"
# A task is cancelled: its run is lost, with a reason, until it is wanted again.
cat >"$dir/long.yaml" <<'END'
workloads: ["gather:footprint=64M,steps=4000", "stream:footprint=64K,blocks=4"]
END
# The store's path has what is a pattern in sbatch's options.
odd="$dir/50%j%"
mkdir "$odd"
"$gmmu" sweep --slurm --store "$odd/lost.db" "$dir/long.yaml" >"$dir/out" 2>&1 &
pid=$!
a_task_runs() { [ "$(squeue --noheader --states=RUNNING | wc -l)" != 0 ]; }
await 10 a_task_runs
sleep 1
scancel --user "$(id -un)"
wait "$pid"
try "Slurm: a cancelled task is a failure" sh -c "[ $? = 1 ] && grep -q 'its Slurm task ended without a result: CANCELLED' '$dir/out'"
try "Slurm: with what its log says" sh -c "grep -q 'CANCELLED; [a-z]*: ' '$dir/out' || { cat '$dir/out'; exit 1; }"
try "Slurm: the other one is kept" test "$(count "$odd/lost.db")" = 1
finish
