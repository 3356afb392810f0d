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
