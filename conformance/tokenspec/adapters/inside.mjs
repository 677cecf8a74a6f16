// Run by node for a column: `node inside.mjs FOLDER NAME PACKAGE` serves the adapter.mjs in FOLDER, a module whose default
// export is given `tools` and returns `load(message)` and `operations` by name; both may be asynchronous.
//
// The packages are found in the folder that NODE_PATH names, or beside the adapter. spec/90-adapter-protocol.md is the contract.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, name, judged] = process.argv.slice(2);
const file = resolve(folder, "adapter.mjs");
const require = createRequire(file);

class Unsupported extends Error {}
class Rejected extends Error {}

/** A package that is not installed makes a row unusable with a reason; it is no crash. */
function installed(needed) {
  try {
    return require(needed);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new Unsupported(`${needed} is not installed; tokenspec columns make ${name}`);
  }
}

/** Work at the time of a request: what asks for the time meanwhile gets that one. */
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

/** The version of a package; not every package exports its package.json, so that it is read from where it lies. */
function versionOf(needed) {
  const places = [join(folder, "node_modules"), ...(process.env.NODE_PATH ?? "").split(":")];
  const found = places.map((place) => join(place, needed, "package.json")).find(existsSync);
  return found ? JSON.parse(readFileSync(found, "utf8")).version : "not installed";
}

const adapter = (await import(pathToFileURL(file))).default({ installed, atTime, Unsupported, Rejected });
const operations = adapter.operations; // they are the capabilities; what is not here is printed as unsupported

async function run({ seq, op, input }) {
  if (!(op in operations)) return { seq, unsupported: { reason: `no operation ${op}` } };
  try {
    return { seq, result: await operations[op](input) };
  } catch (error) {
    if (error instanceof Unsupported) return { seq, unsupported: { reason: error.message } };
    if (error instanceof Rejected) return { seq, rejected: { code: error.cause, message: error.message } };
    return { seq, error: { message: String(error), traceback: error.stack ?? "" } };
  }
}

const commands = {
  start: () => ({
    protocol: 1,
    implementation: { name, version: versionOf(judged), language: "javascript" },
    capabilities: Object.fromEntries(Object.keys(operations).map((operation) => [operation, {}])),
  }),
  load: async (message) => {
    try {
      await adapter.load(message);
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
for await (const chunk of process.stdin) {
  pending += chunk;
  if (!chunk.includes("\n")) continue;
  const lines = pending.split("\n");
  pending = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(await commands[message.cmd](message))}\n`);
  }
}
