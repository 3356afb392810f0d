import { join } from "node:path";
import { isDatabaseFolder, makeAdminKey, readKey, writeOwnFile, WrongStoreError } from "./data-files.ts";
import { findHolder, hashKey } from "./requests/authenticate.ts";
import { Service } from "./service.ts";
import type { Settings } from "./store/rows.ts";
import { startUpkeep } from "./upkeep.ts";
import { makeFolders } from "../common/make-folders.ts";
import { makeRandomSource } from "../common/random.ts";

export type OpenDataOptions = {
  /** `resolve`: refuses new content with broken links. `any` (default): accepts all links. */
  readonly links?: "any" | "resolve";
  /** Settings that replace the settings stored in the data folder. */
  readonly settings?: Partial<Settings>;
  /** Base URL for the `type` of a problem: `{docs_base}` in the contract. */
  readonly docsBase?: string | undefined;
  readonly onFault?: (error: unknown, requestId: string) => void;
  /** Milliseconds to wait until another process closes the folder. Default 2,000. */
  readonly waitMs?: number;
};

export type OpenData<Key extends string | null = string> = {
  readonly service: Service;
  /** Key with Full access to the first workspace; null if the data folder has no copy of it. */
  readonly key: Key;
  readonly keyFile: string;
  readonly adminKeyFile: string;
  /** Key for administration; null if this data folder has no copy of the key. */
  readonly adminKey: Key;
  close(): Promise<void>;
};

/**
 * Opens a data folder. Creates the database, a first workspace, and the files `key` and `admin-key`
 * (mode 0600), if they are missing. Replaces `key` if the database does not know that key, for
 * example because the database is new.
 * @throws OtherVersionError if another version of mdmirror wrote the database
 * @throws WrongStoreError if the documents are in PostgreSQL
 * @throws Error if another process has the folder open
 */
export async function openData(dir: string, options: OpenDataOptions = {}): Promise<OpenData> {
  if (isDatabaseFolder(dir)) throw new WrongStoreError("the documents of its service are in PostgreSQL");
  makeFolders(dir, 0o700);
  const adminKeyFile = join(dir, "admin-key");
  const keyFile = join(dir, "key");
  const { waitMs, settings, links, docsBase, onFault } = options;
  const random = makeRandomSource();
  // The SQLite store is loaded on demand, because a service on PostgreSQL does not need it.
  const { SqliteStore } = await import("./store/sqlite/store.ts");
  const location = { folder: dir, ...(waitMs === undefined ? {} : { waitMs }) };
  const store = new SqliteStore(location, { random, commits: "together" });
  try {
    // ORDER: the admin key is made only after the store has locked the folder. Otherwise a process
    // that is refused would create an admin key that the running service does not know.
    const adminKey = readKey(adminKeyFile) ?? makeAdminKey(adminKeyFile);
    const adminKeyHash = hashKey(adminKey);
    const service = new Service({ store, now: Date.now, random, adminKeyHash, links, docsBase, onFault });
    if (settings !== undefined) await service.admin.changeSettings(settings);
    const key = await findOrCreateKey(service, keyFile);
    return toOpenData({ service, key, keyFile, adminKeyFile, adminKey }, onFault);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Starts the periodic work of a service. Returns `data` with a `close` that ends the periodic work
 * first.
 * @param onClosed runs after the service has closed
 */
export function toOpenData<Key extends string | null>(
  data: Omit<OpenData<Key>, "close">,
  onFault: OpenDataOptions["onFault"],
  onClosed: () => void = () => undefined,
): OpenData<Key> {
  const { service } = data;
  const stopUpkeep = startUpkeep(service, onFault);
  const close = async () => {
    stopUpkeep();
    await service.close();
    onClosed();
  };
  return { ...data, close };
}

async function findOrCreateKey(service: Service, file: string): Promise<string> {
  const savedKey = readKey(file);
  const { server } = service.core;
  if (savedKey !== null && (await findHolder(server.store, hashKey(savedKey), server.now())) !== undefined)
    return savedKey;
  const [workspace] = await service.admin.workspaces();
  const grants = [{ on: null, level: "full" }] as const;
  const newKey =
    workspace === undefined
      ? await service.admin.createWorkspace("main")
      : await service.admin.createKey({ workspaceId: workspace.id, label: "owner", grants });
  // Creating a key fails only if the workspace of the key does not exist, and the workspace was
  // read just before.
  if (!("key" in newKey)) throw new Error(newKey.detail);
  writeOwnFile(file, newKey.key);
  return newKey.key;
}
