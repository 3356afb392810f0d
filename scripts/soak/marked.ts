/** Texts whose edits can be told from each other, wherever they go. */

const PARAGRAPHS = 9;

/** Its first line names the document wherever it goes. */
export function newText(name: string): string {
  const body = Array.from({ length: PARAGRAPHS }, (_, n) => `Paragraph ${n} of ${name}, as it was at first.\n`);
  return `# ${name}\n\n${body.join("\n")}`;
}

/** Another paragraph `n`; one that is edited on both sides is a conflict. */
export function edited(text: string, n: number, mark: string): string {
  const paragraph = `Paragraph ${n % PARAGRAPHS} `;
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(paragraph));
  lines[at === -1 ? lines.length - 1 : at] = `${paragraph}was edited: ${mark}.`;
  return lines.join("\n");
}

/** One line more at the end of paragraph `n`: it takes no earlier mark away. */
export function withLine(text: string, n: number, mark: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`Paragraph ${n} `));
  lines.splice(at === -1 ? lines.length - 1 : at + 1, 0, `A line for ${mark}.`);
  return lines.join("\n");
}
