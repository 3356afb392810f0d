import type { JsonObject } from "../../contract/json.ts";
import type { DirId } from "../../contract/ids.ts";
import type { FolderResource, Selector } from "../../contract/resources.ts";
import { FOLDERS, folderRoute } from "../../contract/routes.ts";
import type { Answer, Fault, Listing } from "../ports/remote.ts";
import { isBelow, type RemotePath } from "../../contract/path.ts";
import { toFault } from "./fault.ts";
import type { ApiCall, ApiFailure } from "./reply.ts";
import { createAtPath, learnFromPatch, type PatchBody } from "./learn.ts";
import { listAll, type ListTotals, createListTotals } from "./listing.ts";
import { failedAnswer, type CallContext, isCreatedAt, failAsUnusable } from "./reads.ts";
import { readFolder, readFolderId } from "./shapes.ts";
import type { TraitLearner } from "./traits.ts";

const ROOTS_AT_ONCE = 8;

export async function listFolders(context: CallContext, prefix: RemotePath | null): Promise<Listing<FolderResource>> {
  if (prefix !== null) {
    const below = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: prefix });
    return { ...below, items: below.items.filter((folder) => isBelow(folder.path, prefix)) };
  }
  if (context.traits.current().folderTree === "no") return listBelowRoots(context);
  const wholeList = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: "" });
  const { folderTree } = context.traits.current();
  if (wholeList.complete && (wholeList.items.length > 0 || folderTree === "yes")) {
    context.traits.learn({ folderTree: "yes" });
    return wholeList;
  }
  if (!wholeList.complete && (folderTree === "yes" || !isRefused(wholeList.fault))) return wholeList;
  // The service does not return all folders in one list. Either it refused the request, or the list
  // is empty: perhaps the service looked for a folder with the name "/".
  const belowRoots = await listBelowRoots(context);
  if (!wholeList.complete || belowRoots.items.length > 0) context.traits.learn({ folderTree: "no" });
  return belowRoots;
}

function isRefused(fault: Fault | null): boolean {
  return fault?.kind === "problem" && (fault.status === 400 || fault.status === 404 || fault.status === 409);
}

async function listBelowRoots(context: CallContext): Promise<Listing<FolderResource>> {
  // All lists share one limit, because memory contains the folders of all lists at the same time.
  const spent = createListTotals();
  const roots = await listFoldersBy(context, { kind: "none" }, spent);
  const listsBelow: Listing<FolderResource>[] = [];
  const remainingRoots = roots.items.entries();
  // At most `ROOTS_AT_ONCE` lists are read at the same time. This limits the number of large pages
  // in memory. It also makes `spent` include the lists that were read before.
  const listSome = async (): Promise<void> => {
    for (const [index, root] of remainingRoots)
      listsBelow[index] = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: root.path }, spent);
  };
  await Promise.all(Array.from({ length: ROOTS_AT_ONCE }, listSome));
  const allLists = [roots, ...listsBelow];
  const byId = new Map(allLists.flatMap((listing) => listing.items).map((folder) => [folder.id, folder]));
  return {
    items: [...byId.values()],
    complete: allLists.every((listing) => listing.complete),
    fault: allLists.find((listing) => listing.fault !== null)?.fault ?? null,
  };
}

export async function findFolder(context: CallContext, path: RemotePath): Promise<Answer<FolderResource | null>> {
  const listing = await listFoldersBy(context, { kind: "path", path });
  const foundFolder = listing.items.find((folder) => folder.path === path);
  if (foundFolder !== undefined) return { ok: true, value: foundFolder, requestId: null };
  return listing.fault === null ? { ok: true, value: null, requestId: null } : failedAnswer(listing.fault);
}

/**
 * Returns the folders that the service finds at a path. Their paths may have a different spelling
 * than `path`. Returns an empty list if the request fails.
 */
export async function listFoldersAt(context: CallContext, path: RemotePath): Promise<readonly FolderResource[]> {
  return (await listFoldersBy(context, { kind: "path", path })).items;
}

