// Tokens: as coloured text and as a table, expected beside got, the first difference marked.

const OWNERS = {
  scaffold: "written by the template", content: "body of a message", sampled: "the model would emit it",
  prompt: "generation prompt", prior: "handed over to the bridge", unattributed: "nobody said",
};

function legend(sides) {
  const kinds = new Set(sides.filter(Boolean).flatMap((side) => side.owners.map(([kind]) => kind)));
  return element("p", { class: "legend" }, Object.entries(OWNERS).filter(([kind]) => kinds.has(kind))
    .map(([kind, what]) => [element("span", { class: `token k-${kind}` }, kind), ` ${what}  `]),
    sides.filter(Boolean).length > 1 ? [element("span", { class: "token k-scaffold first" }, "here"), " first difference"] : null);
}

function labelsOf(side) {
  return side.owners.flatMap(([kind, message, count]) => new Array(count).fill([kind, message]));
}

// White space and control characters can be seen; a line end still breaks the line.
function visible(piece) {
  return piece.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => c === "\u007f" ? "␡" : String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll("\t", "→\t").replaceAll("\n", "↵\n").replaceAll("\u2028", "[U+2028]").replaceAll("\u2029", "[U+2029]");
}

// Per token of one side the mark of the alignment: "=" or how it differs.
function marksOf(side, runs, right) {
  if (!runs) return new Array(side.ids.length).fill("=");
  return runs.flatMap(([mark, left, other]) => new Array(right ? other : left).fill(mark));
}

function pane(title, side, runs, right) {
  const marks = marksOf(side, runs, right);
  const labels = labelsOf(side);
  const text = element("div", { class: "text", tabindex: "0", role: "group", "aria-label": `${title}, ${counted(side.total, "token")}` });
  let message = null;
  let first = null;
  if (side.start) text.append(element("span", { class: "dim" }, `… ${counted(side.start, "token")} before … `));
  side.ids.forEach((id, index) => {
    const [kind, owner] = labels[index];
    if (owner !== null && owner !== message) text.append(element("span", { class: "message", title: `message ${owner}` }, String(owner)));
    message = owner;
    const differs = marks[index] !== "=";
    const token = element("span", {
      class: `token k-${kind}${differs ? " differs" : ""}${differs && !first ? " first" : ""}`,
      title: `token ${side.start + index}: id ${id}, ${kind}${owner === null ? "" : `, message ${owner}`}`,
    }, visible(data.pieces[side.pieces[index]]));
    if (differs && !first) first = token;
    text.append(token);
  });
  const after = side.total - side.start - side.ids.length;
  if (after > 0) text.append(element("span", { class: "dim" }, ` … ${counted(after, "token")} after`));
  if (runs && !first && runs.some(([mark]) => mark !== "=")) {
    first = element("span", { class: "token first differs absent", title: "here the other side goes on" }, "∅");
    insertAtGap(text, first, runs, right);
  }
  return element("section", { class: "pane" }, element("h3", {}, title, element("span", { class: "dim" }, ` ${counted(side.total, "token")}`)), text);
}

// A side that only lacks tokens has nothing to mark: the gap itself is marked.
function insertAtGap(text, mark, runs, right) {
  let before = 0;
  for (const [kind, left, other] of runs) {
    if (kind !== "=") break;
    before += right ? other : left;
  }
  const all = text.querySelectorAll(".token");
  if (all[before]) all[before].before(mark);
  else text.append(mark);
}

function tokenTable(expected, got, runs, names = ["expected", "got"]) {
  const sides = [labelsOf(expected), labelsOf(got)];
  let [i, j, first] = [0, 0, true];
  const rows = [];
  const cellsOf = (side, index, labels) => index === null ? [element("td"), element("td"), element("td")] : [
    element("td", { class: "id" }, String(side.ids[index])),
    element("td", {}, element("span", { class: `token k-${labels[index][0]}` }, visible(data.pieces[side.pieces[index]]).replaceAll("\n", ""))),
    element("td", { class: "dim" }, labels[index][0] + (labels[index][1] === null ? "" : ` ${labels[index][1]}`)),
  ];
  for (const [mark, left, right] of runs) {
    for (let step = 0; step < Math.max(left, right); step += 1) {
      const a = step < left ? i + step : null;
      const b = step < right ? j + step : null;
      const differs = mark !== "=";
      rows.push(element("tr", { class: differs ? (first ? "differs first" : "differs") : null },
        element("td", { class: "id" }, a === null ? "" : String(expected.start + a)), element("td", {}, differs ? (mark === "o" ? "owner" : "≠") : ""),
        cellsOf(expected, a, sides[0]), cellsOf(got, b, sides[1])));
      if (differs) first = false;
    }
    [i, j] = [i + left, j + right];
  }
  const head = ["token", "", names[0], "", "owner", names[1], "", "owner"].map((name) => element("th", { scope: "col" }, name));
  return element("div", { class: "scroll tall" }, element("table", { class: "tokens" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}

function tokensShown(exhibit) {
  const { expected, got, runs } = exhibit;
  const switcher = got ? element("div", { class: "switch", role: "group", "aria-label": "how tokens are shown" },
    ["text", "table"].map((mode) => button(mode, () => go({ mode: mode === "text" ? null : mode }, { step: false }),
      { class: "quiet", "aria-pressed": (state.mode || "text") === mode ? "true" : "false" }))) : null;
  const body = got && state.mode === "table" ? tokenTable(expected, got, runs)
    : element("div", { class: "panes" }, pane("expected", expected, runs, false), got ? pane("got", got, runs, true)
      : element("section", { class: "pane" }, element("h3", {}, "got"), element("p", { class: "dim" }, "no tokens")));
  return [element("div", { class: "bar" }, element("h3", {}, "Tokens"), switcher), legend([expected, got]), body];
}

function linesShown({ expected, got, runs }) {
  let [i, j, first] = [0, 0, true];
  const rows = [];
  for (const [mark, left, right] of runs) {
    for (let step = 0; step < Math.max(left, right); step += 1) {
      const differs = mark !== "=";
      rows.push(element("tr", { class: differs ? (first ? "differs first" : "differs") : null },
        element("td", {}, step < left ? expected[i + step] : ""), element("td", {}, step < right ? got[j + step] : "")));
      if (differs) first = false;
    }
    [i, j] = [i + left, j + right];
  }
  const head = element("tr", {}, element("th", { scope: "col" }, "expected"), element("th", { scope: "col" }, "got"));
  return [element("h3", {}, "Fields"), element("div", { class: "scroll tall" },
    element("table", { class: "lines" }, element("thead", {}, head), element("tbody", {}, rows)))];
}

// Bring the first difference of every pane into its middle, without moving the page.
function scrollToDifference(root) {
  for (const mark of root.querySelectorAll(".first")) {
    const box = mark.closest(".text, .tall");
    if (box) box.scrollTop = mark.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop - box.clientHeight / 3;
  }
}
