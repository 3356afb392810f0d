import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HOOK = fileURLToPath(new URL("hook.ts", import.meta.url));
/** LIMIT: ms for the tests of one mutant, because a mutant may loop for ever. */
const DEADLINE_MS = 600_000;

/** `broken`: the tests did not run to their end, which proves nothing about the mutant. */
export type TestsEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly test: string }
  | { readonly kind: "broken"; readonly why: string };

/**
 * Runs test files in a new process until one test fails.
 * @param mutant applied in that process and in all that it starts; null for none
 * @param tests files below `test/`
 */
export async function runTests(mutant: Mutant | null, tests: readonly string[]): Promise<TestsEnd> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config=config/vitest.config.ts", "--bail=1"];
  args.push("--reporter=tap-flat", "--maxWorkers=1", ...tests.map((file) => `test/${file}`));
  const env = { ...process.env };
  if (mutant !== null) Object.assign(env, { MDMIRROR_MUTANT: mutant.id, NODE_OPTIONS: `--import=${HOOK}` });
  const options = { cwd: ROOT, env, timeout: DEADLINE_MS, maxBuffer: Number.POSITIVE_INFINITY } as const;
  const { out, errors } = await new Promise<{ out: string; errors: string }>((settle) => {
    execFile(process.execPath, args, options, (_, stdout, stderr) => settle({ out: stdout, errors: stderr }));
  });
  const lines = out.split("\n");
  const [failure] = lines.filter((line) => line.startsWith("not ok "));
  if (failure !== undefined) return { kind: "failed", test: failure.replace(/^not ok \d+ - | # time=.*/g, "") };
  if (lines.some((line) => line.startsWith("ok "))) return { kind: "passed" };
  return { kind: "broken", why: errors.trim().split("\n").slice(-6).join(" ") };
}
