// Elements are built from text only: nothing that comes from a case or an implementation is ever parsed as HTML.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "onclick") made.addEventListener("click", value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...shownOf(children));
  return made;
}

// Children may be nested lists and nothing at all.
function shownOf(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

function fill(box, ...children) {
  box.replaceChildren(...shownOf(children));
}

function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, text);
}

// The class that colours a verdict: "v-not-comparable".
function toneOf(name) {
  return "v-" + name.replaceAll(" ", "-");
}

function badge(verdict) {
  const name = VERDICTS[verdict] ?? "not run";
  return element("span", { class: `badge ${toneOf(name)}` }, name);
}

function firstLine(text) {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function copyButton(text) {
  const made = button("copy", async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      done = copyByHand(text);
    }
    made.textContent = done ? "copied" : "press Ctrl+C";
    setTimeout(() => { made.textContent = "copy"; }, 1500);
  }, { class: "quiet copy", "aria-label": `copy: ${text}` });
  return made;
}

// The clipboard interface is refused to some pages opened from disk.
function copyByHand(text) {
  const area = element("textarea", { class: "offscreen", readonly: true });
  area.value = text;
  (document.querySelector("dialog[open]") || document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function codeLine(text) {
  return element("div", { class: "again" }, element("code", {}, text), copyButton(text));
}

function requirementNote(id) {
  const known = data.requirements[id];
  if (!known) return element("p", { class: "requirement" }, element("b", {}, id));
  return element("details", { class: "requirement" },
    element("summary", {}, element("b", {}, id), ` ${known.level}: ${known.title}`),
    element("p", { class: "norm" }, known.text),
    element("p", { class: "dim" }, `spec/${known.link}`));
}
