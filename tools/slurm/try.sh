#!/usr/bin/env bash
# try.sh PIOLA [--limit] -- runs sweeps by a Slurm that start.sh starts and stop.sh stops, and says what it saw:
#
#   two tasks of an array that are stopped, by SIGUSR1 and by SIGTERM, are queued again, go on, and the sweep ends with
#   the bytes of `piola sweep --jobs 2`; the job that collects waits for them
#   a task that is stopped before a new evaluation ends with 79, and is not queued again
#   a task that is cancelled is not queued again
#   with --limit, which takes minutes: tasks that Slurm itself stops at their time limit, with SIGUSR1 before it and
#   with SIGTERM at it, end with the bytes of an uninterrupted sweep, too
#
# Needs root, and Debian's slurmctld, slurmd, slurm-client and munge; without them it ends with 77. Ends with 1 if
# something is wrong. Nothing is left behind.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
piola=$(realpath "$1")
limit=${2:-}
PATH=$PATH:/usr/sbin
for command in munged slurmctld slurmd sbatch; do
    if ! command -v $command >/dev/null || [ "$(id -u)" -ne 0 ]; then
        echo "not checked: $command is not installed, or this is not root"
        [ "${CI:-}" != true ] || exit 1
        exit 77
    fi
done
dir=$(mktemp -d)
wrong=0

