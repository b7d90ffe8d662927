#!/bin/sh
# stop.sh DIR -- cancels the jobs of the Slurm that start.sh DIR started, and ends its daemons, each by its process
# number. DIR remains.
set -eu
dir=$(cd "$1" && pwd)
export SLURM_CONF="$dir/slurm.conf"
if [ -s "$dir/slurmctld.pid" ]; then
    timeout 20 scancel --user=root 2>/dev/null || true
    tries=0
    while [ -n "$(timeout 20 squeue -h 2>/dev/null)" ] && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
fi
left=0
for file in "$dir/slurmd.pid" "$dir/slurmctld.pid" "$dir/munge/pid"; do
    [ -s "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null || continue
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    if kill -0 "$pid" 2>/dev/null; then
        echo "still there: process $pid of $file" >&2
        left=1
    fi
done
exit $left
