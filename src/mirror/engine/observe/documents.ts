/** Lists the documents of the service, and proves the absence of known documents. */
import type { DocId } from "../../../contract/ids.ts";
import type { FileResource, FileWithContent } from "../../../contract/resources.ts";
import type { Answer, Fault, Listing } from "../../ports/remote.ts";
import type { RecordColumns } from "../../model/left-out.ts";
import type { BaseTree, RemoteFile } from "../../model/tree.ts";
import { fromServicePath, type World } from "../run/world.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";

/** Documents of the linked part of the workspace, with paths relative to that part. */
export type DocumentList = Pick<Listing<FileResource>, "complete" | "fault"> & {
  /** Listed documents. Leaves out documents that match their records in `columns`. */
  readonly files: Map<DocId, RemoteFile>;
  readonly isEmpty: boolean;
};

/** @param columns receives the documents that match their records */
export async function listDocuments(world: World, columns?: RecordColumns): Promise<DocumentList> {
  const { remote, prefix, progress } = world;
  const earlierFiles = new Map<DocId, RemoteFile>();
  const files = new Map<DocId, RemoteFile>();
  const outsideIds = new Set<DocId>();
  let count = 0;
  const receive = (item: FileResource): boolean => {
    const file = toRemoteFile(world, item);
    const result = file === null ? "left" : (columns?.markListed(file) ?? "left");
    const wasListed = files.delete(item.id) || outsideIds.delete(item.id) || result === "again";
    if (file === null) outsideIds.add(item.id);
    else if (result === "left") files.set(item.id, file);
    return !wasListed;
  };
  const beginAttempt = () => {
    for (const [id, file] of files) earlierFiles.set(id, file);
    files.clear();
    outsideIds.clear();
    columns?.beginList();
  };
  const { complete, fault } = await remote.listFiles(
    prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix },
    (seen) => {
      count = seen;
      progress.report("list", seen, null);
    },
    { begin: beginAttempt, receive },
  );
  // Without a complete attempt, the result includes the documents of earlier attempts.
  return { files: complete ? files : new Map([...earlierFiles, ...files]), complete, fault, isEmpty: count === 0 };
}

export function toRemoteFiles(world: World, { items }: Listing<FileResource>): Map<DocId, RemoteFile> {
  const files = items.map((item) => toRemoteFile(world, item)).filter((file) => file !== null);
  return new Map(files.map((file) => [file.id, file]));
}

/** Returns a document with its path in the linked folder; null if the document is outside. */
export function toRemoteFile(
  world: World,
  { id, path: fullPath, lastChangeId: changeId, protected: isProtected }: FileResource,
): RemoteFile | null {
  const path = fromServicePath(world, fullPath);
  return path === null || path === "" ? null : { id, path, changeId, protected: isProtected };
}

/**
 * LIMIT: number of documents outside the linked folder that are read to check the key, because each
 * read is a request.
 */
const MAX_OUTSIDE_CHECKS = 5;
const NO_DOCUMENT_VISIBLE = "none of the synced documents is visible with this key, so mdmirror deletes nothing";

/** Returns true if no request can succeed: no connection, a closed service, or a refused key. */
export function isWholeServiceFault(fault: Fault): boolean {
  return fault.kind === "locked-out" || (fault.kind === "later" && fault.cause !== "malformed");
}

export type AbsenceProof = {
  readonly gone: Set<DocId>;
  readonly outside: Set<DocId>;
  readonly unseen: Map<DocId, string>;
  readonly fault: Fault | null;
  /** True if the service returned no document and no folder of base. */
  readonly nothingKnown: boolean;
};

type UnlistedDocuments = {
  readonly missing: readonly DocId[];
  /** Documents outside the linked folder according to base. A listing need not contain them. */
  readonly outside: ReadonlySet<DocId>;
};

export function findUnlisted(base: BaseTree, seen: ReadonlyMap<DocId, RemoteFile>): UnlistedDocuments {
  const missingIds: DocId[] = [];
  const outsideIds = new Set<DocId>();
  for (const { id, state } of base.records.values()) {
    if (seen.has(id)) continue;
    if (state === "outside") outsideIds.add(id);
    else missingIds.push(id);
  }
  return { missing: missingIds, outside: outsideIds };
}

export function makeEmptyProof({ missing, outside }: UnlistedDocuments, fault: Fault | null): AbsenceProof {
  const why = fault?.detail ?? "the service's list of documents was not complete";
  const unseenDocuments = new Map(missing.map((id) => [id, why]));
  return { gone: new Set(), outside: new Set(outside), unseen: unseenDocuments, fault: null, nothingKnown: false };
}

