/**
 * The documents for the benchmark of the service: 100 in a folder, most of them short, every 50th
 * of 20 kB.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function writeCorpus(dir: string, documents: number): void {
  for (let n = 0; n < documents; n++) {
    const file = join(dir, `part-${Math.floor(n / 10_000)}`, `chapter-${Math.floor(n / 100)}`, `document-${n}.md`);
    if (n % 100 === 0) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(n));
  }
}

const WORDS = "harbour lantern meadow copper ribbon thunder velvet orchard granite whisper ember saddle".split(" ");

function textOf(n: number): string {
  const word = (k: number) => WORDS[(n * 7 + k * 5) % WORDS.length]!;
  const lines = Array.from({ length: n % 50 === 0 ? 250 : 4 + (n % 12) }, (_, k) => {
    return `Some ${word(k)} words of plain prose about the ${word(k + 3)}, line ${k}, number${(n * 31 + k) % 5_000}.`;
  });
  return `# Document ${n}\n\n${lines.join("\n")}\n`;
}
