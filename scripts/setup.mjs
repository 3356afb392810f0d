// Makes a fresh clone ready: runs before `npm start` and `npm test`, on any Node from 20 on.
// Installs what the lock file names when it is not there yet or the lock file changed since; the
// right Node is one of these packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = `${root}node_modules/.mdmirror-setup`;
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");

function isReady() {
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== wanted) return false;
  return spawnSync(`${root}node_modules/.bin/node`, ["--version"]).status === 0;
}

if (!isReady()) {
  console.error("mdmirror: installing what package-lock.json names (once) …");
  // The engines warnings are about the Node that runs npm, not about the one that is being
  // installed.
  const install = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (install.status !== 0) {
    console.error(
      `mdmirror: "npm ci" failed (exit ${install.status ?? install.error?.message}); see its message above`,
    );
    process.exit(2);
  }
  const node = spawnSync(`${root}node_modules/.bin/node`, ["--version"], { encoding: "utf8" });
  if (node.status !== 0) {
    console.error('mdmirror: the package "node" was installed without its binary; see the messages of npm above');
    process.exit(2);
  }
  writeFileSync(stampFile, wanted);
  console.error(`mdmirror: ready, on Node ${node.stdout.trim()}`);
}
