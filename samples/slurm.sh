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

# What was done before this task was requeued is not done again.
srun halo run 'gauss:2 | unsharp' "$input" -r --out-dir "$output/images" --shard auto --resume \
    -j "$SLURM_CPUS_ON_NODE"

# One object for the whole data set, as a single machine would print it, from the parts.
srun halo stats "$input" -r --total --json --shard auto > "$output/stats/$SLURM_ARRAY_TASK_ID.json"
