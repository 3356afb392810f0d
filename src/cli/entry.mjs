#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to refuse an unfit one, and an unfit
// system. better-sqlite3 13 ends in a segmentation fault, without a word, on Node 20; so
// only a module that each Node has is imported before the checks.
import module from "node:module";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  // A checkout holds the sources, a package JavaScript alone.
  const way = import.meta.url.endsWith("/src/cli/entry.mjs")
    ? "run scripts/mdmirror, which brings its own"
    : "install a newer one (https://nodejs.org), then run the command again";
  process.stderr.write(`mdmirror: needs Node 22.22 or newer, and this is ${process.versions.node}; ${way}.\n`);
  process.exit(2);
}
// `os` in package.json keeps npm from installing it there; a checkout runs what it is given.
if (process.platform === "win32") {
  process.stderr.write(
    "mdmirror: runs on Linux and macOS, and not on Windows, where it has no way yet to keep the key from other users, " +
      "to open a path without following links, to give legal names to documents that Windows refuses, to replace a " +
      "file that a program holds open, to reach its daemon and to be started at login; run it in WSL 2.\n",
  );
  process.exit(2);
}

// By require: an import evaluates every getter of node:fs, and these load 40 modules.
const require = module.createRequire(import.meta.url);
const { existsSync, lstatSync, mkdirSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");
keepSecret();
keepCompiled();
// From a checkout Node runs the sources as they are; a published package holds JavaScript alone.
const isCheckout = existsSync(new URL("./main.ts", import.meta.url));
const { main } = isCheckout ? await import("./main.ts") : require("./main.cjs");
await main(process.argv.slice(2));

/**
 * The key is in this memory, and may be in this environment: neither goes into a file that a crash
 * leaves behind (I30).
 */
function keepSecret() {
  try {
    // LIMIT: Linux alone; on other systems the limit of core files, which is 0 by default, is all.
    // No kind of memory is dumped.
    if (process.platform === "linux") writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // A kernel without core files.
  }
  // The reports that Node writes when NODE_OPTIONS asks for them.
  if (/report/.test(process.env["NODE_OPTIONS"] ?? "")) process.report.excludeEnv = true;
}

/**
 * Keeps what Node made of the sources (types stripped, compiled) for the next start. This changes
 * only speed.
 */
function keepCompiled() {
  // With the rights of sudo, what is kept could end as root's in the caller's home.
  if (process.geteuid?.() === 0 && process.env["SUDO_UID"] !== undefined) return;
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const caches = isAbsolute(given) ? given : join(homedir(), ".cache");
    // An empty HOME is taken by Node as it is: what lies below the current folder may be anybody's.
    if (!isAbsolute(caches)) return;
    const folder = join(caches, "mdmirror");
    makeFolders(folder);
    const { uid, mode } = lstatSync(folder);
    // What lies there is run: in a folder that others can write (a `sudo` that keeps HOME), it is
    // not used.
    if (uid === process.geteuid?.() && (mode & 0o022) === 0) module.enableCompileCache(join(folder, "compiled"));
  } catch {
    // No home, a full or a read-only disk.
  }
}

/** As `server/make-folders.ts`: Node's own `recursive` never ends in `/proc`. */
function makeFolders(folder) {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
