# shellcheck shell=sh
# A Slurm of one node for tests, with its own munge, ports and folders; sourced behind lib.sh. No cgroups, no system
# services, nothing outside $dir.
# shellcheck disable=SC2154  # $dir of lib.sh

slurm_conf() {
  host=$(hostname -s 2>/dev/null || uname -n)
  port=$((20000 + $$ % 20000))
  cat <<END
ClusterName=gmmu
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$dir/slurm/munge.sock
StateSaveLocation=$dir/slurm/state
SlurmdSpoolDir=$dir/slurm/spool
SlurmctldPidFile=$dir/slurm/slurmctld.pid
SlurmdPidFile=$dir/slurm/slurmd.pid
SlurmctldLogFile=$dir/slurm/slurmctld.log
SlurmdLogFile=$dir/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=60 State=UP
END
}

idle_node() { case $(sinfo --noheader --format=%t 2>/dev/null) in idle*) ;; *) return 1 ;; esac; }
slurm_ready() {
  await 10 idle_node && return 0
  echo "its node does not get ready: $(tail -qn 1 "$dir"/slurm/slurmd.log "$dir"/slurm/slurmctld.log 2>/dev/null | tail -n 1)"
  return 1
}

# Says in its last line why it cannot.
slurm_start() {
  for c in munged slurmctld slurmd sbatch squeue scontrol; do
    command -v $c >/dev/null || { echo "no $c here" && return 1; }
  done
  mkdir -p "$dir/slurm/state" "$dir/slurm/spool"
  chmod 755 "$dir" "$dir/slurm"
  (umask 077 && head -c 1024 /dev/urandom >"$dir/slurm/munge.key")
  munged --force --key-file="$dir/slurm/munge.key" --socket="$dir/slurm/munge.sock" --pid-file="$dir/slurm/munged.pid" \
    --log-file="$dir/slurm/munged.log" --seed-file="$dir/slurm/munge.seed" || { echo "munged does not start" && return 1; }
  slurm_conf >"$dir/slurm/slurm.conf"
  SLURM_CONF=$dir/slurm/slurm.conf
  export SLURM_CONF
  slurmctld || { echo "slurmctld does not start" && return 1; }
  slurmd || { echo "slurmd does not start" && return 1; }
  slurm_ready
}

daemons_gone() {
  for p in slurmd slurmctld munged; do
    [ ! -s "$dir/slurm/$p.pid" ] || ! kill -0 "$(cat "$dir/slurm/$p.pid" 2>/dev/null)" 2>/dev/null || return 1
  done
}
slurm_stop() {
  for p in slurmd slurmctld munged; do
    [ ! -s "$dir/slurm/$p.pid" ] || kill "$(cat "$dir/slurm/$p.pid" 2>/dev/null)" 2>/dev/null
  done
  await 5 daemons_gone
}
