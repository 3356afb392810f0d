/**
 * Checks lines of comments, which Biome does not: none has more than 100 columns, none names a
 * document that is not in the repository, and none has a conflict marker of git. Prints each breach
 * as `file:line what`; exit 1 on any.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MOST_COLUMNS = 100;
const COMMENT = /^\s*(?:\/\/|\/\*|\*[ /])/;
const CONFLICT = /^(?:<{7}|>{7}) /;
const ABSENT = /\bDESIGN\b|\bAPI\.md\b|\bMERGE\b|\bDEPLOYMENT\b/;

const root = fileURLToPath(new URL("..", import.meta.url));
const files = globSync("{src,test}/**/*.{ts,mjs}", { cwd: root });
const breaches = files.flatMap((file) =>
  readFileSync(root + file, "utf8")
    .split("\n")
    .flatMap((line, n) => {
      const at = `${file}:${n + 1}`;
      if (CONFLICT.test(line)) return [`${at} is a conflict marker`];
      if (!COMMENT.test(line)) return [];
      return [
        ...(line.length > MOST_COLUMNS ? [`${at} has ${line.length} columns`] : []),
        ...(ABSENT.test(line) && file.startsWith("src/") ? [`${at} names an absent document`] : []),
      ];
    }),
);
for (const breach of breaches) console.log(breach);
console.log(`comments: ${files.length} files, ${breaches.length} breaches`);
process.exitCode = breaches.length === 0 ? 0 : 1;
