import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { hashKey } from "../../src/service/requests/authenticate.ts";
import { isRefused } from "../../src/service/requests/answer.ts";
import type { Level, Settings } from "../../src/service/store/rows.ts";
import type { HttpService } from "../../src/service/http/server-state.ts";
import { type HttpOptions, type HttpServer, startHttp } from "../../src/service/http/server.ts";
import { Service, type ServiceOptions } from "../../src/service/service.ts";
import type { DatabaseLocation } from "../../src/service/store/sqlite/database.ts";
import { SqliteStore } from "../../src/service/store/sqlite/store.ts";
import { Api } from "../../src/conformance/world.ts";
import { emptyDatabase } from "../simulator/empty-service.ts";
import { rethrow } from "../simulator/quiet-ports.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Returns a function that draws bytes from a seed, so that a failure can be repeated. */
export function seeded(seed: string): (bytes: number) => Uint8Array {
  let n = 0;
  return (bytes) => createHash("shake256", { outputLength: bytes }).update(`${seed} ${n++}`).digest();
}

/** Opens a store of SQLite in memory, which is closed after the test. */
export function memoryStore(options: { readonly commits?: "together" } = {}): SqliteStore {
  const store = new SqliteStore(":memory:", { random: seeded("store"), ...options });
  onTestFinished(() => store.close());
  return store;
}

export const ADMIN_KEY = "mdm_admin_of-the-service-tests";

export type Opened = {
  readonly service: Service;
  readonly key: string;
  readonly workspaceId: string;
  readonly api: Api;
};

type OpenOptions = Partial<ServiceOptions> & {
  readonly database?: DatabaseLocation | undefined;
  readonly settings?: Partial<Settings>;
};

/** Opens a service in memory with a stopped clock. It throws each error that would become a 500. */
export async function openService({
  database = emptyDatabase(),
  settings,
  random = seeded("service"),
  store = new SqliteStore(database, { random, commits: "together" }),
  ...options
}: OpenOptions = {}): Promise<Opened> {
  const service = new Service({
    store,
    now: () => 0,
    random,
    adminKeyHash: hashKey(ADMIN_KEY),
    onFault: rethrow,
    ...options,
  });
  if (settings !== undefined) await service.admin.changeSettings(settings);
  const { key, workspaceId } = await service.admin.createWorkspace("main");
  return { service, key, workspaceId, api: new Api(service.handle, key) };
}

export type GrantOn = { readonly on: string | null; readonly level: Level };

/** Creates a key of a workspace. */
export async function makeKey(
  { service, workspaceId }: Pick<Opened, "service" | "workspaceId">,
  ...grants: readonly GrantOn[]
) {
  const made = await service.admin.createKey({ workspaceId, grants, label: "made" });
  return isRefused(made) ? expect.fail(made.detail) : made;
}

/** Returns the database of a service in memory, with which another service can continue. */
export function copyOf({ service }: Pick<Opened, "service">): Promise<Uint8Array> {
  return (service.core.server.store as SqliteStore).copy();
}

export type Served = Opened & { readonly server: HttpServer; readonly port: number };

/** Options of a service that a test runs like `mdmirror serve`. */
export const SERVE = { host: "127.0.0.1", port: 0, tls: null, insecureHttp: false, onFault: rethrow } as const;

/** Serves a service over HTTP until the test ends; by default a new one in memory. */
export async function serveHttp(served?: HttpService, options: HttpOptions = {}): Promise<Served> {
  const opened = await openService();
  const server = await startHttp(served ?? opened.service, options);
  onTestFinished(() => server.close());
  return { ...opened, server, port: Number(new URL(server.url).port) };
}

/** Creates a folder with these files, by path, that is removed after the test. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
