import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../contract/routes.ts";
import { combineByMerge } from "./combine.ts";
import type { Combine } from "./context.ts";
import { indexInSteps } from "./search-steps.ts";
import { createService, type Service } from "./service.ts";
import type { Settings } from "./rows.ts";
import { keepUp } from "./upkeep.ts";

type OpenDataOptions = {
  readonly combine?: Combine;
  readonly settings?: Partial<Settings>;
  /** {docs_base} of the problem types. */
  readonly docsBase?: string;
  readonly onFault?: (error: unknown, requestId: string) => void;
  /** Milliseconds to wait for another process that has it open (2,000). */
  readonly waitMs?: number;
};

/** An open data folder: the service, and where its two keys are. */
export type OpenData = {
  readonly service: Service;
  /** A key with Full access to the first workspace. */
  readonly key: string;
  readonly keyFile: string;
  readonly adminKeyFile: string;
  readonly adminKey: string;
  close(): Promise<void>;
};

/**
 * Opens a data folder, and makes what is missing: the database, a first workspace, `key` and
 * `admin-key` (mode 0600). A `key` that the database does not know (a new database, a lost file) is
 * replaced.
 * @throws when another process has it open
 */
export async function openData(dir: string, options: OpenDataOptions = {}): Promise<OpenData> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const adminKeyFile = join(dir, "admin-key");
  const keyFile = join(dir, "key");
  let adminKey = readKey(adminKeyFile);
  if (adminKey === null) {
    adminKey = `mdm_admin_${randomBytes(32).toString("base64url")}`;
    writeKey(adminKeyFile, adminKey);
  }
  const { waitMs, combine = combineByMerge, settings, ...more } = options;
  const random = pooledRandom();
  // Loaded here, so that a program with another store never loads SQLite.
  const { openSqlite } = await import("./sqlite/store.ts");
  const location = { folder: dir, ...(waitMs === undefined ? {} : { waitMs }) };
  const store = openSqlite(location, { random, searchCatchesUp: "a-step" });
  const service = createService({ ...more, store, combine, now: Date.now, random, adminKey });
  try {
    if (settings !== undefined) await service.admin.changeSettings(settings);
    const key = await usableKey(service, keyFile);
    const stopIndexing = indexInSteps(service, options.onFault);
    const stopUpkeep = keepUp(service, options.onFault);
    const close = () => {
      stopIndexing();
      stopUpkeep();
      return service.close();
    };
    return { service, key, keyFile, adminKeyFile, adminKey, close };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/**
 * Fetches random bytes of the system by the thousand: an id takes 20, and one call costs more than
 * making the id.
 */
function pooledRandom(): (bytes: number) => Uint8Array {
  const POOL_BYTES = 4_096;
  let pool = randomBytes(POOL_BYTES);
  return (bytes) => {
    if (bytes > pool.length) pool = randomBytes(Math.max(POOL_BYTES, bytes));
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

async function usableKey(service: Service, file: string): Promise<string> {
  const kept = readKey(file);
  if (kept !== null && (await knows(service, kept))) return kept;
  const [workspace] = await service.admin.workspaces();
  const grants = [{ on: null, level: "full" }] as const;
  const made =
    workspace === undefined
      ? await service.admin.createWorkspace("main")
      : await service.admin.createKey({ workspaceId: workspace.id, label: "owner", grants });
  // Cannot be refused: the workspace was read just before.
  if (!("key" in made)) throw new Error(made.detail);
  writeKey(file, made.key);
  return made.key;
}

async function knows(service: Service, key: string): Promise<boolean> {
  const headers = { "x-api-key": key };
  const { status } = await service.answer({ method: "GET", path: `${FILES}?limit=1`, headers, body: null });
  return status !== 401;
}

function readKey(file: string): string | null {
  try {
    const key = readFileSync(file, "utf8").trim();
    chmodSync(file, 0o600);
    return key === "" ? null : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes the whole key or nothing: a killed process leaves no half of it. */
function writeKey(file: string, key: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${key}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
