/**
 * `node scripts/messages.ts [WORD…]`: lists each sentence that mdmirror can show, as `file:line
 * code: sentence`. The code is the name in the source; `…` stands for a value. With words, lists
 * only lines that contain all of them.
 *
 * There is no table of messages by code. Each message stays in the code that knows what happened,
 * and this list is made from the sources, so it is complete.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asksForHelp, printUsage } from "./usage.ts";

export type Message = { readonly file: string; readonly line: number; readonly code: string; readonly text: string };

const root = fileURLToPath(new URL("..", import.meta.url));
/** Modules without sentences for users: SQL, arithmetic, shell scripts, and generated data. */
const SILENT = [
  "src/mirror/state/**",
  "src/markdown/merge/**",
  "src/markdown/outline/**",
  "src/service/store/**",
  "src/page/islands/**",
  "src/cli/commands/completion.ts",
];
/** Matches comments, literals, and what may come before a regular expression. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|(?<=(?:[(,=:!&|?[;\n]|\breturn)\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|`|[{}]/gy;
const SENTENCE = /\p{L}{2,}[,:;]? \p{L}/u;
/** Matches code before a literal that no user sees. */
const INTERNAL = /(?:new (?:Type)?Error|from|import|RegExp|matches|startsWith|includes|querySelector)\($|\bfrom $/;

/** Returns the sentences of all modules, in the order of the files. */
export function allMessages(): Message[] {
  const files = globSync("src/**/*.ts", { cwd: root, exclude: SILENT }).toSorted();
  return files.flatMap((file) => messagesOf(file, readFileSync(root + file, "utf8")));
}

/** Returns the string and template literals of a TypeScript source that look like a sentence. */
export function messagesOf(file: string, source: string): Message[] {
  return literalsOf(source).flatMap(({ at, raw }) => {
    const text = plain(raw);
    const before = source.slice(Math.max(0, at - 60), at);
    if (!SENTENCE.test(text) || INTERNAL.test(before) || /\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE) /.test(text))
      return [];
    const code = /["'`]?([\w.-]+)["'`]?\s*:\s*$/.exec(before)?.[1] ?? "";
    return [{ file, line: source.slice(0, at).split("\n").length, code, text }];
  });
}

/** Returns the literals, also those inside of templates. A value in a template becomes `…`. */
function literalsOf(source: string): { readonly at: number; readonly raw: string }[] {
  const found: { at: number; raw: string }[] = [];
  /**
   * @returns index where the code ends: at the end of the source, or after the brace that closes a
   * value
   */
  const readCode = (from: number): number => {
    let depth = 0;
    for (let at = from; at < source.length; ) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(source)?.[0];
      if (token === "`") at = readTemplate(at);
      else if (token === "}" && depth-- === 0) return at + 1;
      else {
        if (token === "{") depth += 1;
        if (token?.startsWith('"')) found.push({ at, raw: token.slice(1, -1).replaceAll(/\\(.)/g, "$1") });
        at += token?.length ?? 1;
      }
    }
    return source.length;
  };
  const readTemplate = (start: number): number => {
    let raw = "";
    let at = start + 1;
    while (source[at] !== "`") {
      if (source.startsWith("${", at)) {
        at = readCode(at + 2);
        raw += "…";
      } else {
        if (source[at] === "\\") at += 1;
        raw += source[at++];
      }
    }
    found.push({ at: start, raw });
    return at + 1;
  };
  readCode(0);
  return found.toSorted((a, b) => a.at - b.at);
}

/** Joins the lines of a literal, and replaces HTML tags by ` · `. */
function plain(raw: string): string {
  const parts = raw.replaceAll(/\s+/g, " ").split(/<[^>]*>/);
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "…")
    .join(" · ");
}

if (import.meta.main) {
  if (asksForHelp()) printUsage(import.meta.url);
  else {
    const words = process.argv.slice(2);
    const lines = allMessages().map(({ file, line, code, text }) => `${file}:${line} ${code}: ${text}`);
    for (const line of lines) if (words.every((word) => line.includes(word))) console.log(line);
  }
}
