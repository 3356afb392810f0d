import { type Operation, type OperationName, OPERATIONS } from "../../contract/api/operations.ts";
import type { WireRequest } from "../../contract/wire.ts";
import { type Answer, isRefused, makeDone, refuse } from "./answer.ts";
import { type RateCheck, authenticate, findHolder, readSentHash, refuseKey } from "./authenticate.ts";
import { type BodyFault, decodeSegment, readInput } from "./input.ts";
import {
  type OperationCall,
  type ContinuedRequest,
  runDeletion,
  runRead,
  type ServerContext,
  type TransactionContext,
  runWrite,
} from "./context.ts";
import { createFile, deleteFile, listFiles, patchFile, putContent, readFile } from "../files/files.ts";
import { createFolder, deleteFolder, listFolders, patchFolder, readFolder } from "../files/folders.ts";
import { searchHybrid, searchRegex } from "../search/search.ts";

type RoutedOperation = Exclude<OperationName, "streamEvents">;

const HANDLERS: {
  readonly [Name in RoutedOperation]: (call: OperationCall<Name>) => Promise<Answer | ContinuedRequest>;
} = {
  listFiles,
  createFile,
  readFile,
  patchFile,
  deleteFile,
  putContent,
  listFolders,
  createFolder,
  readFolder,
  patchFolder,
  deleteFolder,
  searchHybrid,
  searchRegex,
  validateKey: async () => makeDone(200, { object: "api_key", valid: true }),
};

export function splitRequestTarget(target: string): { readonly path: string; readonly query: string } {
  const queryStart = target.indexOf("?");
  return queryStart < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, queryStart), query: target.slice(queryStart + 1) };
}

export type RequestFrame = {
  readonly fault: BodyFault | null;
  readonly admit: RateCheck;
  /** Returns true if the client has disconnected. Undefined if the transport does not know. */
  readonly isGone?: (() => boolean) | undefined;
};

/**
 * Answers a request in one transaction, which also looks up the key. A refusal rolls this
 * transaction back. A search continues after the transaction, so that other requests need not wait
 * for the search.
 * ASSUMES: an unknown path, and a method that a path does not have, are answered `404 not_found`
 * (contract test "answers not_found …").
 */
export async function routeRequest(
  server: ServerContext,
  request: WireRequest,
  { fault, admit, isGone = () => false }: RequestFrame,
): Promise<Answer> {
  const target = splitRequestTarget(request.path);
  const foundRoute = findOperation(request.method, target.path);
  const file = foundRoute?.value === "readFile" ? foundRoute.id : undefined;
  const answerInTransaction = async (transaction: TransactionContext): Promise<Answer | ContinuedRequest> => {
    const holder = await findHolder(transaction.tables, readSentHash(request.headers), server.now(), file);
    // A key is validated even if its workspace is closed or removed.
    const isValidation = foundRoute?.value === "validateKey";
    const context = isValidation ? refuseKey(holder, admit) : authenticate(transaction, holder, admit);
    if (isRefused(context)) return context;
    if (foundRoute === null) return refuse("not_found", "There is no such endpoint.");
    const { value: name, id } = foundRoute;
    const input = readInput(OPERATIONS[name], { id, query: target.query, body: { text: request.body, fault } });
    // The type cast is safe: each handler takes exactly what the schemas of its operation return.
    // The context is null only for `validateKey`, whose handler does not use it.
    return isRefused(input) ? input : HANDLERS[name]({ ...input, context } as never);
  };
  const run = foundRoute === null ? runRead : chooseTransaction(OPERATIONS[foundRoute.value]);
  const answer = await run(server, answerInTransaction);
  return answer.kind === "continues" ? answer.resume(server.store, server.turns.permitFor(isGone)) : answer;
}

function chooseTransaction({ method, reads }: Operation): typeof runRead {
  if (method === "GET" || reads === true) return runRead;
  return method === "DELETE" ? runDeletion : runWrite;
}

export function isAdminPath(path: string): boolean {
  return path === "/admin" || path.startsWith("/admin/");
}

/** Matches a path with at least three segments. Only the third segment can be an id. */
const PATH_WITH_ID = /^(\/[^/]*\/[^/]*\/)([^/]+)(.*)$/s;

type RoutePattern = { readonly method: string; readonly path: string };

/**
 * Returns a function that finds the route of a request. The function returns the value of the route
 * and the id in the path; null if there is no route.
 * @param routes routes with their values; the third segment of a path may be `{id}`
 */
export function makeRouteFinder<Value>(routes: readonly (readonly [Value, RoutePattern])[]) {
  const values = new Map(routes.map(([value, { method, path }]) => [`${method} ${path}`, value]));
  return (method: string, path: string): { readonly value: Value; readonly id: string } | null => {
    const exactValue = path.includes("{") ? undefined : values.get(`${method} ${path}`);
    if (exactValue !== undefined) return { value: exactValue, id: "" };
    const [, before, id = "", after] = PATH_WITH_ID.exec(path) ?? [];
    const value = values.get(`${method} ${before}{id}${after}`);
    return value === undefined ? null : { value, id: decodeSegment(id) };
  };
}

export const findOperation = makeRouteFinder(
  (Object.keys(HANDLERS) as RoutedOperation[]).map((name) => [name, OPERATIONS[name]]),
);
