// Tallies, and the two matrices: rows x implementations per area, requirements x implementations.

function tally() {
  return { counts: new Array(VERDICTS.length).fill(0) };
}

function judgedOf(one) {
  return one.counts.reduce((sum, count, verdict) => (UNCOUNTED.has(verdict) ? sum : sum + count), 0);
}

function brokenOf(one) {
  return [...BROKEN].reduce((sum, verdict) => sum + one.counts[verdict], 0);
}

function tallyBy(chosenCells, keysOf) {
  const found = new Map();
  for (const cell of chosenCells) {
    for (const [key, verdict] of keysOf(cell)) {
      if (!found.has(key)) found.set(key, tally());
      found.get(key).counts[verdict] += 1;
    }
  }
  return found;
}

// "41", "39/41", "38/41 x3" with known failures, "41 ≠12" with sources that disagree, "–" when nothing was judged, "·" when
// nothing was run: as printed.
function tallyText(one) {
  if (!one) return "·";
  const judged = judgedOf(one);
  const disputed = one.counts[DISAGREE] ? ` ≠${one.counts[DISAGREE]}` : "";
  if (!judged) return `–${disputed}`;
  const passed = one.counts[PASS];
  if (passed === judged) return `${passed}${disputed}`;
  return `${passed}/${judged}` + (one.counts[XFAIL] ? ` x${one.counts[XFAIL]}` : "") + disputed;
}

function tallyClass(one) {
  if (!one) return "none";
  if (!judgedOf(one)) return "unjudged";
  return brokenOf(one) ? "broken" : one.counts[XFAIL] ? "known" : "passed";
}

function tallyTitle(one) {
  if (!one) return "not run";
  return VERDICTS.map((name, verdict) => [one.counts[verdict], name]).filter(([count]) => count)
    .map(([count, name]) => `${count} ${name}`).join(", ");
}

function tallyCell(one, chosen, label) {
  const wanted = chosenVerdicts();
  const lit = !wanted.size || (one && one.counts.some((count, verdict) => count && wanted.has(verdict)));
  if (!one) return element("td", { class: "none" }, element("span", { "aria-label": `${label}: not run` }, "·"));
  const here = Object.keys(chosen).every((key) => state[key] === chosen[key]);
  return element("td", {}, button(tallyText(one), () => go({ ...NO_CELL, ...chosen }), {
    class: `tally ${tallyClass(one)}${lit ? "" : " unlit"}`, title: tallyTitle(one),
    "aria-label": `${label}: ${tallyText(one)}, ${tallyTitle(one)}`, "aria-pressed": here ? "true" : "false",
  }));
}

const NO_CELL = { area: null, row: null, impl: null, level: null, req: null, check: null, cause: null, case: null, on: null, by: null };

function matrixView() {
  const keysOf = (cell) => Object.entries(levelsOf(cell))
    .map(([level, verdict]) => [`${cell.area}|${cell.row}|${cell.impl}|${level}`, verdict]);
  const counts = tallyBy(filteredCells(), keysOf);
  const tables = data.areas.map((area, number) => areaTable(area, number, counts)).filter(Boolean);
  return tables.length ? [areaLinks(tables), tables, matrixLegend()] : [nothingHere()];
}

function matrixLegend() {
  return element("p", { class: "dim" }, "Cases passed, or passed/judged; x known failures; ≠ sources disagree; – nothing judged (unsupported, not comparable); · not run. Click a number for its cases.");
}

// A run over all areas is long: each area is one click away.
function areaLinks(sections) {
  if (sections.length < 2) return null;
  return element("nav", { class: "areas", "aria-label": "areas" }, sections.map((section) =>
    button(section.dataset.area, () => section.scrollIntoView(), { class: "quiet" })));
}

function nothingHere() {
  return element("p", { class: "note" }, "Nothing matches. ",
    button("clear the filter", () => go({ q: null, v: null }), { class: "quiet" }));
}

