import { readFileSync } from "node:fs";

/** Returns true if the command line contains `--help` or `-h`. */
export function asksForHelp(): boolean {
  return process.argv.slice(2).some((word) => word === "--help" || word === "-h");
}

/**
 * Prints the comment at the top of a script, which is its usage.
 * @param file URL of the script
 * @throws if the script does not begin with a comment
 */
export function printUsage(file: string | URL): void {
  const head = /^\/\*\*\n([\s\S]*?) \*\/\n/.exec(readFileSync(new URL(file), "utf8"))?.[1];
  if (head === undefined) throw new Error(`${file} begins with no comment`);
  console.log(head.replaceAll(/^ \* ?/gm, ""));
}

/** The parts of a script by name, each with the file that it runs. The first is the default. */
type Parts = Readonly<Record<string, { readonly file: URL; readonly load: () => Promise<unknown> }>>;

/**
 * Runs the part whose name is the first argument, with the remaining arguments. With `--help`
 * prints the usage of the script or of the part. Exits with code 2 if the first argument is neither
 * an option nor a part.
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
      printUsage(home);
      console.log(`Parts: ${names}; npm run ${script} -- PART --help describes one. Without a part:\n`);
    }
    printUsage(part.file);
    return;
  }
  if (named) process.argv.splice(2, 1);
  await part.load();
}