function listFoldersBy(context: CallContext, selector: Selector, spent?: ListTotals): Promise<Listing<FolderResource>> {
  return listAll({ ...context, route: FOLDERS, selector, read: readFolder, ...(spent === undefined ? {} : { spent }) });
}

const OTHER_FOLDER_MESSAGE = "the service answered with another folder";

export async function createFolder(context: CallContext, path: RemotePath): Promise<Answer<FolderResource>> {
  const { call, reply } = await createAtPath(context, FOLDERS, path, "folder", {});
  if (reply.kind !== "success") return failedAnswer(toFault(call, reply));
  const folder = readFolder(reply.value);
  const id = readFolderId(reply.value);
  if (id === null) return failAsUnusable(call, reply, "the new folder has no id of the form dir_…");
  if (folder.ok) context.traits.learnFromPath(folder.value.wirePath);
  // The API promises only the id of the new folder. If the answer has no path, the folder has the
  // path that was sent.
  const value = folder.ok ? folder.value.resource : { id, path };
  if (!isCreatedAt(path, value.path)) return failAsUnusable(call, reply, OTHER_FOLDER_MESSAGE);
  return { ok: true, value, requestId: reply.requestId };
}

export async function patchFolder(context: CallContext, id: DirId, patch: PatchBody): Promise<Answer<FolderResource>> {
  return learnFromPatch(context, patch, "folder", await sendPatch(context, id, patch));
}

async function sendPatch(context: CallContext, id: DirId, body: JsonObject): Promise<Answer<FolderResource>> {
  const { traits, caller } = context;
  const call: ApiCall = { method: "PATCH", path: folderRoute(id), body, accept: [200], size: "item" };
  const reply = await caller.call(call);
  if (reply.kind !== "success") return handleRefusedChange(traits, "folderPatch", call, reply);
  traits.learn({ folderPatch: "yes" });
  const folder = readFolder(reply.value);
  if (!folder.ok)
    return failAsUnusable(call, reply, `mdmirror does not understand the answer about the folder: ${folder.why}`);
  if (folder.value.resource.id !== id) return failAsUnusable(call, reply, OTHER_FOLDER_MESSAGE);
  traits.learnFromPath(folder.value.wirePath);
  return { ok: true, value: folder.value.resource, requestId: reply.requestId };
}

export async function deleteFolder(context: CallContext, id: DirId): Promise<Answer<null>> {
  const { traits, caller } = context;
  const call: ApiCall = { method: "DELETE", path: folderRoute(id), body: null, accept: [200, 204], size: "item" };
  const reply = await caller.call(call);
  if (reply.kind !== "success") return handleRefusedChange(traits, "folderDelete", call, reply);
  traits.learn({ folderDelete: "yes" });
  return { ok: true, value: null, requestId: reply.requestId };
}

function handleRefusedChange(
  traits: TraitLearner,
  trait: "folderPatch" | "folderDelete",
  call: ApiCall,
  reply: ApiFailure,
) {
  const missing = findMissingRoute(reply, traits.current()[trait]);
  if (missing !== null) traits.learn({ [trait]: "no" });
  return failedAnswer(missing ?? toFault(call, reply));
}

/**
 * Returns the fault for a service that cannot change or delete folders: these routes are no part of
 * the API. Such a service answers 405 or 501, or a 404 that does not mean that the folder is
 * missing.
 * @param known `yes` if the route worked before; a 404 then means that the folder is missing
 * @returns null if the call failed for another reason than a missing route
 */
function findMissingRoute(reply: ApiFailure, known: "unknown" | "yes" | "no"): Fault | null {
  if (reply.kind !== "problem" && reply.kind !== "unreadable") return null;
  const { status, requestId } = reply;
  const code = reply.kind === "problem" ? reply.code : `status_${status}`;
  const notFound = status === 404 && known !== "yes" && code !== "folder_not_found" && code !== "workspace_not_found";
  if (status !== 405 && status !== 501 && !notFound) return null;
  const detail = "this service cannot change folders";
  return { kind: "problem", status, code, detail, requestId, pointers: [] };
}