/** Input of a proof of absence. `seen`: documents that the scan has found so far. */
type ProofInput = {
  readonly base: BaseTree;
  readonly seen: Map<DocId, RemoteFile>;
  readonly keep?: StoreRemoteContent | undefined;
};

/** @param path path by which users find the content */
export type StoreRemoteContent = (digest: Digest, text: string, path: LocalPath, id: DocId) => void;

/**
 * Proves absences: reads by id each known document that the listing does not contain. Adds
 * documents that exist after all to `seen`. A 404 is a proof only if the key works: the service
 * returned a document or a folder of base in this run. Otherwise a wrong workspace would look like
 * a workspace with deleted documents.
 * @param isKnownToWork true if a listed folder of base shows that the key works, or if the user
 * approved that no document is visible
 */
export async function proveAbsences(
  world: World,
  reading: ProofInput,
  { missing, outside }: UnlistedDocuments,
  isKnownToWork: boolean,
): Promise<AbsenceProof> {
  const { base, seen } = reading;
  const proof = { gone: new Set<DocId>(), outside: new Set(outside), unseen: new Map<DocId, string>() };
  if (missing.length === 0) return { ...proof, fault: null, nothingKnown: false };
  const visibleId = [...seen.keys()].find((id) => base.records.has(id));
  // If no known document is listed, documents outside the linked folder are read as well. The key
  // works if one of them is found. These reads are not needed if each absence was proven before.
  const isHealthy = isKnownToWork || missing.every((id) => wasProvenBefore(base, id));
  const outsideIdsToRead = visibleId === undefined && !isHealthy ? [...proof.outside].slice(0, MAX_OUTSIDE_CHECKS) : [];
  const results: ReadResults = { notFound: [], isKeyProven: isHealthy, fault: null };
  const ids = [...missing, ...outsideIdsToRead, ...(visibleId === undefined ? [] : [visibleId])];
  const readDocument = async (id: DocId) =>
    noteAnswer(world, reading, proof, results, id, await world.remote.getFile(id));
  await Promise.all(ids.map(readDocument));
  const { fault, isKeyProven } = results;
  if (fault === null) concludeNotFound(base, proof, results, outsideIdsToRead);
  return { ...proof, fault, nothingKnown: fault === null && !isKeyProven && proof.unseen.size > 0 };
}

type ProofSets = Pick<AbsenceProof, "gone" | "outside" | "unseen">;

type ReadResults = {
  readonly notFound: DocId[];
  /**
   * True if the service returned an item of base, or if the user approved that no document is
   * visible.
   */
  isKeyProven: boolean;
  fault: Fault | null;
};

function noteAnswer(
  world: World,
  { base, seen, keep }: ProofInput,
  proof: ProofSets,
  results: ReadResults,
  id: DocId,
  answer: Answer<FileWithContent>,
): void {
  if (answer.ok) {
    results.isKeyProven = true;
    const record = base.records.get(id);
    if (record !== undefined) keep?.(digestOf(answer.value.content), answer.value.content, record.localPath, id);
    const file = toRemoteFile(world, { ...answer.value, id });
    if (file === null) proof.outside.add(id);
    else seen.set(id, file);
  } else if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") results.notFound.push(id);
  else if (isWholeServiceFault(answer.fault)) results.fault = answer.fault;
  else proof.unseen.set(id, answer.fault.detail);
}

function concludeNotFound(
  base: BaseTree,
  proof: ProofSets,
  { notFound, isKeyProven }: ReadResults,
  away: readonly DocId[],
): void {
  if (!isKeyProven) {
    // The service returned no document, not even one outside the linked folder. The workspace may
    // be the wrong one, so nothing counts as absent.
    for (const id of proof.outside) proof.unseen.set(id, NO_DOCUMENT_VISIBLE);
    proof.outside.clear();
  }
  for (const id of notFound) {
    if (away.includes(id)) continue;
    if (isKeyProven || wasProvenBefore(base, id)) proof.gone.add(id);
    else proof.unseen.set(id, NO_DOCUMENT_VISIBLE);
  }
}

/** Returns true if an earlier run proved the absence, so that this scan need not prove it. */
function wasProvenBefore({ blocks }: BaseTree, id: DocId): boolean {
  return blocks.get(id)?.reason === "gone-or-unreadable";
}
