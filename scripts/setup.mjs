// `node scripts/setup.mjs [--run] [SCRIPT [ARGUMENT]…]`: installs the packages of the lock file, on
// any Node from version 20 on, and then runs the script with the right Node. With `--run` it
// installs only what running needs. Packages that are installed stay; if all are, npm is not
// called.
import { spawn, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const root = `${realpathSync(fileURLToPath(new URL("..", import.meta.url)))}/`;
const rightNode = `${root}node_modules/.bin/node`;
/** The file in which npm lists the installed packages, after it has ended. */
const recordFile = `${root}node_modules/.package-lock.json`;
/** Where Node is stored while npm changes node_modules. */
const waiting = `${root}.setup/`;
const waitingNode = `${waiting}node`;
const locked = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")).packages;
const nodeVersion = locked["node_modules/node"].version;
// No script of a package is run: npm would compile better-sqlite3, which includes its binaries, and
// a new machine has no compiler. Warnings about engines concern only the Node that runs npm.
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const children = new Set();
// A terminal sends Ctrl-C to the children too, and they end by themselves. Other signals reach this
// process only.
process.on("SIGINT", () => undefined);
for (const signal of ["SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });

const [first, ...others] = process.argv.slice(2);
const wanted = first === "--run" ? "run" : "all";
const [script, ...rest] = first === "--run" || first === undefined ? others : [first, ...others];

if (!(isInstalled(wanted) && hasNode())) await install();
if (script !== undefined) process.exitCode = (await run(rightNode, [script, ...rest], "inherit")).code;

/**
 * Returns true if the wanted packages (`run`, `all`) are in node_modules, whoever installed them.
 */
function isInstalled(what) {
  const there = readRecord();
  return Object.entries(locked).every(([place, { dev, optional, version, integrity }]) => {
    if (place === "" || (dev === true && what === "run")) return true;
    const found = there[place];
    // Packages for another system are optional and not installed.
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(recordFile, "utf8")).packages;
  } catch {
    return {};
  }
}

function hasNode() {
  return isRightNode(rightNode) || (isNewEnough() && realNode() === process.execPath);
}

function isRightNode(file) {
  return spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.trim() === `v${nodeVersion}`;
}

/** Returns true if this machine's Node is new enough, for systems without a Node in npm. */
function isNewEnough() {
  if (process.execPath.startsWith(root)) return false;
  const { node } = JSON.parse(readFileSync(`${root}package.json`, "utf8")).engines;
  const [major, minor] = node.replace(/^>=/, "").split(".").map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function realNode() {
  try {
    return realpathSync(rightNode);
  } catch {
    return "";
  }
}

async function install() {
  const what = wanted === "run" ? "what running needs" : "what package-lock.json names";
  console.error(`mdmirror: installing ${what} (once) …`);
  // ORDER: before npm, which may remove the installed Node.
  const kept = keepNode();
  // At the same time, because each takes seconds.
  const [, brought] = await Promise.all([
    isInstalled(wanted) ? undefined : installPackages(),
    kept || fetchNode().then((fetched) => fetched || takeOwnNode()),
  ]);
  if (!isInstalled(wanted))
    give("npm ended well, and what it installed is not what package-lock.json names: see npm ls");
  if (!brought) give(`there is no Node ${nodeVersion} for this machine, and its own, ${process.version}, is too old`);
  placeNode();
  const { stdout } = spawnSync(rightNode, ["--version"], { encoding: "utf8" });
  console.error(`mdmirror: ready, on Node ${stdout.trim()}`);
}

async function installPackages() {
  // Packages needed for running are not touched, because somebody may be running mdmirror.
  const adds = wanted === "all" && isInstalled("run");
  const args = adds
    ? ["install", "--no-save", "--include=dev"]
    : ["ci", wanted === "run" ? "--omit=dev" : "--include=dev"];
  // ORDER: the list is removed first, so that an interrupted installation is started again.
  rmSync(recordFile, { force: true });
  const code = await npm(...args);
  if (code !== 0) give(`"npm ${args[0]}" failed (exit ${code}); see its message above`);
}

/** Stores the installed Node. Returns true if the right Node is stored. */
function keepNode() {
  // Stored by an interrupted installation.
  if (isRightNode(waitingNode)) return true;
  rmSync(waiting, { recursive: true, force: true });
  mkdirSync(waiting);
  if (!isRightNode(rightNode)) return false;
  const real = realNode();
  if (real.startsWith(root)) linkSync(real, waitingNode);
  else symlinkSync(real, waitingNode);
  return true;
}

function takeOwnNode() {
  if (!isNewEnough()) return false;
  console.error(
    `mdmirror: npm has no Node ${nodeVersion} for this machine; its own, ${process.version}, takes the place`,
  );
  symlinkSync(process.execPath, waitingNode);
  return true;
}

/**
 * Downloads Node's binary for this system, and nothing else. The install script of the package
 * `node` would also install the headers for compiling C++ addons.
 */
async function fetchNode() {
  const system = `${process.platform}-${process.arch}`;
  const name = `${system === "darwin-arm64" ? "node-bin" : "node"}-${system}`;
  if ((await npm("pack", `${name}@${nodeVersion}`, "--pack-destination", waiting)) !== 0) return false;
  const tarball = `${waiting}${name}-${nodeVersion}.tgz`;
  const unpacked = await run("tar", ["-xozf", tarball, "-C", waiting, "package/bin/node"], ["ignore", 2, 2]);
  if (unpacked.code !== 0) return false;
  if (!isRightNode(`${waiting}package/bin/node`)) return false;
  renameSync(`${waiting}package/bin/node`, waitingNode);
  return true;
}

/** Moves Node to the path at which the package `node` would install it. */
function placeNode() {
  const home = `${root}node_modules/node/bin`;
  mkdirSync(home, { recursive: true });
  renameSync(waitingNode, `${home}/node`);
  mkdirSync(`${root}node_modules/.bin`, { recursive: true });
  rmSync(rightNode, { force: true });
  symlinkSync("../node/bin/node", rightNode);
  rmSync(waiting, { recursive: true });
}

/** Runs npm. Returns its exit code. */
async function npm(...args) {
  const all = [...args, ...QUIET];
  // Versions are exact, so cached packages need no request. But npm's cached list of a package's
  // versions may be too old, so a failed installation is repeated with the registry.
  const kept = await run("npm", [...all, "--prefer-offline"], ["ignore", "ignore", "pipe"]);
  if (kept.said.includes("code ETARGET")) return (await run("npm", all, ["ignore", "ignore", 2])).code;
  process.stderr.write(kept.said);
  return kept.code;
}

/** Runs a program. Returns its exit code like a shell, and its output on a pipe. */
function run(command, args, stdio) {
  const child = spawn(command, args, { cwd: root, stdio });
  children.add(child);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (part) => {
    said += part;
  });
  return new Promise((resolve) => {
    child.once("error", ({ message }) =>
      resolve({ code: 127, said: `mdmirror: ${command} cannot be run: ${message}\n` }),
    );
    child.once("close", (code, signal) => {
      children.delete(child);
      resolve({ code: code ?? 128 + constants.signals[signal], said });
    });
  });
}

function give(why) {
  console.error(`mdmirror: ${why}`);
  for (const child of children) child.kill();
  process.exit(2);
}