finish() {
    "$here/stop.sh" "$dir/slurm" || wrong=1
    if pgrep -f "$dir" >"$dir/left"; then
        echo "WRONG: processes are left: $(tr '\n' ' ' <"$dir/left")"
        wrong=1
    fi
    [ $wrong -eq 0 ] || tail -n 20 "$dir"/*/slurm/*.txt || true
    rm -rf "$dir"
    exit $wrong
}

# see WHAT COMMAND...: prints what was seen, and whether it is so.
see() {
    local what=$1
    shift
    if "$@"; then
        echo "seen: $what"
    else
        echo "WRONG, not seen: $what"
        wrong=1
    fi
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then
            echo "WRONG: waited in vain for: $*"
            wrong=1
            return
        fi
        sleep 0.1
    done
}

# write NAME OPTION...: the scripts of a sweep; the same options make the sweep to which it is compared.
write() {
    local name=$1
    shift
    "$piola" sweep "$dir/scene.yaml" -o "$dir/$name" --device cpu --what optimize "$@" --slurm 2>/dev/null
}

# submit NAME: sets `job` to the number of its array.
submit() {
    local line
    line=$(sh "$dir/$1/slurm/submit.sh")
    echo "$line"
    job=$(cut -d' ' -f2 <<<"$line")
}

# uninterrupted NAME OPTION...: the same sweep without Slurm; its exit code is in NAME.code
uninterrupted() {
    local name=$1 code=0
    shift
    "$piola" sweep "$dir/scene.yaml" -o "$dir/$name.whole" --device cpu --what optimize "$@" --jobs 2 -q || code=$?
    echo $code >"$dir/$name.code"
}

has_evaluation() { grep -q "^iteration " "$dir/$1/members/$2/log.txt"; }
runs() { [ -e "$dir/$1/members/$2/.piola-lock" ]; }
has_ended() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
said() { grep -q "$2" "$dir/$1"/slurm/members_*_"$3".txt; }
said_not() { ! said "$@"; }
collected() { grep -q "$2" "$dir/$1"/slurm/collect_*.txt; }
lists() { grep "JobState=$1 " "$dir/slurm/log/jobs.txt" | grep "ArrayJobId=$2 " | grep -q "$3"; }
same() {
    for file in sweep.csv sweep.h5 sweep.json; do
        cmp "$dir/$1/$file" "$dir/$1.whole/$file" || return 1
    done
}
# one digit of the scene changes the bytes, or comparing them would find nothing
differs() { ! cmp -s "$dir/$1/sweep.csv" "$dir/$2/sweep.csv"; }

cat >"$dir/scene.yaml" <<'END'
version: 1
name: tiny
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 4 s}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball, every: 1 s}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: adam, learning_rate: 0.05, max_iterations: 12}
output: {states: {every: 1 s}}
END
axes=(--over "materials.soft.E=5kPa..20kPa:4:log")
slow=(--over "materials.soft.E=5kPa,20kPa" --set "time.duration=2000 s" --set "output.states.every=100 s" --set
    "observe.place.every=100 s")
long=(--over "materials.soft.E=5kPa,20kPa" --set "optimizer.max_iterations=100000")

trap finish EXIT
"$here/start.sh" "$dir/slurm" 8
export SLURM_CONF="$dir/slurm/slurm.conf"
began=$SECONDS

write stopped "${axes[@]}" --chunk 2
submit stopped
stopped=$job
wait_for 60 has_evaluation stopped 00000
scancel --signal=USR1 --batch "${stopped}_0"
wait_for 60 has_evaluation stopped 00002
scancel --signal=TERM --batch "${stopped}_1"

write slow "${slow[@]}"
submit slow
slow_job=$job
write cancelled "${long[@]}"
submit cancelled
cancelled=$job
for task in 0 1; do
    wait_for 60 runs slow 0000$task
    scancel --signal=USR1 --batch "${slow_job}_$task"
done
for task in 0 1; do
    wait_for 60 has_evaluation cancelled 0000$task
done
scancel "$cancelled"
uninterrupted stopped "${axes[@]}"
for name in $stopped $slow_job $cancelled $((stopped + 1)); do
    wait_for 120 has_ended "$name"
done
wait_for 60 test -e "$dir/stopped/sweep.h5"
wait_for 60 has_ended "$(squeue -h -o %A | head -n 1)"
echo "after $((SECONDS - began)) s:"
see "a task that SIGUSR1 stopped ended with 75" said stopped "SIGUSR1" 0
see "a task that SIGTERM stopped ended with 75" said stopped "SIGTERM" 1
for task in 0 1; do
    see "task $task was queued again once" said stopped "restart 1" $task
    see "task $task ended with 0" said stopped "exit code 0" $task
done
see "the sweep has the bytes of one that was not interrupted" same stopped
see "a task without a new evaluation ended with 79" said slow "exit code 79" 0
see "Slurm lists it as failed" lists FAILED "$slow_job" "ExitCode=79:0"
see "it was not queued again" said_not slow "restart 1" 0
see "the job that collects said that members are left" collected slow "2 of 2 members are not finished"
see "a cancelled task had something new on disk" said cancelled "exit code 75" 0
see "it was not queued again" said_not cancelled "restart 1" 0

if [ "$limit" = --limit ]; then
    # About two minutes for each member. The processor's time counts, which is the same however much runs beside.
    TIMEFORMAT=%U
    once=("$piola" optimize "$dir/scene.yaml" -o "$dir/once" --device cpu --threads 1 -q)
    took=$({ time "${once[@]}" >"$dir/once.txt" 2>&1; } 2>&1)
    iterations=$(awk -v took="$took" 'BEGIN { printf "%d", 120 * 12 / took }')
    limited=("${axes[@]}" --over "materials.soft.nu=0.3" --set "optimizer.max_iterations=$iterations")
    limited[1]="materials.soft.E=7kPa"
    write warned "${limited[@]}" --max-walltime 60 --sbatch=--signal=B:USR1@45
    submit warned
    warned=$job
    write killed "${limited[@]}" --max-walltime 60 --sbatch=--signal=B:URG@1
    submit killed
    killed=$job
    uninterrupted warned "${limited[@]}"
    ln -s warned.whole "$dir/killed.whole"
    for name in $warned $killed; do
        wait_for 900 has_ended "$name"
    done
    wait_for 60 test -e "$dir/warned/sweep.h5"
    wait_for 60 test -e "$dir/killed/sweep.h5"
    echo "after $((SECONDS - began)) s:"
    see "Slurm's warning before the time limit stopped a task" said warned "SIGUSR1" 0
    see "it was queued again" said warned "restart 1" 0
    see "it never reached its limit" said_not warned "DUE TO TIME LIMIT" 0
    see "it has the bytes of a sweep without limit" same warned
    see "the time limit stopped a task" said killed "DUE TO TIME LIMIT" 0
    see "it was queued again" said killed "restart 1" 0
    see "it has the bytes of a sweep without limit" same killed
fi
