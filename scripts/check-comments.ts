/**
 * Checks comments for what Biome does not check: more than 100 columns, names of documents that do
 * not exist, conflict markers of git, and words that the project does not use. Also checks names in
 * `src` for words that say nothing of their value. Prints each breach as `file:line what`. Exit 1
 * on any.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UNUSED_WORDS } from "./prose.ts";

const MAX_COLUMNS = 100;
const COMMENT = /^\s*(?:\/\/|\/\*|\*[ /])/;
const CONFLICT = /^(?:<{7}|>{7}) /;
const UNUSED = new RegExp(`\\b(?:${UNUSED_WORDS.map(([word]) => word).join("|")})\\b`, "i");
/** Matches a declaration whose name cannot be understood without its file. */
const VAGUE_NAME =
  /\b(?:const|let|readonly|function|type|class)\s+#?(?:asked|told|held|standing|halt(?:s|ed)|news|here|there|met|parted|taught|formerly|madeWay|Asked|Told|Held|Given|Ground|Around|Standing)\b/;
/** Matches a value whose name is only a participle or an adjective. */
const NAME_WITHOUT_NOUN =
  /\b(?:const|let) (?:found|known|shown|named|listed|judged|wanted|chosen|kept|taken|sent|opened|written|changed|moved|ended|whole|both|current|bad)\b/;
/** Matches a class of errors whose name does not end in Error. */
const UNNAMED_ERROR = /\bclass (?!\w*Error\b)\w+ extends \w*Error\b/;
/** Matches a tag that does not begin its line. */
const TAG_IN_LINE = /^\s*\* (?:[^@`]+ @(?:param|returns|throws)\b|.*[^.] (?:RACE|ASSUMES|ORDER|LIMIT): )/;
/** Matches a docstring of several lines that begins beside its `/**`. */
const TEXT_BESIDE_OPENING = /^\s*\/\*\* (?!.*\*\/)/;
/** Matches files whose names are checked: all of `src` but the web pages. */
const NAMED = /^src\/(?!ui\/|page\/|service\/pages\/)/;
const ABSENT = /\bDESIGN\b|\bAPI\.md\b|\bMERGE\b|\bDEPLOYMENT\b/;

const root = fileURLToPath(new URL("..", import.meta.url));
const files = globSync("{src,test}/**/*.{ts,mjs}", { cwd: root });
const breaches = files.flatMap((file) =>
  readFileSync(root + file, "utf8")
    .split("\n")
    .flatMap((line, n) => {
      const at = `${file}:${n + 1}`;
      if (CONFLICT.test(line)) return [`${at} is a conflict marker`];
      if (NAMED.test(file) && (VAGUE_NAME.test(line) || NAME_WITHOUT_NOUN.test(line)))
        return [`${at} declares a vague name: ${line.trim()}`];
      if (UNNAMED_ERROR.test(line) && file.startsWith("src/"))
        return [`${at} names an error without Error: ${line.trim()}`];
      if (!COMMENT.test(line)) return [];
      return [
        ...(UNUSED.test(line) ? [`${at} has a word that is not used: ${UNUSED.exec(line)![0]}`] : []),
        ...(line.length > MAX_COLUMNS ? [`${at} has ${line.length} columns`] : []),
        ...(TAG_IN_LINE.test(line) ? [`${at} has a tag behind other text`] : []),
        ...(TEXT_BESIDE_OPENING.test(line) ? [`${at} begins a long docstring beside its opening`] : []),
        ...(ABSENT.test(line) && file.startsWith("src/") ? [`${at} names an absent document`] : []),
      ];
    }),
);
for (const breach of breaches) console.log(breach);
console.log(`comments: ${files.length} files, ${breaches.length} breaches`);
process.exitCode = breaches.length === 0 ? 0 : 1;
