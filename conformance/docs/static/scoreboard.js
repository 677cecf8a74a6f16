// The scoreboard: a table of the JSON beside it, filtered by what the address says. Opens from disk, fetches nothing.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("scores").textContent);
  const root = document.getElementById("score-view");
  const keys = ["area", "level", "library", "model"];

  const make = (tag, text = "", attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    if (text !== "") node.textContent = text;
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...inside);
    return node;
  };
  const link = (text, page) => (page ? make("a", text, { href: page }) : document.createTextNode(text));
  const matches = (text, wanted) => wanted.toLowerCase().split(/[\s,]+/).filter(Boolean)
    .some((part, _, all) => text.toLowerCase().includes(part)) || !wanted.trim();

  const asked = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const state = Object.fromEntries(keys.map((key) => [key, given.get(key) ?? ""]));
    if (!(state.area in data.areas)) state.area = Object.keys(data.areas)[0];
    if (!data.areas[state.area].levels.includes(state.level)) state.level = data.areas[state.area].levels[0];
    return state;
  };
  const ask = (changed) => {
    const state = { ...asked(), ...changed };
    const kept = new URLSearchParams(keys.filter((key) => state[key]).map((key) => [key, state[key]]));
    history.replaceState(null, "", `#${kept}`);
    show();
  };

  const choice = (name, options) => {
    const select = make("select");
    for (const [value, text] of options) select.append(make("option", text, { value }));
    select.addEventListener("change", () => ask(name === "area" ? { area: select.value, level: "" } : { [name]: select.value }));
    return select;
  };
  const field = (name, hint) => {
    const input = make("input", "", { type: "search", placeholder: hint });
    input.addEventListener("input", () => ask({ [name]: input.value }));
    return input;
  };
  const area = choice("area", Object.entries(data.areas).map(([name, { title }]) => [name, title]));
  const controls = { area, level: choice("level", []), library: field("library", "all"), model: field("model", "all") };
  const bar = make("div", "", { class: "score-filters" });
  for (const key of keys) bar.append(make("label", "", {}, make("span", key), controls[key]));
  const views = make("div");
  root.append(bar, views);

  const share = ([passed, judged]) => (judged ? passed / judged : 0);
  const percent = (pair) => `${Math.floor(100 * share(pair))} %`;
  const figure = (pair, disputed = 0) => {
    if (!pair) return make("td", disputed ? `≠${disputed}` : "", { class: "score-none" });
    const grade = share(pair) === 1 ? "all" : share(pair) >= 0.9 ? "most" : share(pair) >= 0.5 ? "some" : "few";
    return make("td", `${pair[0]}/${pair[1]}${disputed ? ` ≠${disputed}` : ""}`, { class: `score-${grade}`, title: percent(pair) });
  };
  const wide = (head, rows) => {
    const body = make("tbody", "", {}, ...rows);
    const table = make("table", "", { class: "docutils score-table" }, make("thead", "", {}, make("tr", "", {}, ...head)), body);
    return make("div", "", { class: "score-wide", tabindex: "0", role: "region", "aria-label": "Scores" }, table);
  };

  const board = (state, names) => {
    const of = (name, model) => data.columns[name].passed[state.area]?.[model]?.[state.level];
    const disputed = (name, model) => data.columns[name].disputed[state.area]?.[model]?.[state.level];
    const models = data.models.filter((model) => matches(model === "-" ? "no model" : model, state.model) && names.some((name) => of(name, model)));
    if (!models.length) return make("p", "Nothing was judged here.");
    const head = [make("th", "model"), ...names.map((name) => make("th", "", {}, link(name, data.pages[name]), make("small", data.columns[name].version)))];
    const rows = models.map((model) => make("tr", "", {}, make("th", "", {}, link(model === "-" ? "no model" : model, data.rows[model])), ...names.map((name) => figure(of(name, model), disputed(name, model)))));
    return wide(head, rows);
  };
  const before = (state, names) => {
    const days = [...new Set(names.flatMap((name) => (data.history[name]?.[state.area]?.[state.level] ?? []).map(([day]) => day)))].sort();
    const head = [make("th", "library"), ...days.map((day) => make("th", day))];
    const rows = names.map((name) => {
      const runs = new Map((data.history[name]?.[state.area]?.[state.level] ?? []).map(([day, version, ...pair]) => [day, [version, pair]]));
      const cells = days.map((day) => {
        const [version, pair] = runs.get(day) ?? ["", null];
        const cell = figure(pair && pair[1] ? pair : null);
        if (version) cell.append(make("small", version));
        return cell;
      });
      return make("tr", "", {}, make("th", name), ...cells);
    });
    return wide(head, rows);
  };
  const causes = (state, names) => names.flatMap((name) => {
    const own = data.columns[name].causes.filter(([, , smallest]) => smallest.startsWith(`${state.area}/`));
    const lines = own.map(([said, cells, smallest, verdict]) => make("li", `${cells} × ${said}`, {}, ...(verdict ? [make("em", ` ${verdict}`)] : []), make("code", smallest)));
    const shown = (data.shown[name] ?? []).map(([title, page]) => make("li", "", {}, document.createTextNode("script: "), link(title, page)));
    if (!lines.length && !shown.length) return [];
    return [make("details", "", names.length === 1 ? { open: "" } : {}, make("summary", name), make("ul", "", {}, ...lines, ...shown))];
  });

  const show = () => {
    const state = asked();
    controls.level.replaceChildren(...data.areas[state.area].levels.map((level) => make("option", level, { value: level })));
    for (const key of keys) if (controls[key].value !== state[key]) controls[key].value = state[key];
    const names = Object.keys(data.columns).filter((name) => state.area in data.columns[name].passed && matches(name, state.library));
    const said = data.sample ? [make("p", `Asked was ${data.sample}.`)] : [];
    views.replaceChildren(...said, board(state, names), make("h3", "History"), before(state, names), make("h3", "Causes"), ...causes(state, names));
  };
  addEventListener("hashchange", show);
  show();
})();
