import { readFileSync, statSync } from "node:fs";
import { MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";
import type { Refusal } from "./walk.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/**
 * A code point takes at most four bytes, so a longer file is too long in any case, and is not read.
 */
const MAX_BYTES = 4 * MAX_CONTENT_CHARACTERS;

/** @returns why it cannot be imported, where it is no text */
export function readText(file: string): string | Refusal {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) return { reason: "content-too-large", detail: `it has ${size} bytes` };
    const bytes = readFileSync(file);
    if (bytes.includes(0)) return { reason: "contains-nul", detail: "it contains a NUL byte" };
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { reason: "not-utf8", detail: "it is not UTF-8" };
    return { reason: "unreadable", detail: (error as Error).message };
  }
}
