"use strict";
// What is shown is a function of the data and of the address: every view can be linked to, Back works.

const data = JSON.parse(document.getElementById("data").textContent);
const VERDICTS = data.verdicts || [];
const PASS = VERDICTS.indexOf("pass");
const SILENT = new Set(["unsupported", "not comparable"].map((name) => VERDICTS.indexOf(name)));
const XFAIL = VERDICTS.indexOf("xfail");
const UNCOUNTED = new Set((data.uncounted || []).map((name) => VERDICTS.indexOf(name)));
const DISAGREE = VERDICTS.indexOf("sources disagree");
const WARNING = VERDICTS.indexOf("warning");
const BROKEN = new Set((data.broken || []).map((name) => VERDICTS.indexOf(name)));

// Keys: view, q (filter), v (verdicts), the chosen cell (area, row, impl, level, req, check, cause), the open case (case, on,
// by: its row and implementation), mode (text or table).
let state = readState();

function readState() {
  const found = {};
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) found[key] = value;
  return found;
}

function hashOf(next) {
  const kept = Object.entries(next).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return "#" + new URLSearchParams(kept).toString();
}

// A step makes an entry in the history; typing into the filter does not.
function go(changes, { step = true } = {}) {
  const hash = hashOf({ ...state, ...changes });
  if (hash === location.hash) return;
  if (step) location.hash = hash;
  else location.replace(hash);
  show();
}

// Cells as objects, made once: [area, row, implementation, case, pattern, exhibit].
const cells = (data.cells || []).map(([area, row, impl, name, pattern, exhibit]) => ({
  area, row, impl, name, pattern: data.patterns[pattern], exhibit,
}));

// What a column is called; what the address or a list names need not be a column.
function labelOf(name) {
  return data.implementations.find(({ impl }) => impl === name)?.label ?? name;
}

function levelsOf(cell) {
  return cell.pattern.levels;
}

function worstOf(verdicts) {
  return Math.min(...verdicts);
}

// The verdict of a cell in a selection: of one level, requirement, check or cause, or the worst of all levels.
// As in the matrix, silence speaks only where nothing else was said.
function verdictOf(cell, chosen) {
  if (chosen.level) return levelsOf(cell)[chosen.level];
  const wanted = (finding) => (!chosen.req || data.checks[finding[0]].requires.includes(chosen.req))
    && (!chosen.check || data.checks[finding[0]].name === chosen.check)
    && (!chosen.cause || data.causes[finding[4]] === chosen.cause);
  const found = cell.pattern.findings.filter(wanted).map(countedAs);
  if (!found.length) return undefined;
  const decided = found.filter((verdict) => !SILENT.has(verdict));
  return worstOf(decided.length ? decided : found);
}

// What breaks no MUST is shown and counts as a pass.
function countedAs([, verdict, , must]) {
  return must || SILENT.has(verdict) || VERDICTS[verdict] === "xpass" ? verdict : PASS;
}

// Whether something that SHOULD be so is not. Levels count it as a pass, so it is counted, and chosen, beside them.
function warns(cell) {
  return cell.pattern.findings.some(([, verdict]) => verdict === WARNING);
}

function againCommand(cell) {
  const words = ["tokenspec", "run", "--impl", data.implementations[cell.impl].impl, "--case", data.cases[cell.name][0]];
  if (data.rows[cell.row].name !== "-") words.push("--row", data.rows[cell.row].name);
  words.push(...data.again);
  return words.map(quoted).join(" ");
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\"'\"'") + "'";
}
