// The filter: words that must all occur, "two words", -not, and row: case: impl: area: req: check: level: verdict: why: cause: text:

const FIELDS = {
  row: (cell) => data.rows[cell.row].name,
  case: (cell) => data.cases[cell.name][0],
  impl: (cell) => data.implementations[cell.impl].impl,
  area: (cell) => data.areas[cell.area].name,
  level: (cell) => Object.keys(levelsOf(cell)).join(" "),
  verdict: (cell) => textOf(cell.pattern).verdicts,
  check: (cell) => textOf(cell.pattern).checks,
  req: (cell) => textOf(cell.pattern).requires,
  why: (cell) => textOf(cell.pattern).why,
  cause: (cell) => textOf(cell.pattern).causes,
  text: (cell) => textOf(cell.pattern).details + " " + data.cases[cell.name][1],
};

// A pattern (the findings of a cell) is shared by many cells, so its text is made once.
function textOf(pattern) {
  if (!pattern.text) {
    const checks = pattern.findings.map(([check]) => data.checks[check]);
    pattern.text = {
      checks: checks.map((check) => check.name).join(" ").toLowerCase(),
      requires: checks.flatMap((check) => check.requires).join(" ").toLowerCase(),
      verdicts: pattern.findings.map(([, verdict]) => VERDICTS[verdict]).join(" "),
      why: pattern.findings.map(([, , , , , why]) => why === undefined ? "" : data.reasons[why].id).join(" ").toLowerCase(),
      causes: pattern.findings.map(([, , , , cause]) => cause < 0 ? "" : data.causes[cause]).join(" ").toLowerCase(),
      details: pattern.findings.map(([, , detail]) => data.details[detail]).join(" ").toLowerCase(),
    };
  }
  return pattern.text;
}

function parseFilter(query) {
  const terms = [];
  for (const [, not, field, long, short] of (query || "").matchAll(/(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)) {
    const known = field === "requirement" ? "req" : field;
    const word = (long ?? short).toLowerCase();
    const name = known in FIELDS ? known : null;
    terms.push({ not: not === "-", name, word: known && !name ? `${known}:${word}` : word });
  }
  return terms;
}

function matches(cell, terms) {
  return terms.every(({ not, name, word }) => {
    const fields = name ? [FIELDS[name]] : Object.values(FIELDS);
    return fields.some((field) => field(cell).toLowerCase().includes(word)) !== not;
  });
}

// The cells the filter leaves; the last answer is kept, the views ask several times.
let filtered = { query: null, cells: [] };

function filteredCells() {
  const query = state.q || "";
  if (filtered.query !== query) {
    const terms = parseFilter(query);
    filtered = { query, cells: terms.length ? cells.filter((cell) => matches(cell, terms)) : cells };
  }
  return filtered.cells;
}

function chosenVerdicts() {
  return new Set((state.v || "").split(",").filter(Boolean).map((name) => VERDICTS.indexOf(name)));
}
