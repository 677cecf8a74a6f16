#!/usr/bin/env node
// A tokenspec adapter: one JSON line in, one JSON line out. No dependencies.
//
// Put your own implementation in place of what the operations below do: those of the object `operations` are what you
// claim, and what you throw Unsupported for is never counted.
// The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`.

/** An input this implementation does not claim to handle; the message is printed in the matrix. */
class Unsupported extends Error {}

/** An input that the specification wants refused: a short code, then what happened. */
class Rejected extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const rows = new Map();

// >>> segment
/** Cut after every blank line; white space alone joins what follows it. Offsets count characters, not UTF-16 units. */
function segment({ engines, trace, given, fusion, gold, parameters }) {
  const more = given.length || fusion || gold || Object.keys(parameters).length;
  if (engines.join() !== "new-line" || more) throw new Unsupported("only the engine new-line, alone");
  const length = (text) => [...text].length;
  const ends = [...trace.matchAll(/\n\n+/g)].map((found) => found.index + found[0].length);
  const offsets = [];
  let begin = 0;
  for (const end of [...ends, trace.length]) {
    if (trace.slice(begin, end).trim()) {
      offsets.push([begin, end]);
      begin = end;
    }
  }
  if (begin < trace.length) offsets.push([offsets.pop()?.[0] ?? 0, trace.length]);
  return { offsets: offsets.map((span) => span.map((place) => length(trace.slice(0, place)))) };
}

// <<<
// >>> render
/** The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you have them. */
function render({ model, messages, tools, derive, options }) {
  const { add_generation_prompt: prompt, ...others } = options;
  if (model !== "toy-bpe" || tools?.length || derive || Object.keys(others).length)
    throw new Unsupported("only plain conversations of toy-bpe");
  if (!messages.length || messages.some((message) => typeof message.content !== "string"))
    throw new Unsupported("only messages whose content is text");
  if (messages.some(({ role }) => role !== "system" && role !== "user"))
    throw new Unsupported("only system and user messages");
  const turn = ({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`;
  const head = { role: "system", content: "You are a careful toy assistant." };
  const turns = (messages[0].role === "system" ? messages : [head, ...messages]).map(turn);
  return { text: turns.join("") + (prompt ? "<|im_start|>assistant\n" : "") };
}

// <<<
// >>> bridge
/** Without a prompt there is nothing to append to: a bridge declines. */
function bridge({ prompt_ids }) {
  if (prompt_ids.length) throw new Unsupported("only bridges that decline");
  return { token_ids: null };
}

// <<<
// >>> *
/** Yours. The request and the result have the fields that `tokenspec adapter types` writes types of. */
function other_operation(request) {
  throw new Unsupported("other_operation is not written yet");
}

// <<<
const operations = {
  segment, // only segment
  render, // only render
  bridge, // only bridge
  other_operation, // only *
};

const answers = {
  // Say who answers. The protocol version is yours: do not echo the one you are asked for.
  start: () => ({
    protocol: 1,
    implementation: { name: "my-adapter", version: "0.1", language: "javascript" },
    capabilities: Object.fromEntries(Object.keys(operations).map((name) => [name, {}])),
  }),

  // A model row: assets has directory (tokenizer.json, tokenizer_config.json), chat_template, family, status, wire.
  load: ({ model, assets }) => {
    rows.set(model, assets);
    return { ok: true };
  },

  // One case. Every input is answered: what cannot be done is unsupported, rejected or an error.
  run: ({ seq, op, input }) => {
    try {
      if (!Object.hasOwn(operations, op)) throw new Unsupported(`no operation ${op}`);
      return { seq, result: operations[op](input) };
    } catch (error) {
      if (error instanceof Unsupported) return { seq, unsupported: { reason: error.message } };
      if (error instanceof Rejected) return { seq, rejected: { code: error.code, message: error.message } };
      return { seq, error: { message: String(error), traceback: error.stack ?? "" } };
    }
  },

  stop: () => process.exit(0),
};

// Answer until stop, or until the input ends. Only answers go to stdout; print to stderr with console.error.
// Lines end at "\n" and nowhere else: node's readline would also cut at U+2028, which JSON allows inside a string.
let pending = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  pending += chunk;
  if (!chunk.includes("\n")) return;
  const lines = pending.split("\n");
  pending = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(answers[message.cmd](message))}\n`);
  }
});