function areaTable(area, number, counts) {
  const impls = data.implementations.map((impl, index) => ({ ...impl, index }));
  const at = (row, impl, level) => counts.get(`${number}|${row}|${impl}|${level}`);
  const wanted = chosenVerdicts();
  const rows = data.rows.map((row, index) => ({ ...row, index })).filter((row) => {
    const here = impls.flatMap((impl) => area.levels.map((level) => at(row.index, impl.index, level))).filter(Boolean);
    return here.length && (!wanted.size || here.some((one) => one.counts.some((n, v) => n && wanted.has(v))));
  });
  if (!rows.length) return null;
  const answered = impls.filter((impl) => rows.some((row) => area.levels.some((level) => {
    const one = at(row.index, impl.index, level);
    return one && judgedOf(one);
  })));
  const shown = answered.length ? answered : impls;
  const absent = impls.filter((impl) => !shown.includes(impl)).map((impl) => impl.label);
  const order = ["", "real", "stand-in", "toy"];
  rows.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const several = area.levels.length > 1;
  const head = [element("tr", {}, element("th", { scope: "col", rowspan: several ? 2 : 1 }, "row"),
    shown.map((impl) => element("th", { scope: "colgroup", colspan: area.levels.length, class: "impl" }, impl.label)))];
  if (several) {
    head.push(element("tr", {}, shown.flatMap(() => area.levels.map((level, index) =>
      element("th", { scope: "col", class: index ? "level" : "level first" }, level)))));
  }
  let status = null;
  const body = rows.flatMap((row) => {
    const line = element("tr", {}, element("th", { scope: "row" }, rowName(row)),
      shown.flatMap((impl) => area.levels.map((level) => tallyCell(at(row.index, impl.index, level),
        { area: area.name, row: row.name, impl: impl.impl, level }, `${rowName(row)}, ${impl.label}, ${level}`))));
    if (row.status === status || !row.status) return [line];
    status = row.status;
    const wide = 1 + shown.length * area.levels.length;
    return [element("tr", { class: "section" }, element("td", { colspan: wide }, `${status} rows`)), line];
  });
  return element("section", { class: "area", "data-area": area.name }, element("h2", {}, area.title),
    element("div", { class: "scroll" }, element("table", { class: "matrix" },
      element("caption", { class: "offscreen" }, `${area.title}: passed of judged cases`),
      element("thead", {}, head), element("tbody", {}, body))),
    absent.length ? element("p", { class: "dim" }, `nothing judged here: ${absent.join(", ")}`) : null);
}

function rowName(row) {
  return row.name === "-" ? "(no model)" : row.name;
}

function requirementsView() {
  const keysOf = (cell) => requirementVerdicts(cell.pattern).map(([id, verdict]) => [`${id}|${cell.impl}`, verdict]);
  const counts = tallyBy(filteredCells(), keysOf);
  const wanted = chosenVerdicts();
  const sections = data.areas.map((area) => {
    const ids = Object.keys(data.requirements)
      .filter((id) => data.checks.some((check) => check.area === area.name && check.requires.includes(id)))
      .filter((id) => data.implementations.some((_, impl) => {
        const one = counts.get(`${id}|${impl}`);
        return state.q || wanted.size ? one && (!wanted.size || one.counts.some((n, v) => n && wanted.has(v))) : true;
      }));
    if (!ids.length) return null;
    const rows = ids.map((id) => element("tr", {},
      element("th", { scope: "row" }, requirementNote(id)),
      data.implementations.map((impl, index) => requirementCell(id, impl, counts.get(`${id}|${index}`), area))));
    return element("section", { class: "area", "data-area": area.name }, element("h2", {}, area.title),
      element("div", { class: "scroll" }, element("table", { class: "matrix requirements" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "requirement"),
          data.implementations.map((impl) => element("th", { scope: "col", class: "impl" }, impl.label)))),
        element("tbody", {}, rows))));
  }).filter(Boolean);
  return sections.length ? [areaLinks(sections), sections] : [nothingHere()];
}

function requirementCell(id, impl, one, area) {
  const exercised = one && judgedOf(one);
  if (!exercised && (data.missing[impl.impl] || []).includes(id)) {
    const why = one ? tallyTitle(one) : "no case";
    return element("td", {}, one
      ? button("not exercised", () => go({ ...NO_CELL, req: id, impl: impl.impl, area: area.name }), { class: "tally missing", title: why })
      : element("span", { class: "tally missing", title: why }, "not exercised"));
  }
  return tallyCell(one, { req: id, impl: impl.impl, area: area.name }, `${id}, ${impl.label}`);
}

// Per requirement the verdict that counts, once a pattern.
function requirementVerdicts(pattern) {
  if (!pattern.requirements) {
    const ids = new Set(pattern.findings.flatMap(([check]) => data.checks[check].requires));
    pattern.requirements = [...ids].map((id) => [id, verdictOf({ pattern }, { req: id })]);
  }
  return pattern.requirements;
}
