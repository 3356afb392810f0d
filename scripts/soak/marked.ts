/** Contents in which every edit can be recognized anywhere. */

const PARAGRAPHS = 9;

/** Returns new content; its first line names the document. */
export function newText(name: string): string {
  const body = Array.from({ length: PARAGRAPHS }, (_, n) => `Paragraph ${n} of ${name}, as it was at first.\n`);
  return `# ${name}\n\n${body.join("\n")}`;
}

/** Replaces paragraph `n`. Two such edits of one paragraph are a conflict. */
export function edited(text: string, n: number, mark: string): string {
  const paragraph = `Paragraph ${n % PARAGRAPHS} `;
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(paragraph));
  lines[at === -1 ? lines.length - 1 : at] = `${paragraph}was edited: ${mark}.`;
  return lines.join("\n");
}

/** Adds a line at the end of paragraph `n`, which removes no earlier mark. */
export function withLine(text: string, n: number, mark: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`Paragraph ${n} `));
  lines.splice(at === -1 ? lines.length - 1 : at + 1, 0, `A line for ${mark}.`);
  return lines.join("\n");
}
