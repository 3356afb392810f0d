import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { replaceBlock } from "../generated-block.ts";
import { reachedTypes, typeEntries } from "./dist.ts";

/**
 * Descriptions of the library, stored in files, so that each change for its users shows in a diff.
 */

const REPORT = "config/api-report.md";
const README = "src/lib/README.md";
const EXAMPLES = "test/lib/examples";

const HEAD = `# What the package exports

Made by \`node scripts/api-report.ts --write\` of the declarations in dist/. A line that goes or changes may break
who uses it: say so in \`.github/CHANGELOG.md\`, and see there for the version that it takes.
`;

/** Returns the declarations without comments, because a changed comment breaks no user. */
function apiReport(root: string): string {
  const parts = reachedTypes(join(root, "dist"), typeEntries(root)).map((file) => {
    const text = readFileSync(join(root, "dist", file), "utf8").replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
    return `\n## ${file}\n\n\`\`\`ts\n${text.trimEnd()}\n\`\`\`\n`;
  });
  return HEAD + parts.join("");
}

function withExamples(root: string): string {
  const files = globSync("*.ts", { cwd: join(root, EXAMPLES) }).sort();
  return files.reduce(
    (text, file) => {
      const lines = readFileSync(join(root, EXAMPLES, file), "utf8")
        .trimEnd()
        .split("\n");
      return replaceBlock(text, `example ${basename(file, ".ts")}`, ["```ts", ...lines, "```"]);
    },
    readFileSync(join(root, README), "utf8"),
  );
}

/**
 * Returns the files that are out of date, as paths in the checkout. `dist/` must be up to date.
 * @param write true to update them too
 */
export function staleFiles(root: string, write: boolean): string[] {
  const wanted = [
    [REPORT, apiReport(root)],
    [README, withExamples(root)],
  ] as const;
  return wanted.flatMap(([file, text]) => {
    if (readIfExists(join(root, file)) === text) return [];
    if (write) writeFileSync(join(root, file), text);
    return [file];
  });
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
