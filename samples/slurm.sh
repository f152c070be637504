#!/usr/bin/env bash
# A folder of images on many machines, by Slurm: each task of the array does its part, and may be requeued.
#
#   job=$(sbatch --parsable --array=1-64 slurm.sh photos out)
#   sbatch --dependency=afterany:"$job" --wrap 'halo merge out/stats/*.json > out/stats.json'
#
# More tasks than machines even out files of different sizes. halo merge says so if a part is missing.
#SBATCH --job-name=halo
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
#SBATCH --requeue
set -euo pipefail
input=$1 output=$2
mkdir -p "$output/stats"

# What Slurm granted, memory in MiB; three quarters are for samples. Where it grants none (0), halo takes that
# part of a control group's limit, or of the machine's. srun does not take --cpus-per-task from the job.
cpus=${SLURM_CPUS_PER_TASK:-1}
mebibytes=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * cpus))}
limits=(-j "$cpus")
[ "$mebibytes" -eq 0 ] || limits+=(--max-memory $((mebibytes * 3 / 4 * 1048576)))

# What was done before this task was requeued is not done again. A bad input makes the exit status 1, which
# does not stop the statistics.
status=0
srun -c "$cpus" halo run 'gauss:2 | unsharp' "$input" -r --out-dir "$output/images" --shard auto --resume \
    "${limits[@]}" -v || status=$?

# One object for the whole data set, as a single machine would print it, from the parts.
srun -c "$cpus" halo stats "$input" -r --total --json --shard auto "${limits[@]}" \
    > "$output/stats/$SLURM_ARRAY_TASK_ID.json" || status=$?
exit "$status"
