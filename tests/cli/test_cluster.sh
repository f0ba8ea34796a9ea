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
[ -e "$(dirname "$gmmu")/gmmu-mpi.so" ] ||
  wants 1 "gmmu-mpi.so: this gmmu was built without MPI" "--mpi without MPI says so" sweep --mpi --store "$dir/none.db" "$dir/many.yaml"
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$gmmu")/gmmu-mpi.so" ]; then
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
for _ in $(seq 200); do
  [ ! -e "$dir/submitting" ] || break
  sleep 0.05
done
mkdir "$dir/held.db.slurm/gmmu-dead00"
(PATH=$dir/bin:$PATH exec "$gmmu" sweep --slurm --store "$dir/held.db" "$dir/one.yaml") >"$dir/out" 2>&1
try "Slurm: an array that is being submitted is left alone" sh -c "ls '$dir'/held.db.slurm/gmmu-*/plan"
try "Slurm: the folder of a dead one is not" test ! -e "$dir/held.db.slurm/gmmu-dead00"
touch "$dir/go"
wait "$pid"
try "Slurm: it gets all its runs" grep -q " $runs runs: 0 were there, $runs have been run, 0 failed" "$dir/held"

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
# A task is cancelled: its run is lost, with a reason, until it is wanted again.
cat >"$dir/long.yaml" <<'END'
workloads: ["gather:footprint=64M,steps=4000", "stream:footprint=64K,blocks=4"]
END
"$gmmu" sweep --slurm --store "$dir/lost.db" "$dir/long.yaml" >"$dir/out" 2>&1 &
pid=$!
for _ in $(seq 100); do
  [ "$(squeue --noheader --states=RUNNING | wc -l)" = 0 ] || break
  sleep 0.1
done
sleep 1
scancel --user "$(id -un)"
wait "$pid"
try "Slurm: a cancelled task is a failure" sh -c "[ $? = 1 ] && grep -q 'its Slurm task ended without a result: CANCELLED' '$dir/out'"
try "Slurm: the other one is kept" test "$(count "$dir/lost.db")" = 1
finish
