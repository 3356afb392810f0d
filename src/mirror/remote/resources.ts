/**
 * Reads, creates, changes and deletes documents and folders on the service, and checks the answers.
 * Repeats a write only if the request certainly was not sent. Learns properties of the service from
 * answers.
 */
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import { isBelow, type LocalPath, pathKey, type RemotePath } from "../../contract/path.ts";
import {
  contentRoute,
  type FileResource,
  fileRoute,
  FILES,
  type FileWithContent,
  type FolderResource,
  folderRoute,
  FOLDERS,
  type Selector,
} from "../../contract/resources.ts";
import type { Answer, Fault, Listing, PutResult, WrittenFile } from "../ports/remote.ts";
import { type ApiCaller, createMisreadFault, toFault } from "./retry.ts";
import type { ApiCall, ApiFailure, ApiReply } from "./reply.ts";
import {
  type ListedItem,
  type ParseResult,
  readEdit,
  readFile,
  readFileId,
  readFileWithContent,
  readFolder,
  readFolderId,
  readReview,
} from "./shapes.ts";
import type { TraitLearner } from "./traits.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { NameKind } from "../../contract/names.ts";
import { createListTotals, listAll, type ListTotals } from "./listing.ts";

export type CallContext = { readonly caller: ApiCaller; readonly traits: TraitLearner };

type AnsweredRequest = { readonly requestId: string | null };

function makeFailedAnswer(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}

function makeMisreadAnswer(call: ApiCall, { requestId }: AnsweredRequest, why: string) {
  return makeFailedAnswer(createMisreadFault(call, why, requestId));
}

function makeOtherItemAnswer(call: ApiCall, reply: AnsweredRequest, kind: NameKind) {
  return makeMisreadAnswer(call, reply, `the service answered with another ${kind}`);
}

/**
 * Returns true if the service created the document at the requested path. The spelling may differ,
 * because a service may use the spelling of an existing folder.
 */
function isCreatedAt(path: RemotePath, answered: RemotePath): boolean {
  const [sent, saved] = [path, answered].map((one) => pathKey(one as string as LocalPath, FOLD_EVERYTHING));
  return sent === saved;
}

const FOLD_EVERYTHING = { foldsCase: true, foldsUnicode: true };

export async function getFile(context: CallContext, id: DocId): Promise<Answer<FileWithContent>> {
  const call: ApiCall = { method: "GET", path: fileRoute(id), body: null, accept: [200], size: "item" };
  return readItemReply(context, call, await context.caller.call(call), "file", readFileWithContent, id);
}

/**
 * Reads the document or folder in a reply.
 * @param id id that the document or folder must have; null for a new document
 */
function readItemReply<Item extends FileResource | FolderResource>(
  { traits }: CallContext,
  call: ApiCall,
  reply: ApiReply,
  kind: NameKind,
  read: (value: unknown) => ParseResult<ListedItem<Item>>,
  id: Item["id"] | null,
): Answer<Item> {
  if (reply.kind !== "success") return makeFailedAnswer(toFault(call, reply));
  const item = read(reply.value);
  if (!item.ok)
    return makeMisreadAnswer(call, reply, `mdmirror does not understand the answer about the ${kind}: ${item.why}`);
  if (id !== null && item.value.resource.id !== id) return makeOtherItemAnswer(call, reply, kind);
  traits.learnFromPath(item.value.wirePath);
  return { ok: true, value: item.value.resource, requestId: reply.requestId };
}

/**
 * Creates a document or folder by its path. Some services write paths with a leading slash, some
 * without. mdmirror learns the form from the first path in an answer. Before that, mdmirror sends a
 * refused path once more in the other form.
 * @param otherFields members of the request body besides the path
 * @returns the last request and its reply
 */
async function createAtPath(
  { caller, traits }: CallContext,
  route: string,
  path: RemotePath,
  kind: NameKind,
  otherFields: JsonObject,
): Promise<{ readonly call: ApiCall; readonly reply: ApiReply }> {
  const send = async (spelled: string) => {
    const body = { path: spelled, ...otherFields };
    const call: ApiCall = { method: "POST", path: route, body, accept: [200, 201], size: "item" };
    const reply = await caller.call(call);
    return { call, reply, isRefused: reply.kind !== "success" && isRefusalOf("/path", toFault(call, reply)) };
  };
  let attempt = await send(traits.inServiceForm(path));
  if (attempt.isRefused && !traits.slashIsKnown()) {
    const otherForm = traits.current().leadingSlash ? path : `/${path}`;
    attempt = await send(otherForm);
    if (attempt.reply.kind === "success") traits.learnFromPath(otherForm);
  }
  if (attempt.isRefused) traits.learnFromRefusal(path, kind);
  return attempt;
}

function isRefusalOf(pointer: "/path" | "/name", fault: Fault): boolean {
  return fault.kind === "problem" && fault.code === "invalid_request" && fault.pointers.includes(pointer);
}

