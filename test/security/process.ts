import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Processes of their own, for what only a process can show. */

export const ENTRY = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));

/** Resolves when a `watch --json` has made its first pass; rejects when it ends before. */
export function whenWatching(child: ChildProcessByStdio<null, Readable, Readable>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      said += `${line}\n`;
      if ((JSON.parse(line) as { readonly kind: string }).kind === "run") resolve();
    });
    child.once("exit", (code, signal) => reject(new Error(`watch ended (${code ?? signal}): ${said}`)));
  });
}
