"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
function make(name, properties, ...children) {
  const element = document.createElement(name);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}
function bars(counts, small) {
  const svg = document.createElementNS(SVG, "svg");
  const top = Math.max(1, ...counts);
  svg.setAttribute("viewBox", `0 0 ${counts.length} 100`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `counts: ${counts.join(", ")}`);
  if (small) svg.setAttribute("class", "small");
  counts.forEach((count, place) => {
    const height = count ? Math.max(2, 100 * count / top) : 0;
    const bar = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({x: place, y: 100 - height, width: 0.9, height})) bar.setAttribute(key, value);
    const title = document.createElementNS(SVG, "title");
    title.textContent = String(count);
    bar.append(title);
    svg.append(bar);
  });
  return svg;
}
const share = data.tokens ? 100 * data.trained / data.tokens : 0;
document.getElementById("counts").textContent =
  `${data.rows} rows, ${data.kept} with ids; ${data.tokens} tokens, ${share.toFixed(1)} % of them trained`;
for (const name of ["lengths", "shares"]) {
  const scale = name === "shares" ? "0 to 100 %" : `0 to ${data[name].top}`;
  document.getElementById(name).append(bars(data[name].counts), make("div", {className: "dim", textContent: scale}));
}
const table = make("table", {});
table.append(make("tr", {}, ...["finding", "rows", "where", "what it means, does, and how to mend it"].map((text) => make("th", {textContent: text}))));
for (const found of data.findings) {
  const button = make("button", {textContent: found.name, type: "button"});
  button.addEventListener("click", () => { pick(data.examples.findIndex((example) => example.code === found.name)); });
  table.append(make("tr", {},
    make("td", {}, button, make("div", {className: found.level, textContent: found.level}), make("div", {className: "dim", textContent: found.requirements.join(" ")})),
    make("td", {className: "number", textContent: `${found.rows} (${(100 * found.rows / data.rows).toFixed(2)} %)`}),
    make("td", {}, bars(found.over, true)),
    make("td", {}, make("div", {textContent: found.meaning}), make("div", {textContent: found.effect}), make("div", {className: "dim", textContent: found.cure}))));
}
document.getElementById("findings").append(data.findings.length ? table : make("p", {textContent: "Nothing was found."}));
const select = document.getElementById("pick");
data.examples.forEach((example, place) => {
  select.append(make("option", {value: String(place), textContent: `${example.code}: row ${example.row} (${example.place})`}));
});
function pick(place) {
  if (place < 0 || place >= data.examples.length) return;
  select.value = String(place);
  const example = data.examples[place];
  document.getElementById("detail").textContent = example.detail;
  const box = document.getElementById("tokens");
  box.replaceChildren();
  if (example.tokens === null) { box.textContent = "This row has no tokens."; return; }
  const {start, total, pieces, ids, labels} = example.tokens;
  if (start) box.append(`… ${start} tokens before\n`);
  let first = null;
  pieces.forEach((piece, k) => {
    const [kind, message] = labels[k];
    const at = start + k;
    const here = example.first_token !== null && at >= example.first_token && at < example.end_token && example.end_token - example.first_token < 40;
    const shown = piece.replace(/\n/g, "↵").replace(/[\u0000-\u001f\u007f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
    const span = make("span", {className: here ? `${kind} here` : kind, textContent: shown, title: `token ${at}, id ${ids[k]}, ${kind}${message === null ? "" : ` of message ${message}`}`});
    if (here && first === null) first = span;
    box.append(span);
    if (piece.endsWith("\n")) box.append("\n");
  });
  if (start + pieces.length < total) box.append(`\n… ${total - start - pieces.length} tokens behind`);
}
select.addEventListener("change", () => { pick(Number(select.value)); });
const legend = document.getElementById("legend");
for (const [kind, text] of [["scaffold", "template"], ["content", "content, not trained"], ["sampled", "trained"]]) legend.append(make("span", {className: kind, textContent: text}), " ");
pick(0);
