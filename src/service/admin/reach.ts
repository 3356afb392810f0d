import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "../../common/clock.ts";
import type { Wire } from "../../common/wire.ts";
import { isDatabaseFolder, lockMarker, readAddress, removeAddress } from "../data-files.ts";
import { openData } from "../data.ts";
import { ok, readErrorCode, refusal, type Result, toSystemTrouble, trouble } from "../../common/trouble.ts";
import { effectiveUser } from "../../common/ownership.ts";
import { explainDataError, isInUse } from "../data-trouble.ts";
import { type AdminSession, openSession } from "./session.ts";

/**
 * LIMIT: milliseconds to wait for one answer, and bytes in one answer. Both limits are high,
 * because a list may be long, and a review has three contents.
 */
const ANSWER_BOUNDS = { deadlineMs: 60_000, maxBytes: 64 * 1024 * 1024 } as const;
/** Milliseconds to wait until the data folder is closed, or until a service has started. */
const WAIT_MS = 3_000;
const PAUSE_MS = 50;

/** Checks a service's URL. Returns a connection, which sends nothing before its first use. */
export type OpenWire = (service: { readonly url: string; readonly allowHttp: readonly string[] }) => Result<Wire>;

export function reachByUrl({
  openWire,
  ...service
}: Omit<ReachedService, "keyHint"> & { readonly openWire: OpenWire }): Result<AdminSession> {
  const keyHint = "give the file of its admin key with --admin-key-file: it is in the data folder of the service";
  return connectOverWire({ ...service, keyHint }, openWire);
}

type ReachedService = Parameters<OpenWire>[0] & { readonly keyFile: string; readonly keyHint: string };

/**
 * Connects to the service that has the data folder open. If no service has the folder open, opens
 * the folder itself.
 */
export async function reachByFolder(
  dataFolder: string,
  { clock, openWire }: { readonly clock: Clock; readonly openWire: OpenWire },
): Promise<Result<AdminSession>> {
  if (isDatabaseFolder(dataFolder)) return reachSharedService(dataFolder, openWire);
  const owner = readOwner(dataFolder);
  if (owner.kind === "trouble") return owner;
  const userId = effectiveUser();
  const isOwnFolder = userId === null || userId === owner.value;
  const startedAt = clock.monotonic();
  for (;;) {
    const session = (isOwnFolder ? await openUnlessInUse(dataFolder) : null) ?? reachByAddress(dataFolder, openWire);
    if (session !== null) return session;
    if (!isOwnFolder) return refuseForeignFolder(dataFolder, owner.value);
    if (clock.monotonic() - startedAt > WAIT_MS) return refuseLocked(dataFolder);
    await clock.sleep(PAUSE_MS);
  }
}

/**
 * Returns true if a running service has locked the data folder. The address file does not show
 * whether a service runs, because a killed service leaves this file behind.
 */
function isLocked(dataFolder: string): boolean {
  try {
    lockMarker(dataFolder)();
    return false;
  } catch (error) {
    if (isInUse(error)) return true;
    throw error;
  }
}

/**
 * Connects to the running service of a data folder whose documents are in PostgreSQL. Without a
 * running service, a command has no access to such documents.
 */
function reachSharedService(dataFolder: string, openWire: OpenWire): Result<AdminSession> {
  const session = isLocked(dataFolder) ? reachByAddress(dataFolder, openWire) : null;
  if (session !== null) return session;
  const nextStep = "start it with mdmirror serve --database; or give --url URL --admin-key-file FILE of another one";
  return refusal(`no service is running on ${dataFolder}, but its documents are in PostgreSQL`, nextStep);
}

function refuseLocked(dataFolder: string): Result<never> {
  return trouble(
    "locked",
    `another process has ${dataFolder} open and cannot be reached from this process`,
    "run this again when it has finished; use --url and --admin-key-file for a service in a container or of an older mdmirror",
    { code: "SQLITE_BUSY" },
  );
}

/** Returns the user id of a folder's owner. Refuses a folder without `service.db`. */
function readOwner(dir: string): Result<number> {
  try {
    return ok(statSync(join(dir, "service.db")).uid);
  } catch (error) {
    const code = readErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      const nextStep =
        "give the folder that mdmirror serve --data has; --url URL --admin-key-file FILE for another machine";
      return refusal(`${dir} is not the data folder of a service: it has no service.db`, nextStep, code);
    }
    return toSystemTrouble(error, `${dir} cannot be read`, "run mdmirror as the user that the service runs as");
  }
}

/**
 * Opens the data folder; returns null if another process has locked the folder. The operating
 * system ends a lock with its process, so a killed service has no lock.
 */
async function openUnlessInUse(dataFolder: string): Promise<Result<AdminSession> | null> {
  try {
    const { service, adminKey, close } = await openData(dataFolder, { waitMs: 0 });
    // A killed service may have left its address in the folder.
    removeAddress(dataFolder);
    const target = `${dataFolder} (no service runs in this folder)`;
    const keyHint = `the admin key is in ${join(dataFolder, "admin-key")}`;
    const sendRequest = async (request: Parameters<typeof service.handle>[0]) => {
      return { kind: "answer", response: await service.handle(request) } as const;
    };
    return ok(openSession(sendRequest, adminKey, { where: target, keyHint, close }));
  } catch (error) {
    return isInUse(error) ? null : explainDataError(dataFolder, error);
  }
}

/**
 * Refuses the data folder of another user. If the current user created files in the folder, the
 * service of its owner could not open these files.
 */
function refuseForeignFolder(dataFolder: string, uid: number): Result<never> {
  return refusal(
    `${dataFolder} belongs to user ${uid}, and this process is user ${effectiveUser()}; no service is running on it`,
    "run mdmirror as that user, or start the service",
    "foreign-owner",
  );
}

/** Connects to the service whose address is in the folder; null if there is no address. */
function reachByAddress(dataFolder: string, openWire: OpenWire): Result<AdminSession> | null {
  let url: string | null;
  try {
    url = readAddress(dataFolder);
  } catch (error) {
    return toSystemTrouble(error, `${join(dataFolder, "address")} cannot be read`, "fix that", "fault");
  }
  if (url === null) return null;
  const keyFile = join(dataFolder, "admin-key");
  const keyHint = `${keyFile} is not the key of the running service: start the service again`;
  return connectOverWire({ url, keyFile, allowHttp: [], keyHint }, openWire);
}

function connectOverWire(service: ReachedService, openWire: OpenWire): Result<AdminSession> {
  const wire = openWire(service);
  if (wire.kind === "trouble") return wire;
  const key = readKeyFile(service.keyFile);
  if (key.kind === "trouble") return key;
  const session = openSession((request) => wire.value.send(request, ANSWER_BOUNDS), key.value, {
    where: service.url,
    keyHint: service.keyHint,
    close: () => wire.value.close(),
  });
  return ok(session);
}

function readKeyFile(file: string): Result<string> {
  try {
    return ok(readFileSync(resolve(file), "utf8").trim());
  } catch (error) {
    const nextStep = "run mdmirror as the user that the service runs as, or give the file with --admin-key-file";
    return toSystemTrouble(error, `the admin key ${file} cannot be read`, nextStep);
  }
}
