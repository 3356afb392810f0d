/**
 * Parts of Markdown files that a script writes: the lines between `<!-- NAME -->` and the next
 * `<!-- end -->`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Returns the text with the block's lines replaced.
 * @throws if the text has no such block
 */
export function replaceBlock(text: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name} -->\n`;
  const from = text.indexOf(begin);
  const to = text.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`there is no block ${name}`);
  return `${text.slice(0, from + begin.length)}${lines.map((line) => `${line}\n`).join("")}${text.slice(to)}`;
}

/**
 * Updates a block of a file, or checks whether it is up to date.
 * @param file path in the checkout
 * @returns true if the file had, or now has, these lines
 */
export function keepBlock(file: string, name: string, lines: readonly string[], write: boolean): boolean {
  const text = readFileSync(root + file, "utf8");
  const wanted = replaceBlock(text, name, lines);
  if (wanted === text) return true;
  if (write) writeFileSync(root + file, wanted);
  return write;
}

/** Returns the lines of a Markdown table. */
export function tableLines(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)];
}
