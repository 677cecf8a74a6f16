// Conversations that were rendered when the page was written (tokenspec try, tokenspec render --html). The page runs no
// template: what is pasted is read here, shown where it is one of these, and else made a command.

let chosen = 0;

function showConversations() {
  const paste = element("textarea", { id: "paste", spellcheck: "false", autocomplete: "off", "aria-label": "the conversation, as JSON" });
  const said = element("div", { id: "said", "aria-live": "polite" });
  const result = element("div", { id: "result" });
  const tabs = data.conversations.map((one, index) => button(one.title, () => choose(index), { class: "tab" }));
  const choose = (index) => {
    chosen = index;
    paste.value = data.conversations[index].input;
    read();
  };
  const read = () => {
    const { found, note } = understood(paste.value);
    fill(said, note);
    if (found !== null) chosen = found;
    result.hidden = found === null;
    tabs.forEach((tab, index) => tab.setAttribute("aria-current", index === found ? "page" : "false"));
    fill(result, answersShown(data.conversations[chosen]));
    scrollToDifference(result);
  };
  paste.addEventListener("input", read);
  document.querySelector("footer").hidden = true;
  fill(document.getElementById("main"),
    element("p", { class: "note" }, "Written when the page was made: all texts, tokens and masks. Live: what you paste is read, and compared with the conversations that are here; the page itself runs no template."),
    tabs.length > 1 ? element("nav", { class: "bar start", "aria-label": "conversations" }, tabs) : null,
    element("div", { class: "panes" },
      element("section", { class: "pane" }, element("h3", {}, "Conversation", element("span", { class: "dim" }, " paste another over it")), paste, said),
      element("section", { class: "pane" }, element("h3", {}, "Template"), element("pre", { class: "template", tabindex: "0" }, data.template))),
    result);
  choose(0);
}

// A list of messages, or an object with messages and tools: the number of it here, or null with what there is to say.
function understood(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return { found: null, note: element("p", { class: "note warn" }, `No JSON: ${error.message}`) };
  }
  const shaped = Array.isArray(given) ? { messages: given } : given;
  const wrong = complaint(shaped);
  if (wrong) return { found: null, note: element("p", { class: "note warn" }, wrong) };
  const found = data.conversations.findIndex((one) => JSON.stringify(JSON.parse(one.input)) === JSON.stringify(shaped) && numerals(one.input) === numerals(text));
  if (found >= 0) return { found, note: codeLine(data.again) };
  return { found: null, note: [element("p", { class: "note" }, "This conversation is not in the page. The command writes a page with it:"), codeLine(commandOf(text))] };
}

function complaint(given) {
  if (given === null || typeof given !== "object" || !Array.isArray(given.messages)) return 'Give a list of messages, or {"messages": [...], "tools": [...]}.';
  const index = given.messages.findIndex((message) => message === null || typeof message !== "object" || typeof message.role !== "string");
  if (index >= 0) return `messages[${index}] has no role: give an object like {"role": "user", "content": "..."}.`;
  const unknown = Object.keys(given).find((key) => key !== "messages" && key !== "tools");
  return unknown ? `Unknown field ${unknown}: a conversation has messages and tools.` : null;
}

// Reading takes 1.0 for 1, and templates do not.
function numerals(text) {
  return (text.match(/-?\d[\d.eE+-]*/g) || []).join(" ");
}

// As it was pasted: no line of JSON can be END.
function commandOf(text) {
  return `${data.with} - <<'END'\n${text.trim()}\nEND`;
}

function answersShown(one) {
  const given = one.sides.map((side) => side.tokens);
  const two = one.sides.length === 2;
  return [
    two ? difference(one) : null,
    legend(given),
    element("div", { class: two ? "panes" : "panes single" }, one.sides.map((side, index) => answerShown(side, index, one.runs))),
    one.runs ? element("details", {}, element("summary", {}, "Every token"), tokenTable(given[0], given[1], one.runs, data.implementations.map((impl) => impl.label))) : null,
  ];
}

function difference(one) {
  if (!one.runs) return element("p", { class: "note warn" }, "Nothing to compare: one of the two gives no tokens.");
  const differing = one.runs.filter(([mark]) => mark !== "=");
  if (!differing.length) return element("p", { class: "note good" }, "Both give the same tokens, and nothing they say of owners differs.");
  const owners = differing.every(([mark]) => mark === "o");
  return element("p", { class: "note warn" }, `${counted(differing.length, "difference")}, ${owners ? "of owners only: the tokens are the same" : "the first is marked"}.`);
}

function answerShown(side, index, runs) {
  const { label } = data.implementations[index];
  if (!side.tokens) return element("section", { class: "pane" }, element("h3", {}, label), element("p", { class: "note warn" }, side.said));
  const head = ["message", "role", "tokens", "content", "sampled"].map((name, at) => element("th", { scope: "col", class: at > 1 ? "id" : null }, name));
  const rows = side.messages.map((message) => element("tr", {}, element("th", { scope: "row" }, message.message), element("td", {}, message.role),
    [message.tokens, message.content, message.sampled].map((count) => element("td", { class: "id" }, String(count ?? "–")))));
  const shown = pane(label, side.tokens, runs, index === 1);
  shown.append(
    !rows.length ? element("p", { class: "dim" }, "It does not say whose each token is.") : element("div", { class: "scroll" }, element("table", { class: "shares" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows))),
    element("h3", {}, "Vanished"),
    side.vanished.length ? element("ul", { class: "complaints" }, side.vanished.map((what) => element("li", {}, what)))
      : element("p", { class: "dim" }, "Everything that was given stands in the text."));
  return shown;
}
