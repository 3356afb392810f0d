/** The parts of one script; the first is what runs when none is named. */
export type Parts = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Runs the part that the command line names first, with the rest of the command line as its own.
 * A word that is no option and names no part ends the script with exit code 2.
 */
export async function runPart(script: string, parts: Parts): Promise<void> {
  const [first] = process.argv.slice(2);
  const named = first !== undefined && !first.startsWith("-");
  const load = named ? parts[first] : Object.values(parts)[0];
  if (load === undefined) {
    console.error(`npm run ${script}: no part ${JSON.stringify(first)}; there are: ${Object.keys(parts).join(", ")}`);
    process.exitCode = 2;
    return;
  }
  if (named) process.argv.splice(2, 1);
  await load();
}
