// Makes a fresh clone ready, on any Node from 20 on, then runs the script that it is given, with
// the right Node: `node scripts/setup.mjs [SCRIPT [ARGUMENT]…]`.
// Installs what the lock file names when it is not there yet or the lock file changed since; the
// right Node is one of these packages.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const rightNode = `${root}node_modules/.bin/node`;
const stampFile = `${root}node_modules/.mdmirror-setup`;
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");

function isReady() {
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== wanted) return false;
  return spawnSync(rightNode, ["--version"]).status === 0;
}

function runNpm(...args) {
  const ended = spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (ended.status === 0) return;
  const why = ended.status ?? ended.error?.message;
  console.error(`mdmirror: "npm ${args[0]}" failed (exit ${why}); see its message above`);
  process.exit(2);
}

if (!isReady()) {
  console.error("mdmirror: installing what package-lock.json names (once) …");
  // The engines warnings are about the Node that runs npm, not about the one that is being
  // installed.
  // No package's script is run but the one that fetches Node's binary: npm would compile
  // better-sqlite3, which ships its binaries, and a new machine has no compiler.
  runNpm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
  runNpm("rebuild", "node", "--ignore-scripts=false", "--loglevel=error");
  const node = spawnSync(rightNode, ["--version"], { encoding: "utf8" });
  if (node.status !== 0) {
    console.error('mdmirror: the package "node" was installed without its binary; see the messages of npm above');
    process.exit(2);
  }
  writeFileSync(stampFile, wanted);
  console.error(`mdmirror: ready, on Node ${node.stdout.trim()}`);
}

const [script, ...rest] = process.argv.slice(2);
if (script !== undefined) {
  const child = spawn(rightNode, [script, ...rest], { cwd: root, stdio: "inherit" });
  // Ctrl-C reaches the script by itself, which ends in its own time; the others reach this process
  // alone.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
