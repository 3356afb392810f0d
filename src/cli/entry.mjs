#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to refuse an unfit one, and an unfit
// system. better-sqlite3 13 ends in a segmentation fault, without a word, on Node 20; so nothing is
// imported before the checks.
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

// Not by `import`: that evaluates every getter of a built-in module, and those of node:fs load 40
// others.
const { existsSync, lstatSync, mkdirSync, writeFileSync } = process.getBuiltinModule("node:fs");
keepSecret();
keepCompiled();
// From a checkout Node runs the sources as they are; a published package holds JavaScript alone.
const isCheckout = existsSync(new URL("./main.ts", import.meta.url));
resolveQuickly();
if (!isCheckout) (await import("./part-script.js")).keepCode();
const { main } = await (isCheckout ? import("./main.ts") : import("./main.js"));
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
 * A module of ours names another one by its path, with its ending: there is nothing to look for.
 * Node would look for packages and symbolic links at each of some 200, in a sixth of all that a
 * sync takes. Packages, whose modules may be of the older kind, are not below this folder.
 */
function resolveQuickly() {
  const { registerHooks } = process.getBuiltinModule("node:module");
  const ours = new URL("..", import.meta.url).href;
  const format = isCheckout ? "module-typescript" : "module";
  registerHooks({
    resolve(name, context, next) {
      if (!/^\.\.?\/.*\.[jt]s$/.test(name) || context.parentURL?.startsWith(ours) !== true) return next(name, context);
      const url = beside(context.parentURL, name);
      // A part's script, of which more code can be kept: ./part-script.ts.
      return { url: isCheckout ? url : url.replace(/(\/parts\/\w+)\.js$/, "$1.script.js"), format, shortCircuit: true };
    },
  });
}

/** As `new URL(name, parent).href`, for the names that our modules have: it takes a tenth. */
function beside(parent, name) {
  let folder = parent.slice(0, parent.lastIndexOf("/"));
  let rest = name;
  for (;;) {
    if (rest.startsWith("./")) rest = rest.slice(2);
    else if (rest.startsWith("../")) {
      rest = rest.slice(3);
      folder = folder.slice(0, folder.lastIndexOf("/"));
    } else return `${folder}/${rest}`;
  }
}

/**
 * What Node made of the sources (types stripped, compiled) is kept for the next start: from 95 to
 * 35 ms. Only speed: without, all is as before.
 */
function keepCompiled() {
  // With the rights of sudo, what is kept could end as root's in the caller's home.
  if (process.geteuid?.() === 0 && process.env["SUDO_UID"] !== undefined) return;
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  const { homedir } = process.getBuiltinModule("node:os");
  const { dirname, isAbsolute, join } = process.getBuiltinModule("node:path");
  try {
    const given = process.env["XDG_CACHE_HOME"] ?? "";
    const caches = isAbsolute(given) ? given : join(homedir(), ".cache");
    // An empty HOME is taken by Node as it is: what lies below the present folder may be anybody's.
    if (!isAbsolute(caches)) return;
    const folder = join(caches, "mdmirror");
    makeFolders(folder, dirname);
    const { uid, mode } = lstatSync(folder);
    // What lies there is run: in a folder that others can write (a `sudo` that keeps HOME), it is
    // not used.
    if (uid === process.geteuid?.() && (mode & 0o022) === 0) enableCompileCache(join(folder, "compiled"));
  } catch {
    // No home, a full or a read-only disk.
  }
}

/** As `server/make-folders.ts`: Node's own `recursive` never ends in `/proc`. */
function makeFolders(folder, dirname) {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder), dirname);
  mkdirSync(folder, { mode: 0o700 });
}
