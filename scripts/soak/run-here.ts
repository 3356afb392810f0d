/**
 * Runs `mdmirror …` in this process before and after a fault, which takes a fifth of the time of a
 * process. The fault itself meets real processes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/common/system-clock.ts";
import { systemRandom } from "../../src/common/system-random.ts";
import { runCommandLine } from "../../src/cli/main.ts";

/** @param user the user's list of linked folders, and the key */
export async function runInProcess(
  user: { readonly folder: string; readonly key: string },
  args: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly ms: number }> {
  const began = performance.now();
  let out = "";
  const say = (line: string) => {
    out += `${line}\n`;
  };
  const code = await runCommandLine(args, {
    out: say,
    text: say,
    err: say,
    status: () => undefined,
    terminal: { input: false, output: false, error: false, columns: 80 },
    env: {
      ...process.env,
      XDG_STATE_HOME: join(user.folder, "state"),
      MDMIRROR_API_KEY: user.key,
      NO_COLOR: "1",
    },
    cwd: "/",
    clock: systemClock(),
    random: systemRandom(),
    become: () => {
      throw new Error("nobody's rights are given back here");
    },
    ask: async () => null,
    stop: new AbortController().signal,
    stoppable: async (work) => ({ value: await work(new AbortController().signal), isStopped: false }),
    readText: (path) => readFileSync(path, "utf8"),
  });
  return { code, out, ms: performance.now() - began };
}
