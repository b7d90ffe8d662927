#!/bin/sh
# start.sh DIR [CPUS] -- starts a Slurm of this machine alone, as root, with everything it writes below DIR: no
# systemd, no cgroups, nothing of /etc or /var. Afterwards SLURM_CONF=DIR/slurm.conf is what sbatch, squeue and scontrol
# need. CPUS is how many processors it gives away, where that is not all there are.
#
# Needs Debian's slurmctld, slurmd, slurm-client and munge. What the lines of slurm.conf mean: slurm.conf(5) of Slurm
# 22.05. A requeued job waits for cred_expire; below 5 s Slurm takes 120 s instead.
set -eu
mkdir -p "$1"
dir=$(cd "$1" && pwd)
host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p -m 0700 "$dir/munge" "$dir/state" "$dir/spool" "$dir/log"
head -c 128 /dev/urandom >"$dir/munge/key"
chmod 0400 "$dir/munge/key"
cat >"$dir/slurm.conf" <<END
ClusterName=piola
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobs.txt
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,sched_min_interval=0
ReturnToService=2
SlurmdParameters=config_overrides
JobRequeue=1
KillWait=10
NodeName=$host NodeAddr=127.0.0.1 CPUs=${2:-$(nproc)} State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf"
munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
    --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q '^idle'; do
    tries=$((tries + 1))
    if [ $tries -ge 100 ]; then
        echo "Slurm did not start:" >&2
        tail -n 5 "$dir"/log/* >&2
        exit 1
    fi
    sleep 0.2
done
echo "SLURM_CONF=$SLURM_CONF"
