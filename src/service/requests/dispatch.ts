import type { BoundedMap } from "../../common/bounded-map.ts";
import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import { type Admin, authenticateAdmin, routeAdmin } from "../admin/admin.ts";
import { type Answer, isRefused, type Refused, refuse, toWire } from "./answer.ts";
import { type RateCheck, admitOnce, findHolder, findReader, refuseKey, readSentHash } from "./authenticate.ts";
import { type BodyFault, refuseRequest } from "./input.ts";
import { type ServerContext, newId } from "./context.ts";
import type { RateLimiter } from "./rate.ts";
import { type RequestFrame, findOperation, isAdminPath, routeRequest, splitRequestTarget } from "./router.ts";
import type { KeyHolder } from "../store/rows.ts";
import { isDiskFull, type Store, StoreBusyError } from "../store/store.ts";

export type ServiceCore = {
  readonly server: ServerContext;
  readonly admin: Admin;
  /** SHA-256 of the admin key; null if the service has no admin key. */
  readonly adminKeyHash: Buffer | null;
  readonly rates: RateLimiter;
  /** Cached holders, by the hash of their key. `readAt`: time from `performance.now()`. */
  readonly recent: BoundedMap<string, { readonly holder: KeyHolder; readonly readAt: number }>;
  readonly docsBase: string;
  readonly generation: string;
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly served: (mayHaveWritten: boolean) => void;
  /** False after the service has begun to close. Every request is then answered 503. */
  isOpen: boolean;
};

/** Returns a rate check that also records the time of each request as the last use of its key. */
export function makeRateCheck({ rates, server }: Pick<ServiceCore, "rates" | "server">): RateCheck {
  return (holder) => {
    server.uses.note(holder.key.seq, server.now());
    return rates.take(holder, 1);
  };
}

export type RequestHead = Omit<WireRequest, "body">;

export async function answerRequest(
  core: ServiceCore,
  request: WireRequest,
  fault: BodyFault | null,
  { admit, isGone }: Omit<RequestFrame, "fault">,
): Promise<WireResponse> {
  const frame = { fault, admit: admitOnce(admit), isGone };
  const answer = await answerOrFail(core, () => dispatch(core, request, frame));
  core.served(request.method !== "GET");
  return answer!;
}

/**
 * LIMIT: milliseconds for which the holder of a key is cached, so that changes of the key apply
 * soon. The cache saves a round trip to the database. The cached holder only decides whether a body
 * is read: the transaction of the request looks the key up again.
 */
const HOLDER_CACHE_MS = 1_000;

async function readCachedHolder({ server, recent }: ServiceCore, hash: Buffer): Promise<KeyHolder | undefined> {
  const name = hash.toString("latin1");
  const cachedHolder = recent.get(name);
  if (cachedHolder !== undefined && performance.now() - cachedHolder.readAt < HOLDER_CACHE_MS)
    return cachedHolder.holder;
  const holder = await server.store.holder(hash);
  if (holder !== undefined) recent.set(name, { holder, readAt: performance.now() });
  return holder;
}

/**
 * Checks a request by its headers, without counting it for the rate limit.
 * @param isAdminOnly true if only requests below `/admin` are admitted
 * @returns the refusal if the body need not be read; null if it must be read
 */
export function checkHead(
  core: ServiceCore,
  { method, path: target, headers }: RequestHead,
  isAdminOnly = false,
): Promise<WireResponse | null> {
  const { path } = splitRequestTarget(target);
  return answerOrFail(core, async () => {
    if (!core.isOpen) return refuseClosing();
    if (isAdminPath(path)) return authenticateAdmin(core.adminKeyHash, headers);
    if (isAdminOnly) return refuse("not_found", "There is no such endpoint.");
    const cachedHolders = { holder: (known: Buffer) => readCachedHolder(core, known) };
    const holder = await findHolder(cachedHolders, readSentHash(headers), core.server.now());
    const peek: RateCheck = (found) => core.rates.take(found, 0);
    const isValidation = findOperation(method, path)?.value === "validateKey";
    const reader = isValidation ? refuseKey(holder, peek) : findReader(holder, peek);
    return isRefused(reader) ? reader : null;
  });
}

/**
 * Runs `work` for a request. If `work` throws, the answer is 503 if the store is busy or the disk
 * is full, otherwise 500.
 * @param work returns the answer, or null if the request needs no answer yet
 */
export async function answerOrFail(
  { server, docsBase, generation, onFault }: ServiceCore,
  work: (requestId: string) => Promise<Answer | null>,
): Promise<WireResponse | null> {
  const requestId = newId(server, "req_");
  const answer = await work(requestId).catch((error: unknown) => {
    if (error instanceof StoreBusyError) return refuseBusy(error);
    onFault(error, requestId);
    if (isDiskFull(error)) return refuseFullDisk(server.store);
    return refuse("internal_error", "The service failed; inspect the live state before a retry.");
  });
  return answer === null ? null : toWire(answer, requestId, docsBase, generation);
}

/** Seconds after which a client may try again if the disk was full. */
export const DISK_FULL_RETRY_AFTER = "60";

/** Refuses a write that did not fit on the disk. */
function refuseFullDisk({ reserve }: Store): Refused {
  const mayDelete = reserve !== null && reserve.bytes() !== 0;
  const allowedSentence = mayDelete ? "Reading and deleting still work." : "Reading still works.";
  const detail = `The disk of the service is full: nothing was saved. ${allowedSentence}`;
  return refuse("service_unavailable", detail, [], { "retry-after": DISK_FULL_RETRY_AFTER });
}

async function dispatch(core: ServiceCore, request: WireRequest, frame: RequestFrame): Promise<Answer> {
  if (!core.isOpen) return refuseClosing();
  const refusal = refuseRequest(frame.fault);
  if (refusal !== null) return refusal;
  if (isAdminPath(splitRequestTarget(request.path).path)) return routeAdmin(core, request, frame.fault);
  return routeRequest(core.server, request, frame);
}

export function refuseClosing(): Refused {
  return refuse("service_unavailable", "The service is shutting down.", [], { "retry-after": "5" });
}

export function refuseBusy({ message, mayBeKept }: StoreBusyError): Refused {
  const advice = mayBeKept ? "inspect the live state before a retry" : "nothing was done";
  const detail = `${message}; ${advice}.`;
  return refuse("service_unavailable", detail, [], { "retry-after": "1" });
}
