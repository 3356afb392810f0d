/**
 * A folder of documents that link each other in every way that Markdown has, the same each time:
 * areas, topics, and in each topic some notes with names that people give. Each index links to what
 * is below it, and each note to the next one, to its index, and to some anywhere.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { rolls } from "../bench/corpus.ts";

const AREAS = ["handbook", "policies", "Team Notes", "größen", "日本語", "r&d", "archive (old)"];
const TOPICS = ["plans", "Open Questions", "übersicht", "q&a", "2026", "a%20b"];
const NAMES: readonly ((n: number) => string)[] = [
  (n) => `note-${n}.md`,
  (n) => `Meeting notes ${n}.md`,
  (n) => `größe-${n}.md`,
  (n) => `what's next (${n}).md`,
  (n) => `50% of ${n}.md`,
  (n) => `メモ${n}.md`,
  (n) => `a#b ${n}.md`,
  (n) => `why? ${n}.md`,
  (n) => `[draft] ${n}.md`,
];

/** A destination from one path to another, as some program would write it. */
type Spelling = (path: string) => string;

const encoded: Spelling = (path) =>
  encodeURI(path).replace(/[#?()[\]&']/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const angle: Spelling = (path) => `<${path.replace(/[%#?&<>]/g, (one) => encodeURIComponent(one))}>`;
const dotted: Spelling = (path) => `./${encoded(path)}`;

/** One way to write a link; `n` is a number like no other in its text. */
type Way = (text: string, to: string, n: number) => string;

const WAYS: readonly Way[] = [
  (text, to) => `See [${text}](${encoded(to)}) for more.`,
  (text, to) => `Read [${text}](${angle(to)} "as it was"), then go on.`,
  (_text, to, n) => `It is [told elsewhere][ref-${n}].\n\n[ref-${n}]: ${encoded(to)}#part-2 'A title'`,
  (_text, to, n) => `It is told [elsewhere][Ref ${n}] too.\n\n[ref ${n}]: ${angle(to)}`,
  (text, to) => `> - *[${text}](${dotted(to)}#part-1)*, and [again](${encoded(to)}?view=1#part-2)`,
  (text, to) => `| what | where |\n| --- | --- |\n| ${text.replace("|", "")} | [here](${encoded(to)}) |`,
  (text, to, n) => `A claim[^${n}].\n\n[^${n}]: As [${text}](${encoded(to)}) says.`,
  (text, to) => `## On [${text}](${encoded(to)})`,
  (_text, to) => `The [whole [old] **plan**](${encoded(to)} (in brackets)) is gone.`,
  (text, to) => `![${text}](${angle(to)})`,
  (_text, to) => `[![a picture](img/plan.png)](${encoded(to)})`,
];

/** What looks like a link, and is none. */
const NO_LINKS = [
  "`[code](no/such.md)` and <https://example.org/a.md> and [mail](mailto:a@example.org)",
  "```md\n[fenced](no/such.md)\n\n[no]: no/such.md\n```",
  "<!-- [a comment](no/such.md) -->",
  // Right behind a footnote it would belong to that, and be a link.
  "As code:\n\n    [indented](no/such.md)",
  "[this page](#part-1), [the site](https://example.org/x/y.md?a=b#c)",
  "\\[escaped](no/such.md\\)",
];

type Corpus = { readonly documents: number; readonly links: number; readonly folders: readonly string[] };

/** @param folder is made */
export function writeLinkedCorpus(folder: string): Corpus {
  const paths = allPaths();
  const folders = [...new Set(paths.flatMap((path) => aboveOf(path)))].sort();
  const roll = rolls(20_260_401);
  let links = 0;
  for (const [n, path] of paths.entries()) {
    const targets = targetsOf(n, paths, folders, roll);
    links += targets.length;
    const whole = join(folder, path);
    mkdirSync(join(dirname(whole), "img"), { recursive: true });
    writeFileSync(join(dirname(whole), "img/plan.png"), "no document\n");
    writeFileSync(whole, textOf(n, path, targets));
  }
  return { documents: paths.length, links, folders };
}

function allPaths(): string[] {
  const paths = ["README.md"];
  for (const area of AREAS) {
    paths.push(`${area}/README.md`);
    for (const topic of TOPICS) {
      paths.push(`${area}/${topic}/index.md`);
      for (const [n, name] of NAMES.entries()) paths.push(`${area}/${topic}/${name(n)}`);
    }
  }
  return paths;
}

function aboveOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"));
}

/** To the next one, which closes a circle in the end; to its index; to some anywhere; to a folder. */
function targetsOf(n: number, paths: readonly string[], folders: readonly string[], roll: () => number): string[] {
  const any = (from: readonly string[]) => from[Math.floor(roll() * from.length)]!;
  const path = paths[n]!;
  const folder = posix.dirname(path);
  const isIndex = /(?:README|index)\.md$/.test(path);
  const below = isIndex ? paths.filter((one) => posix.dirname(one) === folder && one !== path).slice(0, 6) : [];
  const index = folder === "." ? "README.md" : (paths.find((one) => posix.dirname(one) === folder) ?? "README.md");
  return [paths[(n + 1) % paths.length]!, index, ...below, any(paths), any(paths), any(paths), `${any(folders)}/`];
}

function textOf(n: number, path: string, targets: readonly string[]): string {
  const head = n % 5 === 0 ? `---\ntitle: "[${n}](no/such.md)"\n---\n\n` : "";
  const parts = targets.map((to, index) => {
    const relative = posix.relative(posix.dirname(path), to) || ".";
    const said = to.endsWith("/") ? `${relative}/` : relative;
    const way = WAYS[(n + index * 3) % WAYS.length]!;
    return `Paragraph ${index} of document ${n}.\n\n${way(`number ${index}`, said, index)}`;
  });
  const text = `${head}# Document ${n}\n\n${parts.join("\n\n")}\n\n${NO_LINKS[n % NO_LINKS.length]!}\n\n## Part 1\n\n## Part 2\n`;
  return n % 7 === 0 ? text.replaceAll("\n", "\r\n") : text;
}
