// A tokenspec adapter on node: the chat template through @huggingface/jinja, the ids through @huggingface/tokenizers.
//
//   tokenspec columns make huggingface-jinja
//   tokenspec smoke --impl huggingface-jinja
//
// The packages are found in the folder that NODE_PATH names, or beside this file. spec/90-adapter-protocol.md is the contract.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** A package that is not installed makes a row unusable with a reason; it is no crash. */
function installed(name) {
  try {
    return require(name);
  } catch {
    throw new Unsupported(`${name} is not installed; tokenspec columns make huggingface-jinja`);
  }
}

class Unsupported extends Error {}
class Rejected extends Error {}

const rows = new Map();

/** Everything slow happens here: a run has ten seconds, a load sixty. */
function load({ model, assets }) {
  const { Template } = installed("@huggingface/jinja");
  const { Tokenizer } = installed("@huggingface/tokenizers");
  const read = (name) => JSON.parse(readFileSync(join(assets.directory, name), "utf8"));
  const config = read("tokenizer_config.json");
  const special = {};
  for (const [key, value] of Object.entries(config)) {
    if (key.endsWith("_token") && value) special[key] = value.content ?? value;
  }
  let template, broken;
  try {
    template = new Template(assets.chat_template);
  } catch (error) {
    broken = error.message; // other operations of the row need no template
  }
  rows.set(model, { template, broken, special, tokenizer: new Tokenizer(read("tokenizer.json"), config) });
}

/** The engine's own strftime_now asks for the time; it gets the one of the request. */
function atTime(now, work) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length ? given : [now]));
    }
  };
  try {
    return work();
  } finally {
    globalThis.Date = RealDate;
  }
}

function render({ model, messages, tools, options, now }) {
  const { template, broken, special, tokenizer } = rows.get(model);
  if (broken) throw new Unsupported(`the template does not parse: ${broken}`);
  if (options.continue_final_message) throw new Unsupported("no continue_final_message");
  let text;
  try {
    text = atTime(now, () => template.render({ messages, tools, ...special, ...options }));
  } catch (error) {
    throw new Rejected(error.message, { cause: "template-raises" });
  }
  return { text, token_ids: tokenizer.encode(text, { add_special_tokens: false }).ids };
}

const compiled = new Map();

/** The engine alone: its clock is the request's, its variables are final, a parse error is a refusal like any other. */
function render_template({ template, inputs, now, limits }) {
  if (limits) throw new Unsupported("takes no bounds");
  const { Template } = installed("@huggingface/jinja");
  let code = "invalid-template";
  try {
    if (!compiled.has(template)) compiled.set(template, new Template(template));
    code = "value";
    // A slice may cut a character in two; half a character is no JSON for others, so it is shown as U+FFFD.
    return { text: atTime(now, () => compiled.get(template).render(inputs)).toWellFormed() };
  } catch (error) {
    throw new Rejected(error.message, { cause: code });
  }
}

// The operations are the capabilities; what is not here is printed as unsupported.
const operations = { render, render_template };

function run({ seq, op, input }) {
  if (!(op in operations)) return { seq, unsupported: { reason: `no operation ${op}` } };
  try {
    return { seq, result: operations[op](input) };
  } catch (error) {
    if (error instanceof Unsupported) return { seq, unsupported: { reason: error.message } };
    if (error instanceof Rejected) return { seq, rejected: { code: error.cause, message: error.message } };
    return { seq, error: { message: String(error), traceback: error.stack ?? "" } };
  }
}

/** The version of the engine; its package does not export its package.json, so that it is read from where it lies. */
function versionOf(name) {
  const places = [new URL("./node_modules/", import.meta.url).pathname, ...(process.env.NODE_PATH ?? "").split(":")];
  const file = places.map((place) => join(place, name, "package.json")).find(existsSync);
  return file ? JSON.parse(readFileSync(file, "utf8")).version : "not installed";
}

const version = versionOf("@huggingface/jinja");
const commands = {
  start: () => ({
    protocol: 1,
    implementation: { name: "huggingface-jinja", version, language: "javascript" },
    capabilities: Object.fromEntries(Object.keys(operations).map((name) => [name, {}])),
  }),
  load: (message) => {
    try {
      load(message);
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: error.message };
    }
  },
  run,
  stop: () => process.exit(0),
};

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
    process.stdout.write(`${JSON.stringify(commands[message.cmd](message))}\n`);
  }
});