/** Body of a PATCH, with one field. A `parentId` of null moves the item to the root. */
type PatchBody = { readonly name: string } | { readonly parentId: DirId | null } | { readonly protected: boolean };

function learnFromPatch<T extends { readonly path: RemotePath }>(
  { traits }: CallContext,
  patch: PatchBody,
  kind: NameKind,
  answer: Answer<T>,
): Answer<T> {
  if ("name" in patch && !answer.ok && isRefusalOf("/name", answer.fault)) traits.learnFromRefusal(patch.name, kind);
  if ("parentId" in patch && patch.parentId === null) learnFromRootMove(traits, answer);
  return answer;
}

/**
 * Learns whether the service accepts `parentId: null`. Some services refuse or ignore this value.
 */
function learnFromRootMove(traits: TraitLearner, answer: Answer<{ readonly path: RemotePath }>): void {
  if (answer.ok) traits.learn({ moveToRoot: answer.value.path.includes("/") ? "no" : "yes" });
  else if (answer.fault.kind === "problem" && answer.fault.status === 400) traits.learn({ moveToRoot: "no" });
}

export async function createFile(
  context: CallContext,
  path: RemotePath,
  content: string,
): Promise<Answer<WrittenFile>> {
  const { call, reply } = await createAtPath(context, FILES, path, "file", { content });
  const createdFile = readItemReply(context, call, reply, "file", readFile, null);
  const id = createdFile.ok || reply.kind !== "success" ? null : readFileId(reply.value);
  // If the answer to the POST lacks fields, mdmirror reads the new document. If the GET fails, the
  // result is the fault of the POST.
  const currentFile = id === null ? createdFile : await getFile(context, id);
  if (!currentFile.ok) return createdFile;
  return isCreatedAt(path, currentFile.value.path) ? currentFile : makeOtherItemAnswer(call, currentFile, "file");
}

export async function putContent(
  context: CallContext,
  id: DocId,
  baseChangeId: ChangeId,
  content: string,
): Promise<Answer<PutResult>> {
  const call: ApiCall = {
    method: "PUT",
    path: contentRoute(id),
    body: { baseChangeId, content },
    accept: [200, 202],
    size: "item",
  };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") {
    if (reply.kind === "problem" && reply.code === "edit_conflict") context.traits.learn({ conflicts: "refused" });
    return makeFailedAnswer(toFault(call, reply));
  }
  if (reply.status === 202) {
    const review = readReview(reply.value);
    if (review.reason === "conflict") context.traits.learn({ conflicts: "reviewed" });
    return { ok: true, value: { kind: "in-review", ...review }, requestId: reply.requestId };
  }
  const file = readEdit(reply.value);
  if (!file.ok) return makeMisreadAnswer(call, reply, file.why);
  if (file.value.id !== null && file.value.id !== id) return makeOtherItemAnswer(call, reply, "file");
  if (file.value.wirePath !== null) context.traits.learnFromPath(file.value.wirePath);
  const { lastChangeId: changeId, content: saved } = file.value;
  return { ok: true, value: { kind: "live", changeId, content: saved }, requestId: reply.requestId };
}

export async function patchFile(context: CallContext, id: DocId, patch: PatchBody): Promise<Answer<FileResource>> {
  const call: ApiCall = { method: "PATCH", path: fileRoute(id), body: patch, accept: [200], size: "item" };
  const answer = readItemReply(context, call, await context.caller.call(call), "file", readFile, id);
  return learnFromPatch(context, patch, "file", answer);
}

export async function deleteFile(context: CallContext, id: DocId): Promise<Answer<null>> {
  const call: ApiCall = { method: "DELETE", path: fileRoute(id), body: null, accept: [200, 204], size: "item" };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") return makeFailedAnswer(toFault(call, reply));
  return { ok: true, value: null, requestId: reply.requestId };
}

const ROOTS_AT_ONCE = 8;

export async function listFolders(context: CallContext, prefix: RemotePath | null): Promise<Listing<FolderResource>> {
  if (prefix !== null) {
    const folderList = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: prefix });
    return { ...folderList, items: folderList.items.filter((folder) => isBelow(folder.path, prefix)) };
  }
  if (context.traits.current().folderTree === "no") return listBelowRoots(context);
  const wholeList = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: "" });
  const { folderTree } = context.traits.current();
  if (wholeList.complete && (wholeList.items.length > 0 || folderTree === "yes")) {
    context.traits.learn({ folderTree: "yes" });
    return wholeList;
  }
  if (!wholeList.complete && (folderTree === "yes" || !isRefused(wholeList.fault))) return wholeList;
  // The service does not return all folders in one list: it refused the request, or the list is
  // empty. An empty list may mean that the service looked for a folder with the name "/".
  const belowRoots = await listBelowRoots(context);
  if (!wholeList.complete || belowRoots.items.length > 0) context.traits.learn({ folderTree: "no" });
  return belowRoots;
}

