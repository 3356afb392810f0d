/**
 * Parts of Markdown files that a script writes: what stands between `<!-- NAME -->` and the next
 * `<!-- end -->`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @returns the text with the block's lines replaced
 * @throws when the text has no such block
 */
export function replaceBlock(text: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name} -->\n`;
  const from = text.indexOf(begin);
  const to = text.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`there is no block ${name}`);
  return `${text.slice(0, from + begin.length)}${lines.map((line) => `${line}\n`).join("")}${text.slice(to)}`;
}

/**
 * Brings a block of a file up to date, or looks whether it is.
 * @param file below the checkout
 * @returns whether the file has, or now has, these lines
 */
export function keepBlock(file: string, name: string, lines: readonly string[], write: boolean): boolean {
  const text = readFileSync(root + file, "utf8");
  const wanted = replaceBlock(text, name, lines);
  if (wanted === text) return true;
  if (write) writeFileSync(root + file, wanted);
  return write;
}

/** A Markdown table. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)];
}
