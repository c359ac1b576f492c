#!/usr/bin/env bash
# Disks that are full, folders that cannot be written, Ctrl-C, and processes that are killed: exit
# code 3, and no file that is half written.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
station "run: {duration: 200 s}" >"$work/station.yaml"

# wait_for CONDITION …: up to ten seconds.
wait_for() {
  for _ in $(seq 200); do
    "$@" && return
    sleep 0.05
  done
  fail "waited in vain for: $*"
}

# child_of PID: the process that it started, if there is one.
child_of() { tr ' ' '\n' <"/proc/$1/task/$1/children" | head -1; }
runs() { [ -n "$(child_of "$pid")" ] && ls "$1"/.requests.csv.*.tmp >/dev/null 2>&1; }

# A folder that cannot be written is noticed before the run: an endless one ends at once.
endless=(--set "run.duration=9000000 s")
echo "a file" >"$work/taken"
expect_exit 3 timeout 20 "$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$work/taken"
expect_one_message
expect_text "$work/stderr" "$work/taken"
expect_exit 3 timeout 20 "$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out /proc/headway
expect_one_message
mkdir -p "$work/blocked/summary.json"
expect_exit 3 timeout 20 "$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$work/blocked"
expect_text "$work/stderr" "summary.json: Is a directory"
if [ "$(id -u)" != 0 ]; then
  mkdir -m 555 "$work/readonly"
  expect_exit 3 timeout 20 "$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$work/readonly"
  expect_text "$work/stderr" "Permission denied"
fi

# A full disk: a small file system where one can be mounted, and a limit of file sizes, which fails
# in the same place. Earlier results stay as they were.
mkdir "$work/limited"
echo "earlier" >"$work/limited/requests.csv"
expect_exit 3 bash -c "ulimit -f 1000; exec '$HEADWAY' run '$work/station.yaml' --out '$work/limited'"
expect_one_message
expect_text "$work/stderr" "cannot write $work/limited/"
[ "$(cat "$work/limited/requests.csv")" = earlier ] || fail "earlier results are lost"
[ "$(ls -A "$work/limited")" = requests.csv ] || fail "left: $(ls -A "$work/limited")"
mkdir "$work/disk"
if mount -t tmpfs -o size=1m none "$work/disk" 2>/dev/null; then
  trap 'umount "$work/disk"; rm -rf "$work"' EXIT
  expect_exit 3 "$HEADWAY" run "$work/station.yaml" --out "$work/disk/out"
  expect_one_message
  expect_text "$work/stderr" "No space left on device"
  expect_no_file "$work/disk/out"
fi

# SIGTERM to the command, and Ctrl-C, which the terminal sends to the run's process too: the results
# so far, marked as partial, in the table and in the files.
for target in one group; do
  code=0
  out=$work/cancelled-$target
  setsid "$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$out" \
    >"$work/stdout" 2>"$work/stderr" &
  pid=$!
  wait_for runs "$out"
  sleep 0.2
  if [ $target = one ]; then kill -TERM $pid; else kill -INT -- -$pid; fi
  wait $pid || code=$?
  [ $code = 3 ] || fail "a run cancelled by a signal to $target gives exit code $code"
  expect_text "$work/stdout" "PARTIAL"
  expect_text "$work/stderr" "headway: stopped by cancellation; the results are partial"
  expect_text "$out/summary.json" '"partial": true'
  [ "$(ls -A "$out" | wc -l)" = 4 ] || fail "left: $(ls -A "$out")"
  grep -qvE '^#|^request,|^[0-9]+,.*[0-9]$' "$out/requests.csv" && fail "a torn line"
done

# The run's process is killed: one message, no file.
code=0
"$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$work/killed" \
  >"$work/stdout" 2>"$work/stderr" &
pid=$!
wait_for runs "$work/killed"
kill -KILL "$(child_of $pid)"
wait $pid || code=$?
[ $code = 3 ] || fail "a killed run gives exit code $code"
expect_one_message
expect_text "$work/stderr" "signal 9"
expect_no_file "$work/killed"

# The command itself is killed: its run ends too, and leaves no file.
"$HEADWAY" run "$work/station.yaml" "${endless[@]}" --out "$work/orphan" >/dev/null 2>&1 &
pid=$!
wait_for runs "$work/orphan"
child=$(child_of $pid)
kill -KILL $pid
{ wait $pid || true; } 2>/dev/null
gone() { ! kill -0 "$child" 2>/dev/null; }
wait_for gone
expect_no_file "$work/orphan"
