// Every golden beside the request it answers; index.d.ts has the types.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const place = (name) => fileURLToPath(new URL(name, import.meta.url));

export const areas = readdirSync(place("data")).map((name) => name.replace(/\.jsonl$/, ""));

export const rowFolder = (row) => place(`rows/${row}`);

export function* cases(area, row) {
  for (const line of readFileSync(place(`data/${area}.jsonl`), "utf8").split("\n")) {
    const found = line && JSON.parse(line);
    if (found && (row === undefined || found.row === row)) yield found;
  }
}
