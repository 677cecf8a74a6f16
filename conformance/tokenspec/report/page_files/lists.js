// Lists: the cases of a chosen matrix cell, the kinds of failures, the known failures.

const MOST_SHOWN = 200;

function isChosen(cell) {
  return (!state.area || data.areas[cell.area].name === state.area)
    && (!state.row || data.rows[cell.row].name === state.row)
    && (!state.impl || data.implementations[cell.impl].impl === state.impl)
    && verdictOf(cell, state) !== undefined;
}

function hasChoice() {
  return Boolean(state.area || state.row || state.impl || state.req || state.check || state.cause);
}

// The cases of the choice, worst first; the order of the run within a verdict.
function chosenCases() {
  const wanted = chosenVerdicts();
  const found = filteredCells().filter(isChosen).map((cell) => ({ cell, verdict: verdictOf(cell, state) }))
    .filter(({ cell, verdict }) => !wanted.size || wanted.has(verdict) || (wanted.has(WARNING) && warns(cell)));
  return found.sort((a, b) => a.verdict - b.verdict);
}

function casesPanel() {
  const found = chosenCases();
  const what = [state.area, state.row, state.impl && labelOf(state.impl), state.level, state.req, state.check, state.cause].filter(Boolean);
  const list = element("ol", { class: "cases" });
  const more = button("", () => show(list.children.length + MOST_SHOWN), { class: "quiet" });
  const show = (until) => {
    list.append(...found.slice(list.children.length, until).map(caseLine));
    more.textContent = `show ${Math.min(MOST_SHOWN, found.length - list.children.length)} more`;
    more.hidden = list.children.length >= found.length;
  };
  show(MOST_SHOWN);
  return element("aside", { id: "cases", "aria-label": "cases" },
    element("div", { class: "bar" }, element("h2", { tabindex: "-1" }, counted(found.length, "case")),
      element("span", { class: "dim" }, what.join(" · ")),
      button("close", () => go(NO_CELL), { class: "quiet", "aria-label": "close the list of cases" })),
    found.length ? list : nothingHere(), more);
}

function caseLine({ cell, verdict }) {
  const detail = detailOf(cell);
  return element("li", {}, button([
    badge(verdict), element("b", {}, data.cases[cell.name][0]),
    state.row ? null : element("span", { class: "dim" }, ` on ${data.rows[cell.row].name}`),
    state.impl ? null : element("span", { class: "dim" }, ` by ${data.implementations[cell.impl].label}`),
    element("span", { class: "line" }, detail ? firstLine(detail) : data.cases[cell.name][1]),
  ], () => openCase(cell), { class: "case" }));
}

// What the worst finding of the choice says.
function detailOf(cell) {
  const found = cell.pattern.findings.filter(([check]) => !state.req || data.checks[check].requires.includes(state.req))
    .filter(([check]) => !state.check || data.checks[check].name === state.check)
    .filter(([, , , , cause]) => !state.cause || data.causes[cause] === state.cause)
    .filter(([check]) => !state.level || data.checks[check].level === state.level);
  found.sort((a, b) => a[1] - b[1]);
  return found.length ? data.details[found[0][2]] : "";
}

function openCase(cell) {
  go({ case: data.cases[cell.name][0], on: data.rows[cell.row].name, by: data.implementations[cell.impl].impl });
}

// Everything that failed, one line a kind, most frequent first: by check, or by message where nothing was answered.
function failuresView() {
  const wanted = chosenVerdicts();
  const groups = new Map();
  for (const cell of filteredCells()) {
    for (const [check, verdict, detail, must, cause] of cell.pattern.findings) {
      if (wanted.size ? !wanted.has(verdict) : !BROKEN.has(verdict) && verdict !== WARNING) continue;
      const said = cause < 0 ? firstLine(data.details[detail]) : data.causes[cause];
      const key = `${cell.impl}|${verdict}|${said}`;
      if (!groups.has(key)) groups.set(key, { impl: cell.impl, check, verdict, must, said, detail, smallest: cell, rows: new Set(), cells: new Set() });
      const group = groups.get(key);
      group.cells.add(cell);
      group.rows.add(cell.row);
      if (data.cases[cell.name][2] < data.cases[group.smallest.name][2]) Object.assign(group, { smallest: cell, detail });
    }
  }
  if (!groups.size) return [element("p", { class: "note good" }, "No failures here.")];
  const causes = [...groups.values()].sort((a, b) => a.impl - b.impl || b.cells.size - a.cells.size);
  return [element("ol", { class: "cases kinds" }, causes.map(causeLine)), whySection()];
}

