// The frame: header, tools, views, theme, keys.

const VIEWS = [["matrix", "Rows", matrixView], ["requirements", "Requirements", requirementsView],
  ["failures", "Failures", failuresView], ["known", "Known failures", knownView]];

function showHeader() {
  document.getElementById("subtitle").textContent = data.kind === "run" ? [counted(cells.length, "cell"), data.sample].filter(Boolean).join("; ") : data.subtitle;
  fill(document.getElementById("implementations"), data.implementations.map((impl) => element("div", { class: `card code-${impl.code ?? "none"}` },
    element("b", {}, impl.label), ` ${impl.info.version || ""} `, element("span", { class: "said" }, impl.said || ""),
    element("span", { class: "dim" }, [impl.info.language, impl.cells ? counted(impl.cells, "cell") : null].filter(Boolean).join(", ")))));
}

function showTools() {
  const box = element("input", { type: "search", id: "filter", placeholder: "filter: tool row:qwen impl:mine req:RND-022 -toy", "aria-label": "filter", value: state.q || "", spellcheck: "false", autocomplete: "off" });
  let typing;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go({ q: box.value.trim() }, { step: false }), 120);
  });
  const counts = new Array(VERDICTS.length).fill(0);
  for (const cell of cells) {
    for (const verdict of Object.values(levelsOf(cell))) counts[verdict] += 1;
    if (warns(cell)) counts[WARNING] += 1;
  }
  const chips = VERDICTS.map((name, verdict) => counts[verdict] ? button([name, element("span", { class: "count" }, counts[verdict].toLocaleString("en"))],
    () => toggle(name), { class: `chip ${toneOf(name)}`, "data-verdict": name, "aria-pressed": "false" }) : null);
  const tabs = VIEWS.map(([name, title]) => button(title, () => go({ ...NO_CELL, view: name === "matrix" ? null : name }), { "data-view": name, class: "tab" }));
  fill(document.getElementById("tools"),
    element("nav", { "aria-label": "views" }, tabs),
    element("div", { class: "filters" }, box, element("div", { class: "chips", role: "group", "aria-label": "verdicts" }, chips)));
}

function toggle(name) {
  const chosen = new Set((state.v || "").split(",").filter(Boolean));
  if (!chosen.delete(name)) chosen.add(name);
  go({ v: [...chosen].join(",") }, { step: false });
}

function showView() {
  const chosen = chosenVerdicts();
  for (const chip of document.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", chosen.has(VERDICTS.indexOf(chip.dataset.verdict)) ? "true" : "false");
  const [name, , view] = VIEWS.find(([known]) => known === state.view) || VIEWS[0];
  for (const tab of document.querySelectorAll(".tab")) tab.setAttribute("aria-current", tab.dataset.view === name ? "page" : "false");
  const box = document.getElementById("filter");
  if (document.activeElement !== box) box.value = state.q || "";
  fill(document.getElementById("main"),
    element("div", { class: hasChoice() ? "split" : "" }, element("div", { class: "view" }, missingNote(name), view()), hasChoice() ? casesPanel() : null));
}

// Requirements nothing was said on, so that a green run without coverage cannot look good.
function missingNote(view) {
  if (view !== "matrix" && view !== "requirements") return null;
  const lines = Object.entries(data.missing).filter(([, ids]) => ids.length)
    .map(([impl, ids]) => element("li", {}, element("b", {}, labelOf(impl)), `: ${ids.join(", ")}`));
  if (!lines.length) return null;
  const total = Object.values(data.missing).reduce((sum, ids) => sum + ids.length, 0);
  return element("details", { class: "note warn", id: "missing" }, element("summary", {}, `Not exercised: ${counted(total, "requirement")} in ${counted(lines.length, "column")}`),
    element("ul", {}, lines));
}

// What is on the screen: the address, and the part of it that the view behind the open case depends on.
let painted = { hash: null, view: null };

function show() {
  if (location.hash === painted.hash) return;
  state = readState();
  const view = JSON.stringify({ ...state, case: null, on: null, by: null, mode: null });
  const [first, same, focused] = [painted.hash === null, view === painted.view, focusKey()];
  painted = { hash: location.hash, view };
  if (!same) showView();
  showCase();
  if (same || dialog.open) return;
  refocus(focused);
  if (hasChoice() && !first && innerWidth < 1000) document.querySelector("#cases h2").focus();
}

// Views are made anew, so the button that was used is found again by its name.
function focusKey() {
  const active = document.activeElement;
  return active && active.closest("#main") ? active.getAttribute("aria-label") : null;
}

function refocus(label) {
  if (!label) return;
  const found = [...document.querySelectorAll("#main [aria-label]")].find((one) => one.getAttribute("aria-label") === label);
  if (found) found.focus({ preventScroll: true });
}

function themeButton() {
  const made = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => document.documentElement.dataset.theme || (system.matches ? "dark" : "light");
  const paint = () => { made.textContent = current() === "dark" ? "light theme" : "dark theme"; };
  made.addEventListener("click", () => {
    document.documentElement.dataset.theme = current() === "dark" ? "light" : "dark";
    paint();
  });
  system.addEventListener("change", paint);
  paint();
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && document.getElementById("filter") && !dialog.open) {
    event.preventDefault();
    document.getElementById("filter").focus();
  }
  if (event.key === "Escape" && !dialog.open && hasChoice()) go(NO_CELL);
  const step = { j: "next", k: "previous" }[event.key];
  if (step && dialog.open) document.getElementById(step)?.click();
});

themeButton();
showHeader();
if (data.kind === "run") {
  showTools();
  addEventListener("hashchange", show);
  show();
} else {
  showConversations();
}
document.documentElement.dataset.interactive = String(Math.round(performance.now()));  // milliseconds, for tokenspec bench
