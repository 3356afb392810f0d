import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { usualTmpdir } from "../memory-folder.ts";
import { Running } from "../program.ts";

/** The package as users have it: packed, and installed outside of the checkout. */

export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

export type Packed = {
  readonly tarball: string;
  /** Size of the tarball in bytes. */
  readonly size: number;
  /** Paths in the package, sorted. */
  readonly files: readonly string[];
};

export type Installed = {
  /**
   * How it was installed. `npm`: with its dependencies. `linked`: without the registry, so the
   * checkout's dependencies are linked.
   */
  readonly by: "npm" | "linked";
  /** Error output of npm. */
  readonly said: string;
  /** Folder of the installed package. */
  readonly folder: string;
  /** Path of the command that npm links. */
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  /** Temporary folder of everything that the tests create. */
  readonly dir: string;
};

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/**
 * Runs npm without the variables that `npm test` sets for its scripts, because they would change
 * what it does.
 */
function npm(cwd: string, ...args: string[]): Ended {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const path = `${join(CHECKOUT, "node_modules", ".bin")}:${process.env["PATH"]}`;
  const env = { ...Object.fromEntries(own), PATH: path, npm_config_update_notifier: "false" };
  const { status, stdout, stderr, error } = spawnSync("npm", args, { cwd, env, encoding: "utf8" });
  return { code: status, out: stdout ?? "", err: stderr ?? String(error) };
}

/** Creates a temporary folder on a disk, with a space in its path. */
export function makeDir(): string {
  const dir = join(mkdtempSync(join(usualTmpdir(), "mdmirror-package-")), "a b");
  mkdirSync(dir);
  return dir;
}

/**
 * Packs the checkout.
 * @throws with npm's error output
 */
export function pack(dir: string): Packed {
  const ended = npm(CHECKOUT, "pack", "--json", "--pack-destination", dir);
  if (ended.code !== 0) throw new Error(`npm pack: ${ended.err}`);
  // npm 11 prints a list; later versions print an object by package name.
  type Told = {
    readonly filename: string;
    readonly size: number;
    readonly files: readonly { readonly path: string }[];
  };
  const [facts] = Object.values(JSON.parse(ended.out) as Record<string, Told>);
  const files = facts!.files.map(({ path }) => path).sort();
  return { tarball: join(dir, facts!.filename), size: facts!.size, files };
}

/** Installs the package without running its scripts, so that no compiler is needed. */
export function install({ tarball }: Packed, dir: string): Installed {
  const prefix = join(dir, "prefix");
  const bin = join(dir, "bin");
  for (const folder of [prefix, bin, join(dir, "home")]) mkdirSync(folder);
  // Node is the only program on the PATH of the installed command.
  symlinkSync(process.execPath, join(bin, "node"));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const ended = npm(dir, "install", "-g", "--prefix", prefix, ...flags, "--fetch-retries=0", tarball);
  const by = ended.code === 0 ? "npm" : "linked";
  if (by === "linked") linkDependencies(prefix, tarball, ended.err);
  const folder = join(prefix, "lib", "node_modules", "mdmirror");
  const home = join(dir, "home");
  const env = { PATH: bin, HOME: home, XDG_RUNTIME_DIR: home, MDMIRROR_NOTIFY: "off" };
  return { by, said: ended.err, folder, command: join(prefix, "bin", "mdmirror"), env, dir };
}

const UNREACHED = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/;

/**
 * Makes the same files as npm would, from the tarball and the dependencies of the checkout.
 * @throws if npm failed for another reason than a missing network
 */
function linkDependencies(prefix: string, tarball: string, said: string): void {
  if (!UNREACHED.test(said)) throw new Error(`npm install: ${said}`);
  const modules = join(prefix, "lib", "node_modules");
  mkdirSync(join(prefix, "bin"), { recursive: true });
  mkdirSync(join(modules, "mdmirror"), { recursive: true });
  const unpacked = spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(modules, "mdmirror")]);
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  symlinkSync("../lib/node_modules/mdmirror/dist/cli/entry.mjs", join(prefix, "bin", "mdmirror"));
  for (const name of readdirSync(join(CHECKOUT, "node_modules")).filter((one) => !one.startsWith(".")))
    symlinkSync(join(CHECKOUT, "node_modules", name), join(modules, name));
}

/** Runs the installed command to its end. */
export function run({ command, env, dir }: Installed, ...args: string[]): Ended {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: dir, env, encoding: "utf8" });
  if (error !== undefined) throw error;
  return { code: status, out: stdout, err: stderr };
}

/** Starts the installed command. */
export function start({ command, env, dir }: Installed, ...args: string[]): Running {
  return new Running(spawn(command, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Returns a Node on this machine that is too old for mdmirror; null if there is none. */
export function findOldNode(): string | null {
  const places = new Set([...(process.env["PATH"] ?? "").split(":"), "/usr/bin", "/usr/local/bin"]);
  for (const place of places) {
    const node = join(place, "node");
    if (!existsSync(node)) continue;
    const major = Number(/^v(\d+)\./.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]);
    if (major < 22) return node;
  }
  return null;
}

export function manifest(): { readonly version: string; readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as ReturnType<typeof manifest>;
}
