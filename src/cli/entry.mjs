#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to refuse an unfit one, and an unfit
// system. better-sqlite3 13 ends in a segmentation fault, without a word, on Node 20; so
// only a module that each Node has is imported before the checks.
import module from "node:module";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  // A checkout has the sources; a package has only JavaScript.
  const way = import.meta.url.endsWith("/src/cli/entry.mjs")
    ? "run scripts/mdmirror, which brings its own"
    : "install a newer one (https://nodejs.org), then run the command again";
  process.stderr.write(`mdmirror: needs Node 22.22 or newer, and this is ${process.versions.node}; ${way}.\n`);
  process.exit(2);
}
// `os` in package.json keeps npm from installing it there; a checkout runs anywhere.
if (process.platform === "win32") {
  process.stderr.write(
    "mdmirror: runs on Linux and macOS, and not on Windows, where it has no way yet to keep the key from other users, " +
      "to open a path without following links, to give legal names to documents that Windows refuses, to replace a " +
      "file that a program holds open, to reach its daemon and to be started at login; run it in WSL 2.\n",
  );
  process.exit(2);
}

// Loaded by `require`: an import would evaluate every getter of node:fs, and these load 40 modules.
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

/**
 * Keeps the key out of files that a crash leaves behind (I30). The key is in this memory, and may
 * be in this environment.
 */
function keepSecret() {
  try {
    // LIMIT: Linux only; on other systems, only the limit of core files, which is 0 by default,
    // prevents them. No kind of memory is dumped.
    if (process.platform === "linux") writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // The kernel has no core files.
  }
  // Node writes these reports if NODE_OPTIONS asks for them.
  if (/report/.test(process.env["NODE_OPTIONS"] ?? "")) process.report.excludeEnv = true;
}

/**
 * Keeps the compiled form of the sources (types stripped) for the next start. This changes only
 * speed.
 */
function keepCompiled() {
  // With the rights of sudo, the kept files could belong to root in the caller's home folder.
  if (process.geteuid?.() === 0 && process.env["SUDO_UID"] !== undefined) return;
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const caches = isAbsolute(given) ? given : join(homedir(), ".cache");
    // Node accepts an empty HOME; the folder would then be below the current one, which may be
    // anybody's.
    if (!isAbsolute(caches)) return;
    const folder = join(caches, "mdmirror");
    makeFolders(folder);
    const { uid, mode } = lstatSync(folder);
    // Files in this folder are run, so a folder that others can write (a `sudo` that keeps HOME) is
    // not used.
    if (uid === process.geteuid?.() && (mode & 0o022) === 0) module.enableCompileCache(join(folder, "compiled"));
  } catch {
    // The home folder is missing, or the disk is full or read-only.
  }
}

/** Makes folders as `common/make-folders.ts` does: Node's own `recursive` never ends in `/proc`. */
function makeFolders(folder) {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