const DEVIATING = ["fail", "error", "rejected", "warning", "xfail"];

// The reviewed causes that were met, most cells first, and how many failures have none.
function whySection() {
  if (!data.reasons.length) return null;
  const met = data.reasons.map((reason) => ({ ...reason, cells: new Set() }));
  const unexplained = new Map();
  for (const cell of filteredCells()) {
    for (const [, verdict, , , , why] of cell.pattern.findings) {
      const impl = data.implementations[cell.impl].impl;
      if (why !== undefined) met[why].cells.add(cell);
      else if (DEVIATING.includes(VERDICTS[verdict]) && data.reasons.some((reason) => reason.impl === impl)) unexplained.set(impl, (unexplained.get(impl) || new Set()).add(cell));
    }
  }
  const lines = met.filter((reason) => reason.cells.size).sort((a, b) => b.cells.size - a.cells.size).map((reason) => element("li", {}, button([
    element("b", {}, counted(reason.cells.size, "cell")), element("span", { class: "dim" }, ` of ${reason.impl} `), reason.why,
    reason.link ? element("span", { class: "dim" }, ` ${reason.link}`) : null,
  ], () => go({ ...NO_CELL, impl: reason.impl, q: `why:${reason.id}` }), { class: "case" })));
  const open = [...unexplained].map(([impl, found]) => element("p", { class: "note warn" }, `${impl}: ${counted(found.size, "cell")} with a failure no reviewed cause speaks of`));
  return element("section", { class: "area" }, element("h2", {}, "Why they deviate"), element("ol", { class: "cases kinds" }, lines), open);
}

// One cause: how often, its smallest case; a click shows its cells.
function causeLine(group) {
  const check = data.checks[group.check];
  const { impl, label } = data.implementations[group.impl];
  const example = `smallest: ${data.cases[group.smallest.name][0]} on ${data.rows[group.smallest.row].name}: ${firstLine(data.details[group.detail])}`;
  const chosen = { ...NO_CELL, impl, v: null, cause: group.said };
  return element("li", {}, button([
    badge(group.verdict), element("b", {}, group.said), element("span", { class: "dim" }, ` by ${label}, `),
    `${counted(group.cells.size, "cell")} on ${counted(group.rows.size, "row")}`,
    group.must ? null : element("span", { class: "dim" }, " (a SHOULD, which fails no run)"),
    element("span", { class: "line" }, `${check.name}: ${check.doc}`), element("span", { class: "line dim" }, example),
  ], () => go(chosen), { class: "case" }));
}

// The lists the run was held against, and the cells they speak of.
function knownView() {
  const lists = data.known.map((list) => element("section", { class: "card" },
    element("h2", {}, list.file), element("p", {}, `${labelOf(list.impl)}: ${counted(list.entries, "entry").replace("entrys", "entries")}, ${list.in_force} in force`),
    list.complaints.length ? element("ul", { class: "complaints" }, list.complaints.map((line) => element("li", {}, line))) : null));
  const known = [XFAIL, VERDICTS.indexOf("xpass")];
  const found = filteredCells().filter((cell) => cell.pattern.findings.some(([, verdict]) => known.includes(verdict)))
    .map((cell) => ({ cell, verdict: worstOf(cell.pattern.findings.map(([, verdict]) => verdict).filter((v) => known.includes(v))) }))
    .sort((a, b) => a.verdict - b.verdict);
  if (!lists.length && !found.length) {
    return [element("p", { class: "note" }, "No list of known failures was given (tokenspec run --known-failures FILE).")];
  }
  return [...lists, element("ol", { class: "cases" }, found.slice(0, 5 * MOST_SHOWN).map((one) => caseLine(one)))];
}
