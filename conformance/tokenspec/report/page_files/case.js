// One case: what every check said, the tokens or fields, the input, the command that repeats it.

const dialog = document.getElementById("case");

function openCell() {
  if (!state.case) return null;
  return cells.find((cell) => data.cases[cell.name][0] === state.case && data.rows[cell.row].name === state.on
    && data.implementations[cell.impl].impl === state.by) || null;
}

function showCase() {
  const cell = openCell();
  if (!cell) {
    if (dialog.open) dialog.close();
    return;
  }
  const [id, why] = data.cases[cell.name];
  const row = data.rows[cell.row];
  const siblings = chosenCases().map((one) => one.cell);
  const at = siblings.indexOf(cell);
  const step = (by, text, key) => button(text, () => openCase(siblings[at + by]),
    { class: "quiet", disabled: !siblings[at + by] || at < 0, "aria-keyshortcuts": key, id: by > 0 ? "next" : "previous" });
  const findings = [...cell.pattern.findings].sort((a, b) => a[1] - b[1]);
  const loud = findings.filter(([, verdict]) => verdict !== PASS && !SILENT.has(verdict));
  const quiet = findings.filter((finding) => !loud.includes(finding));
  fill(dialog,
    element("div", { class: "bar sticky" },
      element("h2", { id: "case-title", tabindex: "-1", autofocus: true }, badge(verdictOf(cell, {})), " ", id),
      step(-1, "previous", "k"), step(1, "next", "j"), button("close", closeCase, { class: "quiet", id: "close-case" })),
    element("p", {}, why),
    element("p", { class: "dim" }, `${rowName(row)}${row.status ? ` (${row.status} row)` : ""}, by ${data.implementations[cell.impl].label}`),
    others(cell),
    inOrder(cell, loud),
    element("h3", {}, "Again"), codeLine(againCommand(cell)),
    quiet.length ? element("details", {}, element("summary", {}, counted(quiet.length, "more verdict")),
      element("table", { class: "verdicts" }, element("tbody", {}, quiet.map(([check, verdict, detail]) => element("tr", {},
        element("td", {}, badge(verdict)), element("td", {}, data.checks[check].name),
        element("td", { class: "dim" }, data.checks[check].requires.join(" ")), element("td", { class: "dim" }, data.details[detail])))))) : null);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  scrollToDifference(dialog);
}

// Where there are two sides to compare they come first, under one line of what is wrong; else what the checks say.
function inOrder(cell, loud) {
  const findings = alike(loud).map(findingShown);
  const exhibit = data.exhibit[cell.exhibit];
  if (!exhibit || !(exhibit.got || exhibit.lines)) return [findings, exhibitShown(cell, loud)];
  const said = [...new Set(loud.map(([, , detail]) => firstLine(data.details[detail])))];
  return [element("p", { class: "said" }, said.join("; ")), exhibitShown(cell, loud), element("h3", {}, "Checks"), findings];
}

function closeCase() {
  go({ case: null, on: null, by: null, mode: null });
}

// The same case on the same row by the other implementations.
function others(cell) {
  const found = cells.filter((other) => other.name === cell.name && other.row === cell.row && other.impl !== cell.impl);
  if (!found.length) return null;
  return element("p", { class: "others" }, found.map((other) => button([
    badge(verdictOf(other, {})), ` ${data.implementations[other.impl].label}`,
  ], () => openCase(other), { class: "quiet" })));
}

// An implementation that broke or refused says so to every check: that is shown once.
function alike(findings) {
  const groups = new Map();
  for (const [check, verdict, detail, must, , why] of findings) {
    const key = `${verdict}|${detail}|${must}|${why}`;
    if (!groups.has(key)) groups.set(key, { checks: [], verdict, detail, must, why });
    groups.get(key).checks.push(data.checks[check]);
  }
  return [...groups.values()];
}

function findingShown({ checks, verdict, detail, must, why }) {
  const [first] = checks;
  const several = checks.length > 1 ? element("span", { class: "dim" }, ` and ${counted(checks.length - 1, "more check")}`) : null;
  const requires = [...new Set(checks.flatMap((check) => check.requires))];
  return element("section", { class: `finding ${toneOf(VERDICTS[verdict])}` },
    element("h3", {}, badge(verdict), " ", first.name, several, must ? null : element("span", { class: "dim" }, " a SHOULD, which fails no run")),
    several || !first.doc ? null : element("p", { class: "dim" }, first.doc),
    data.details[detail] ? element("pre", {}, data.details[detail]) : null,
    why === undefined ? null : element("p", { class: "why" }, element("b", {}, "Why: "), data.reasons[why].why, element("span", { class: "dim" }, ` ${data.reasons[why].link}`)),
    requires.length > 4 ? element("details", {}, element("summary", {}, counted(requires.length, "requirement")), requires.map(requirementNote))
      : requires.map(requirementNote));
}

function exhibitShown(cell, loud) {
  if (!loud.length) return null;
  const exhibit = data.exhibit[cell.exhibit];
  if (!exhibit) {
    if (loud.every(([, verdict]) => VERDICTS[verdict] === "xpass")) return null;
    const why = cell.exhibit === -1 ? "Tokens of this case are left out to keep the page small." : "The report holds no tokens of this case.";
    return element("p", { class: "note" }, `${why} The command below prints the verdict again; tokenspec diff prints all tokens.`);
  }
  return [
    exhibit.expected ? tokensShown(exhibit) : null,
    exhibit.lines ? linesShown(exhibit.lines) : null,
    element("details", {}, element("summary", {}, "Input"), element("pre", {}, data.inputs[exhibit.input])),
  ];
}

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  closeCase();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) closeCase();
});
