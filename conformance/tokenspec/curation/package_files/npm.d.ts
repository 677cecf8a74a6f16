export interface Case<Request, Expect> {
  area: string;
  row: string;
  case: string;
  operation: string;
  request: Request;
  outcome: "ok" | "raises";
  expect: Expect | null;
  error: string | null;
  flags: string[];
  requires: string[];
  why: string;
}

// The areas that are here.
export const areas: string[];

// The tokenizer folder of a toy row; other rows are named by their pins, and their files are their publishers'.
export function rowFolder(row: string): string;

// The cases of an area, of one row or of all.
