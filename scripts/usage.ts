import { readFileSync } from "node:fs";

/** Whether the command line asks for the usage. */
export function asksForHelp(): boolean {
  return process.argv.slice(2).some((word) => word === "--help" || word === "-h");
}

/**
 * Prints the comment at the top of a script: it says the usage.
 * @param file a file URL
 * @throws when the script begins with no comment
 */
export function tellUsage(file: string | URL): void {
  const head = /^\/\*\*\n([\s\S]*?) \*\/\n/.exec(readFileSync(new URL(file), "utf8"))?.[1];
  if (head === undefined) throw new Error(`${file} begins with no comment`);
  console.log(head.replaceAll(/^ \* ?/gm, ""));
}
