// Makes a checkout ready, on any Node from 20 on, then runs the script that it is given, with the
// right Node: `node scripts/setup.mjs [--run] [SCRIPT [ARGUMENT]…]`.
// Installs what the lock file names: with `--run` what running needs, else all. What is there
// already stays; when all is there, npm is not asked.
import { spawn, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const root = `${realpathSync(fileURLToPath(new URL("..", import.meta.url)))}/`;
const rightNode = `${root}node_modules/.bin/node`;
/** What npm writes when it has ended: each package that is there, as the lock file names it. */
const recordFile = `${root}node_modules/.package-lock.json`;
/** Where Node waits, as long as npm works in node_modules. */
const waiting = `${root}.setup/`;
const waitingNode = `${waiting}node`;
const locked = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")).packages;
const nodeVersion = locked["node_modules/node"].version;
// No package's script is run: npm would compile better-sqlite3, which ships its binaries, and a new
// machine has no compiler. The engines warnings are about the Node that runs npm.
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const children = new Set();
// Ctrl-C reaches the children by itself, and they end in their own time; the others reach this
// process alone.
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

/** Whether what is wanted (`run`, `all`) is in node_modules, whoever has put it there. */
function isInstalled(what) {
  const there = readRecord();
  return Object.entries(locked).every(([place, { dev, optional, version, integrity }]) => {
    if (place === "" || (dev === true && what === "run")) return true;
    const found = there[place];
    // What is for another system is not installed.
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

/** Whether this machine's Node could do it, where npm has none for its system. */
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
  // ORDER: before npm may take away the one that is there.
  const kept = keepNode();
  // Both take seconds, and neither needs the other.
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
  // What running needs stays where it is: somebody may be running it.
  const adds = wanted === "all" && isInstalled("run");
  const args = adds
    ? ["install", "--no-save", "--include=dev"]
    : ["ci", wanted === "run" ? "--omit=dev" : "--include=dev"];
  // ORDER: an installation that is cut off must leave no record, so that the next one begins again.
  rmSync(recordFile, { force: true });
  const code = await npm(...args);
  if (code !== 0) give(`"npm ${args[0]}" failed (exit ${code}); see its message above`);
}

/** @returns whether the right Node is there already; it waits to be placed */
function keepNode() {
  // Left by an installation that was cut off.
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
 * Takes Node's binary, and nothing else, from the package for this system. The script of the
 * package `node` installs the same one, with the headers that C++ addons are compiled with.
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

/** Puts Node where the script of the package `node` would have put it. */
function placeNode() {
  const home = `${root}node_modules/node/bin`;
  mkdirSync(home, { recursive: true });
  renameSync(waitingNode, `${home}/node`);
  mkdirSync(`${root}node_modules/.bin`, { recursive: true });
  rmSync(rightNode, { force: true });
  symlinkSync("../node/bin/node", rightNode);
  rmSync(waiting, { recursive: true });
}

/** @returns the exit code */
async function npm(...args) {
  const all = [...args, ...QUIET];
  // What npm has kept needs no word of the registry, since versions are exact; but what it has kept
  // of a package may be older than they are.
  const kept = await run("npm", [...all, "--prefer-offline"], ["ignore", "ignore", "pipe"]);
  if (kept.said.includes("code ETARGET")) return (await run("npm", all, ["ignore", "ignore", 2])).code;
  process.stderr.write(kept.said);
  return kept.code;
}

/** @returns the exit code, as a shell would tell it; what was said on a pipe */
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
