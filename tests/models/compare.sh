#!/usr/bin/env bash
# How fast the search is beside other model checkers: the trick game of this folder in all three, one after the other, one core
# each. tests/models/compare.sh [RANKS] [RIPDSL] [TIMES]; needs the Debian packages rumur, spin and gcc.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ranks=${1:-3}
ripdsl=${2:-$here/../../build/release/ripdsl}
times=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declare -A words=([2]=two [3]=three [4]=four)

# run NAME COMMAND...: states and seconds; the last line of the command's output that bears the number of states.
run() {
  local name=$1 begin end
  shift
  begin=$(date +%s.%N)
  "$@" >"$work/out" 2>&1 || true
  end=$(date +%s.%N)
  local states
  states=$(grep -oE '"states": [0-9]+|[0-9]+ states, [0-9]+ rules|[0-9]+ states, stored' "$work/out" | grep -oE '[0-9]+' | head -n 1)
  awk -v name="$name" -v states="$states" -v seconds="$(awk "BEGIN { print $end - $begin }")" \
    'BEGIN { printf "%-28s %12d states %9.2f s %12.0f states/s\n", name, states, seconds, states / seconds }'
}

cd "$work"
sed "s/Ranks: 3;/Ranks: $ranks;/; s/Cards: 9;/Cards: $((3 * ranks));/" "$here/tricks.m" >tricks.m
rumur --threads 1 --deadlock-detection stuck --output rumur.c tricks.m
cc -O3 -mcx16 -march=native rumur.c -lpthread -o by_rumur
cp "$here/tricks.pml" .
spin -DRANKS="$ranks" -a tricks.pml >/dev/null
cc -O3 -DSAFETY -DNOREDUCE -DNOFAIR -DMEMLIM=16000 pan.c -o by_spin 2>/dev/null
for ((i = 0; i < times; ++i)); do
  run "rumur" ./by_rumur
  run "spin" ./by_spin -m1000 -w25
  run "ripdsl" "$ripdsl" check "$here/tricks.rip" --variant "${words[$ranks]} ranks" --only search --without forgotten,symmetries --jobs 1 --time 2h --json
  run "ripdsl, all reductions" "$ripdsl" check "$here/tricks.rip" --variant "${words[$ranks]} ranks" --only search --jobs 1 --time 2h --json
done
