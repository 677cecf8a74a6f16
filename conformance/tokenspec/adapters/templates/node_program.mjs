#!/usr/bin/env node
// A tokenspec adapter: one JSON line in, one JSON line out. No dependencies.
//
// It claims one operation, `segment`, and knows one engine of it, `new-line`. Put your own implementation in its place:
// the operations of the object below are what you claim, and what you throw Unsupported for is never counted.
// The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`.

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

const operations = { segment };

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
