import type { Dice } from "../simulator/dice.ts";

/**
 * Names, texts and queries that stores may take differently: prefixes of each other, wildcards of
 * SQL, scripts, normal forms, letters whose order depends on who sorts.
 */

const STEMS = [
  "a",
  "ab",
  "A",
  "a!",
  "a-b",
  "a0",
  "a.b",
  "a%",
  "a_",
  "aZ",
  "a'",
  'a"',
  "a(1)",
  "a~",
  "a^",
  "a=1",
  "é",
  "e\u0301",
  "ä",
  "Ä",
  "ß",
  "ss",
  "İ",
  "i\u0307",
  "ı",
  "ǆ",
  "中文",
  "文",
  "ひらがな",
  "ﾊ",
  "עברית",
  "\u{1f600}",
  "\uffee",
  "\u{10348}",
];
/** What no service may take. */
const ILLEGAL = ["", "..", "a b", "a\\b", "x\u0000", "a*", "a:b", "x".repeat(256), "a\u2028", "[a", "a|b"];

export function folderName(dice: Dice): string {
  if (dice.below(25) === 0) return dice.pick([...ILLEGAL, ".hidden", "folder.md", "x".repeat(255)]);
  return dice.pick(STEMS);
}

export function fileName(dice: Dice): string {
  if (dice.below(25) === 0)
    return dice.pick([...ILLEGAL.map((name) => `${name}.md`), "a", "a.MD", "a.txt", `${"x".repeat(252)}.md`]);
  return dice.below(30) === 0 ? ".qontext.structure.md" : `${dice.pick(STEMS)}.md`;
}

/** Folders on the way; now and then very many. */
export function folderNames(dice: Dice, least: number): string[] {
  const depth = dice.below(40) === 0 ? dice.pick([20, 126, 127, 128]) : least + dice.below(3);
  return Array.from({ length: depth }, () => (depth > 10 ? dice.pick(["a", "ab", "é"]) : folderName(dice)));
}

const WORDS = [
  "apple",
  "Äpfel",
  "äpfel",
  "naïve",
  "résumé",
  "straße",
  "STRASSE",
  "中文",
  "文件",
  "検索",
  "ひらがな",
  "עברית",
  "мир",
  "Мир",
  "deploy",
  "deployed",
  "rollback",
  "42",
  "v1.2.3",
  "foo_bar",
  "foo-bar",
  "o'neil",
  "C++",
  "x=y",
  "\u{1f600}",
  "İstanbul",
];
const JOINTS = [" ", " ", " ", "\n", "\n\n", "\r\n", " **", "** ", "`", " - ", "\t", "\u2028", "\n# "];

export function someText(dice: Dice): string {
  const kind = dice.below(60);
  if (kind === 0) return "";
  if (kind === 1) return "x".repeat(51_200);
  if (kind === 2) return "\u{1f600}".repeat(51_200 + dice.below(2));
  if (kind === 3) return `\ufeff# With a mark\r\n${"y".repeat(4_100)} apple`;
  if (kind === 4) return dice.pick(["a\u0000b", "a\ud800b"]);
  const words = Array.from({ length: 3 + dice.below(25) }, () => dice.pick(WORDS) + dice.pick(JOINTS));
  return `# ${dice.pick(WORDS)}\n\n${words.join("")}${dice.pick(["", "\n"])}`;
}

/** Another text in one line of it, so that two edits may combine. */
export function editedText(dice: Dice, text: string): string {
  const lines = text.split("\n\n");
  lines[dice.below(lines.length)] = `${dice.pick(WORDS)} ${dice.below(100)}`;
  return lines.join("\n\n");
}

export function hybridQuery(dice: Dice): string {
  if (dice.below(12) === 0)
    return dice.pick(["", "   ", "%", "_", "'", '"', "a & b | !c", "x".repeat(1_025), "*:*", "\\"]);
  return Array.from({ length: 1 + dice.below(2) }, () => dice.pick(WORDS)).join(" ");
}

const PATTERNS = [
  "apple",
  "(?i)ÄPFEL",
  "^# ",
  "de\\w+",
  "a.{0,5}b",
  "\\bfoo[_-]bar\\b",
  "[Мм]ир",
  "文.",
  "x{10}",
  "\\d+\\.\\d+",
  "$",
  "apple|мир",
  "o'neil",
  "C\\+\\+",
  "\\p{Han}+",
  ".",
  "\\x{1f600}",
  "(?i)strasse",
  "^$",
  "%",
  "_",
  "foo_",
];

export function regexQuery(dice: Dice): string {
  if (dice.below(12) === 0)
    return dice.pick(["", "(", "a\nb", "x".repeat(1_025), "(?=a)", "\\1", "(a{1000}){1000}", "[z-a]"]);
  return dice.pick(PATTERNS);
}
