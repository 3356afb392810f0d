import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execFile } from "node:child_process";

type Edit = {
  /** Path below `src/`. */
  readonly file: string;
  /**
   * Source to be replaced. If it does not occur exactly once in the file, the mutant is out of
   * date.
   */
  readonly find: string;
  readonly replace: string;
};

/**
 * A mutant: some code of `src` is replaced in memory, to see whether the tests fail. If they pass,
 * a test is missing.
 */
export type Mutant = Edit & {
  readonly id: string;
  /** Promise that the mutant breaks. */
  readonly promise: `I${number}`;
  /** Wrong behaviour of the mutant, as a clause. */
  readonly does: string;
  /** More replacements. If two checks hold one promise, the promise breaks only without both. */
  readonly also?: readonly Edit[];
  /** Test files below `test/`, at least one of which must fail. */
  readonly tests: readonly string[];
};

export const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));

export function editsOf({ file, find, replace, also = [] }: Mutant): readonly Edit[] {
  return [{ file, find, replace }, ...also];
}

/**
 * Returns a source file with the changes of the mutant.
 * @throws if code to be replaced does not occur exactly once
 */
export function applyMutant(mutant: Mutant, file: string, source: string): string {
  let mutated = source;
  for (const { find, replace } of editsOf(mutant).filter((edit) => edit.file === file)) {
    const parts = mutated.split(find);
    if (parts.length !== 2)
      throw new Error(
        `mutant ${mutant.id} is out of date: its text occurs ${parts.length - 1} times in src/${file}, not once`,
      );
    mutated = parts.join(replace);
  }
  return mutated;
}

/** @throws if the mutant is out of date or changes nothing */
export function checkMutant(mutant: Mutant): void {
  for (const { file } of editsOf(mutant)) {
    const source = readFileSync(SRC + file, "utf8");
    if (applyMutant(mutant, file, source) === source)
      throw new Error(`mutant ${mutant.id} changes nothing in src/${file}`);
  }
}

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
