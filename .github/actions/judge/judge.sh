#!/usr/bin/env bash
# Runs the suite on IMPL and turns the run into a summary, annotations, JUnit XML, a badge and a page.
# Reads IMPL, ROWS, AREAS, KNOWN_FAILURES, FAIL_UNDER, OUT, and GITHUB_STEP_SUMMARY where there is one.
set -uo pipefail

read -ra rows <<< "${ROWS:-}"
read -ra areas <<< "${AREAS:-}"
mkdir -p "$OUT"
run="$OUT/run.jsonl.gz"

arguments=(--impl "$IMPL" --report "$run")
pulled=()
for row in "${rows[@]}"; do
  arguments+=(--row "$row")
  [[ "$row" == */* || "$row" == . ]] || pulled+=("$row")
done
((${#rows[@]})) || arguments+=(--status toy)
for area in "${areas[@]}"; do arguments+=(--area "$area"); done
[[ -z "${KNOWN_FAILURES:-}" ]] || arguments+=(--known-failures "$KNOWN_FAILURES")

if ((${#pulled[@]})); then tokenspec models pull "${pulled[@]}" || exit; fi
tokenspec run "${arguments[@]}"
ended=$?
[[ -f "$run" ]] || exit "$ended"

finish=(--impl "$IMPL" --ended "$ended" --out "$OUT")
[[ -z "${FAIL_UNDER:-}" ]] || finish+=(--fail-under "$FAIL_UNDER")
[[ -z "${GITHUB_STEP_SUMMARY:-}" ]] || finish+=(--summary "$GITHUB_STEP_SUMMARY")
tokenspec report ci "$run" "${finish[@]}"