function isRefused(fault: Fault | null): boolean {
  return fault?.kind === "problem" && (fault.status === 400 || fault.status === 404 || fault.status === 409);
}

async function listBelowRoots(context: CallContext): Promise<Listing<FolderResource>> {
  // All lists share one limit, because memory contains the folders of all lists at the same time.
  const totals = createListTotals();
  const roots = await listFoldersBy(context, { kind: "none" }, totals);
  const listsBelow: Listing<FolderResource>[] = [];
  const remainingRoots = roots.items.entries();
  // LIMIT: at most `ROOTS_AT_ONCE` lists are read at the same time, so that memory contains few
  // large pages. Each list then starts with the `spent` of all earlier lists.
  const listSome = async (): Promise<void> => {
    for (const [index, root] of remainingRoots)
      listsBelow[index] = await listFoldersBy(context, { kind: "path-prefix", pathPrefix: root.path }, totals);
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
  return listing.fault === null ? { ok: true, value: null, requestId: null } : makeFailedAnswer(listing.fault);
}

/**
 * Returns the folders that the service finds at a path, perhaps with another spelling of the path.
 * Returns an empty list if the request fails.
 */
export async function listFoldersAt(context: CallContext, path: RemotePath): Promise<readonly FolderResource[]> {
  return (await listFoldersBy(context, { kind: "path", path })).items;
}

function listFoldersBy(context: CallContext, selector: Selector, spent?: ListTotals): Promise<Listing<FolderResource>> {
  return listAll({ ...context, route: FOLDERS, selector, read: readFolder, ...(spent === undefined ? {} : { spent }) });
}

export async function createFolder(context: CallContext, path: RemotePath): Promise<Answer<FolderResource>> {
  const { call, reply } = await createAtPath(context, FOLDERS, path, "folder", {});
  if (reply.kind !== "success") return makeFailedAnswer(toFault(call, reply));
  const folder = readFolder(reply.value);
  const id = readFolderId(reply.value);
  if (id === null) return makeMisreadAnswer(call, reply, "the new folder has no id of the form dir_…");
  if (folder.ok) context.traits.learnFromPath(folder.value.wirePath);
  // The API promises only the id of the new folder. If the answer has no path, the folder has the
  // sent path.
  const value = folder.ok ? folder.value.resource : { id, path };
  if (!isCreatedAt(path, value.path)) return makeOtherItemAnswer(call, reply, "folder");
  return { ok: true, value, requestId: reply.requestId };
}

export async function patchFolder(context: CallContext, id: DirId, patch: PatchBody): Promise<Answer<FolderResource>> {
  const call: ApiCall = { method: "PATCH", path: folderRoute(id), body: patch, accept: [200], size: "item" };
  const reply = await callForFolder(context, "folderPatch", call);
  const answer = "fault" in reply ? reply : readItemReply(context, call, reply, "folder", readFolder, id);
  return learnFromPatch(context, patch, "folder", answer);
}

export async function deleteFolder(context: CallContext, id: DirId): Promise<Answer<null>> {
  const call: ApiCall = { method: "DELETE", path: folderRoute(id), body: null, accept: [200, 204], size: "item" };
  const reply = await callForFolder(context, "folderDelete", call);
  return "fault" in reply ? reply : { ok: true, value: null, requestId: reply.requestId };
}

/** Sends a change of a folder, and learns whether the service can make such changes. */
async function callForFolder({ traits, caller }: CallContext, trait: "folderPatch" | "folderDelete", call: ApiCall) {
  const reply = await caller.call(call);
  if (reply.kind === "success") {
    traits.learn({ [trait]: "yes" });
    return reply;
  }
  const missingRouteFault = findMissingRoute(reply, traits.current()[trait]);
  if (missingRouteFault !== null) traits.learn({ [trait]: "no" });
  return makeFailedAnswer(missingRouteFault ?? toFault(call, reply));
}

/**
 * Returns the fault of a service that lacks the routes to change or delete folders. Such a service
 * answers 405 or 501, or a 404 that does not mean that the folder is missing.
 * @param known `yes` if the route worked before; a 404 then means that the folder is missing
 * @returns null if the call failed for another reason than a missing route
 */
function findMissingRoute(reply: ApiFailure, known: "unknown" | "yes" | "no"): Fault | null {
  if (reply.kind !== "problem" && reply.kind !== "unreadable") return null;
  const { status, requestId } = reply;
  const code = reply.kind === "problem" ? reply.code : `status_${status}`;
  const isRouteMissing =
    status === 404 && known !== "yes" && code !== "folder_not_found" && code !== "workspace_not_found";
  if (status !== 405 && status !== 501 && !isRouteMissing) return null;
  const detail = "this service cannot change folders";
  return { kind: "problem", status, code, detail, requestId, pointers: [] };
}
