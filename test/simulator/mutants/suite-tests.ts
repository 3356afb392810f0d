import { fileURLToPath } from "node:url";
import { startVitest } from "vitest/node";
import type { Caught } from "./caught.ts";
import { editsOf, type Mutant, plantInto, SRC } from "./mutant.ts";

/**
 * The second part of the suite, for mutants that a simulation in memory cannot show: test files,
 * run with the mutant in the modules of vitest and in the processes that the tests start.
 */

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export async function runTests(
  mutant: Mutant | null,
  files: readonly string[],
): Promise<{ readonly caught: Caught | null; readonly tests: number; readonly reached: boolean }> {
  let reached = false;
  const plugin = {
    name: "mutant",
    enforce: "pre" as const,
    transform(code: string, id: string) {
      const file = id.replace(/\?.*$/, "").slice(SRC.length);
      if (mutant === null || !id.startsWith(SRC) || !editsOf(mutant).some((edit) => edit.file === file)) return null;
      reached = true;
      return plantInto(mutant, file, code);
    },
  };
  process.env["NODE_OPTIONS"] = `--import=${fileURLToPath(new URL("hook.ts", import.meta.url))}`;
  process.env["MDMIRROR_MUTANT"] = mutant?.id ?? "";
  const vitest = await startVitest(
    files.map((file) => `test/${file}`),
    {
      config: `${ROOT}config/vitest.config.ts`,
      watch: false,
      reporters: [{}],
      bail: 1,
      fileParallelism: false,
      // Node's own loader would bypass the plugin.
      experimental: { viteModuleRunner: true },
      // A module that was transformed with a mutant must never be used by another run, nor the
      // reverse.
      fsModuleCache: false,
    },
    { plugins: [plugin] },
  );
  let tests = 0;
  let caught: Caught | null = null;
  for (const module of vitest.state.getTestModules()) {
    const by = module.relativeModuleId.replace(/^test\//, "");
    for (const error of module.errors()) caught ??= { by, says: error.message };
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed" || state === "failed") tests++;
      if (state === "failed") caught ??= { by, says: test.fullName };
    }
  }
  await vitest.close();
  process.exitCode = 0;
  return { caught, tests, reached };
}
