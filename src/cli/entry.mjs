#!/usr/bin/env node
// Every version of Node must be able to run this file, because this file reports unsupported
// versions and systems. Before this check, it imports only modules that every Node has. On Node 20,
// an import of better-sqlite3 would end the process without a message.
import module from "node:module";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  // Only a checkout of the repository has scripts/mdmirror; an installed package does not.
  const way = import.meta.url.endsWith("/src/cli/entry.mjs")
    ? "run scripts/mdmirror, which brings its own"
    : "install a newer one (https://nodejs.org), then run the command again";
  process.stderr.write(`mdmirror: needs Node 22.22 or newer, and this is ${process.versions.node}; ${way}.\n`);
  process.exit(2);
}
// package.json keeps npm from installing the package on Windows. A checkout of the repository needs
// this check.
if (process.platform === "win32") {
  process.stderr.write(
    "mdmirror: runs on Linux and macOS, and not on Windows, where it has no way yet to keep the key from other users, " +
      "to open a path without following links, to give legal names to documents that Windows refuses, to replace a " +
      "file that a program holds open, to reach its daemon and to be started at login; run it in WSL 2.\n",
  );
  process.exit(2);
}

// Loads modules with `require`, which starts faster than `import`. An import of node:fs would
// evaluate all its getters, and these getters load 40 other modules.
const require = module.createRequire(import.meta.url);
const { existsSync, lstatSync, mkdirSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");
keepSecret();
keepCompiled();
// In a checkout, Node runs the sources directly; a published package has only JavaScript.
const isCheckout = existsSync(new URL("./main.ts", import.meta.url));
const { main } = isCheckout ? await import("./main.ts") : require("./main.cjs");
await main(process.argv.slice(2));

/** Keeps the API key, in memory or in the environment, out of crash files (I30). */
function keepSecret() {
  try {
    // Excludes all memory from core files.
    // LIMIT: works only on Linux. Other systems write no core files unless the user allows them.
    if (process.platform === "linux") writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // If the kernel has no /proc/self/coredump_filter, it writes no core files.
  }
  // NODE_OPTIONS may switch on diagnostic reports. Node would write the environment into these
  // reports.
  if (/report/.test(process.env["NODE_OPTIONS"] ?? "")) process.report.excludeEnv = true;
}

/** Caches compiled sources, so that the next start is faster. */
function keepCompiled() {
  // As root under `sudo`, this process could create cache files owned by root in the caller's home
  // folder.
  if (process.geteuid?.() === 0 && process.env["SUDO_UID"] !== undefined) return;
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const caches = isAbsolute(given) ? given : join(homedir(), ".cache");
    // Node accepts an empty HOME. The cache would then be inside the working folder, which may
    // belong to another user.
    if (!isAbsolute(caches)) return;
    const folder = join(caches, "mdmirror");
    makeFolders(folder);
    const { uid, mode } = lstatSync(folder);
    // Node runs the code that is cached in this folder. The cache stays off if another user owns
    // the folder or can write to it. Such a folder is possible after a `sudo` that keeps HOME.
    if (uid === process.geteuid?.() && (mode & 0o022) === 0) module.enableCompileCache(join(folder, "compiled"));
  } catch {
    // The cache is optional: the home folder may be missing, full or read-only.
  }
}

/**
 * Makes a folder and its parents one by one, because `mkdirSync` with the option `recursive` never
 * returns for a path in `/proc`.
 */
function makeFolders(folder) {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
