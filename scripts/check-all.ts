/**
 * `npm test`: layers, a test for each promise, types, lint and format, then every test. Stops at
 * nothing, so that one run shows all that is wrong; exit 1 on any.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;
const CHECKS: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ["layers", process.execPath, ["scripts/check-layers.ts"]],
  ["promises", process.execPath, ["scripts/check-promises.ts", "--short"]],
  ["figures", process.execPath, ["scripts/show-results.ts"]],
  ["types", bin("tsc"), ["-p", "tsconfig.json"]],
  ["lint", bin("biome"), ["check", "--config-path=config", "--error-on-warnings", "src", "test", "scripts"]],
  [
    "tests",
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--config", "config/vitest.config.ts", ...process.argv.slice(2)],
  ],
];

const failed: string[] = [];
for (const [name, command, args] of CHECKS) {
  const started = performance.now();
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (result.status !== 0) failed.push(name);
  console.log(`${name}: ${result.status === 0 ? "ok" : "FAILED"} (${seconds} s)`);
}
if (failed.length > 0) {
  console.log(`failed: ${failed.join(", ")}`);
  process.exit(1);
}
