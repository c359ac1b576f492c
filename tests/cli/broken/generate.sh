#!/usr/bin/env bash
# usage: generate.sh DIR
# Writes the broken scenarios that are too large to keep, NAME.yaml each with its NAME.expect, into
# DIR.
set -euo pipefail
mkdir -p "$1"
cd "$1"

# Prints a text N times.
repeat() { printf '%*s' "$2" '' | sed "s/ /$1/g"; }

# Prints N letters.
letters() { head -c "$1" /dev/zero | tr '\0' a; }

# Keeps the scenario that follows 'headway: 1' on standard input, with the message expected of it.
broken() { { echo 'headway: 1' && cat; } >"$1.yaml" && echo "$2" >"$1.expect"; }

{ printf 'name: ' && letters 10000000; } |
  broken line_of_10_mb ': over 4000000 bytes; a scenario is a small file'
{ printf 'name: ' && letters 3000000; } |
  broken line_of_3_mb ':2:1: a line of 3000006 bytes; expected at most 65536'
repeat '# a comment\n' 500000 |
  broken file_of_6_mb ': over 4000000 bytes; a scenario is a small file'
repeat '# a comment\n' 300000 |
  broken comments_of_4_mb ":1:1: the scenario has no 'workload'"
repeat '[a,\n' 300000 | broken brackets_without_end ': nested more than 32 deep'
{ printf 'name: ' && repeat '[' 60000; } |
  broken nested_60000_deep ':2:39: nested more than 32 deep'
{ printf 'name: ' && repeat '[[{a: ' 10000; } | broken nested_maps ': nested more than 32 deep'
{ printf 'name:\n  ' && repeat '- ' 30000; } |
  broken dashes_30000_deep ': nested more than 32 deep'
{ printf 'name: {' && repeat '? ' 30000; } | broken questions_30000_deep ':2:'
{ echo 'workload:' && repeat '  - 1\n' 200000; } |
  broken many_values ': more than 100000 values in a scenario'
seq -f 'key%.0f: 1' 90000 | broken many_keys ":2:1: unknown key 'key1' in the scenario"
{ printf 'name: "' && repeat '\\\\' 30000 && echo '"'; } | broken long_name ":1:1: the scenario has no 'workload'"
for level in $(seq 2000); do
  echo "a$level: &a$level [*a$((level - 1)), *a$((level - 1)), *a$((level - 1))]"
done | broken bomb_of_2000_levels ":2:5: '&' starts a YAML anchor"
