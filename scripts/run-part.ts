import { asksForHelp, tellUsage } from "./usage.ts";

/** The parts of one script, by the file that runs when it is loaded; the first is the default. */
export type Parts = Readonly<Record<string, { readonly file: URL; readonly load: () => Promise<unknown> }>>;

/**
 * Runs the part that the command line names first, with the rest of the command line as its own;
 * `--help` tells the usage of the script, or of the part, instead. A word that is no option and
 * names no part ends the script with exit code 2.
 */
export async function runPart(script: string, home: string, parts: Parts): Promise<void> {
  const [first] = process.argv.slice(2);
  const named = first !== undefined && !first.startsWith("-");
  const part = named ? parts[first] : Object.values(parts)[0];
  const names = Object.keys(parts).join(", ");
  if (part === undefined) {
    console.error(`npm run ${script}: no part ${JSON.stringify(first)}; there are: ${names}`);
    process.exitCode = 2;
    return;
  }
  if (asksForHelp()) {
    if (!named) {
      tellUsage(home);
      console.log(`Parts: ${names}; npm run ${script} -- PART --help tells of one. Without a part:\n`);
    }
    tellUsage(part.file);
    return;
  }
  if (named) process.argv.splice(2, 1);
  await part.load();
}
