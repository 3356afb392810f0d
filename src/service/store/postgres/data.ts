import { existsSync } from "node:fs";
import { join } from "node:path";
import { hashKey } from "../../requests/authenticate.ts";
import { lockMarker, makeAdminKey, readKey, writeOwnFile, WrongStoreError } from "../../data-files.ts";
import { makeRandomSource } from "../../../common/random.ts";
import { type OpenData, type OpenDataOptions, toOpenData } from "../../data.ts";
import { Service } from "../../service.ts";
import { UnusableDatabaseError } from "./schema.ts";
import { PostgresStore } from "./store.ts";
import { makeFolders } from "../../../common/make-folders.ts";

/**
 * Opens a PostgreSQL database for the service of this process. The first process that uses a
 * database creates its tables, its admin key and its first key, and stores both keys in its data
 * folder. The operator can copy these keys into the data folders of later processes.
 * @throws UnusableDatabaseError, OtherVersionError; SQLITE_BUSY if another process has the folder
 * open; errors of `pg` if the database cannot be reached
 */
export async function openSharedData(
  dir: string,
  url: string,
  options: Omit<OpenDataOptions, "waitMs">,
): Promise<OpenData<string | null>> {
  if (existsSync(join(dir, "service.db"))) {
    throw new WrongStoreError(`${dir} holds the documents of a service on SQLite`);
  }
  makeFolders(dir, 0o700);
  const releaseLock = lockMarker(dir);
  const { settings, links, docsBase, onFault } = options;
  const random = makeRandomSource();
  const onBrokenConnection = (error: unknown) => onFault?.(error, "database");
  const adminKeyFile = join(dir, "admin-key");
  const keyFile = join(dir, "key");
  let openedStore: PostgresStore | null = null;
  try {
    const store = await PostgresStore.open({ url, random, onFault: onBrokenConnection });
    openedStore = store;
    const { service, key } = await store.runExclusively(async () => {
      const adminKeyHash = await readAdminKeyHash(store, adminKeyFile);
      const service = new Service({ store, now: Date.now, random, adminKeyHash, links, docsBase, onFault });
      return { service, key: await makeFirstKey(service, keyFile) };
    });
    if (settings !== undefined) await service.admin.changeSettings(settings);
    const data = { service, key, keyFile, adminKeyFile, adminKey: readKey(adminKeyFile) };
    return toOpenData(data, onFault, releaseLock);
  } catch (error) {
    await openedStore?.close();
    releaseLock();
    throw error;
  }
}

/**
 * Returns the hash of the admin key. The first process that uses the database sets the admin key:
 * the key in its data folder, or a new key. The data folders of later processes must not contain
 * another admin key.
 */
async function readAdminKeyHash(store: PostgresStore, file: string): Promise<Buffer> {
  const knownHash = await store.adminKeyHash();
  const savedKey = readKey(file);
  if (knownHash !== null) {
    if (savedKey === null || hashKey(savedKey).equals(knownHash)) return knownHash;
    throw new UnusableDatabaseError(`${file} is not the admin key of the database`, "other-key");
  }
  const hash = hashKey(savedKey ?? makeAdminKey(file));
  await store.setAdminKeyHash(hash);
  return hash;
}

/**
 * Creates the first key of the first workspace.
 * @returns null if another process created the key and this data folder has no copy of the key
 */
async function makeFirstKey(service: Service, file: string): Promise<string | null> {
  const ownKey = readKey(file);
  const [workspace] = await service.admin.workspaces();
  if (workspace !== undefined) return ownKey;
  const { key } = await service.admin.createWorkspace("main");
  writeOwnFile(file, key);
  return key;
}
