/** Runs one of the checks of `npm test`: a program. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export type Check = {
  readonly name: string;
  /** What it checks, in a few words. */
  readonly shows: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where to look if it fails. */
  readonly look: string;
};

/**
 * Result of a check. A program that cannot be started has failed too, so the promise never rejects.
 */
export type CheckEnd = { readonly ok: boolean; readonly said: string; readonly seconds: number };

/** @param stdio `pipe` to collect the output and return it */
export async function runCheck(check: Check, cwd: string, stdio: "pipe" | "inherit"): Promise<CheckEnd> {
  const { command, args, env } = check;
  const started = performance.now();
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", stdio, stdio] });
  const printed = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const end = await new Promise<number | Error | null>((resolve) => {
    child.once("error", resolve);
    child.once("close", resolve);
  });
  // A program that was not started closes no pipe.
  const said =
    end instanceof Error ? `${command} cannot be run: ${end.message}\n` : (await Promise.all(printed)).join("");
  return { ok: end === 0, said, seconds: (performance.now() - started) / 1000 };
}
