/**
 * Proves absences: reads by its id each document that a complete listing does not show, with a key
 * that is known to work. A key is known to work if something in base, a document or a listed
 * folder, answers in this run. A wrong workspace would also answer with an empty listing and with
 * 404.
 */

import type { DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { Answer, Fault } from "../../ports/remote.ts";
import type { BaseTree, RemoteFile } from "../../model/tree.ts";
import type { World } from "../run/world.ts";
import { documentBelow } from "./listed.ts";

/**
 * LIMIT: documents outside the linked subtree that are requested, if nothing else shows that the
 * key works.
 */
const MAX_OUTSIDE_CHECKS = 5;
const NO_DOCUMENT_VISIBLE = "none of the synced documents is visible with this key, so mdmirror deletes nothing";

/**
 * Returns true if no more requests can succeed in this run: no connection, the service is closed,
 * or the key is refused.
 */
export function isWholeServiceFault(fault: Fault): boolean {
  return fault.kind === "locked-out" || (fault.kind === "later" && fault.cause !== "malformed");
}

export type Proof = {
  readonly gone: Set<DocId>;
  readonly outside: Set<DocId>;
  readonly unseen: Map<DocId, string>;
  readonly fault: Fault | null;
  /** True if no document or folder of base answered. */
  readonly nothingKnown: boolean;
};

/** Documents of base that a listing does not show. */
type UnlistedDocuments = {
  readonly missing: readonly DocId[];
  /** Documents known to be outside the linked subtree. The listing does not have to show them. */
  readonly outside: ReadonlySet<DocId>;
};

export function findUnlisted(base: BaseTree, seen: ReadonlyMap<DocId, RemoteFile>): UnlistedDocuments {
  const missing: DocId[] = [];
  const outside = new Set<DocId>();
  for (const { id, state } of base.records.values()) {
    if (seen.has(id)) continue;
    if (state === "outside") outside.add(id);
    else missing.push(id);
  }
  return { missing, outside };
}

export function notProven({ missing, outside }: UnlistedDocuments, fault: Fault | null): Proof {
  const why = fault?.detail ?? "the service's list of documents was not complete";
  const unseen = new Map(missing.map((id) => [id, why]));
  return { gone: new Set(), outside: new Set(outside), unseen, fault: null, nothingKnown: false };
}

/**
 * The documents of base, those that the scan has seen so far, and a store for the content that is
 * read.
 */
type Reading = {
  readonly base: BaseTree;
  readonly seen: Map<DocId, RemoteFile>;
  readonly keep?: KeepContent | undefined;
};

type KeepContent = (digest: Digest, text: string, record: DocumentRecord) => void;

/**
 * Reads each known document that the listing does not show, and adds to `seen` those that an
 * inconsistent listing missed.
 * @param isKnownToWork true if a listed folder of base proves that the key works, or the user said
 * so
 */
export async function proveAbsences(
  world: World,
  reading: Reading,
  { missing, outside }: UnlistedDocuments,
  isKnownToWork: boolean,
): Promise<Proof> {
  const { base, seen } = reading;
  const proof = { gone: new Set<DocId>(), outside: new Set(outside), unseen: new Map<DocId, string>() };
  if (missing.length === 0) return { ...proof, fault: null, nothingKnown: false };
  const visible = [...seen.keys()].find((id) => base.records.has(id));
  // If no known document is listed, a document outside the linked folder can also show that the key
  // works. If each absence was proven before, the key is not in doubt, and documents outside need
  // not be read.
  const isHealthy = isKnownToWork || missing.every((id) => isProvenBefore(base, id));
  const away = visible === undefined && !isHealthy ? [...proof.outside].slice(0, MAX_OUTSIDE_CHECKS) : [];
  const results: ReadResults = { notFound: [], isKeyProven: isHealthy, fault: null };
  const ids = [...missing, ...away, ...(visible === undefined ? [] : [visible])];
  const read = async (id: DocId) => noteAnswer(world, reading, proof, results, id, await world.remote.getFile(id));
  await Promise.all(ids.map(read));
  const { fault, isKeyProven } = results;
  if (fault === null) judgeNotFound(base, proof, results, away);
  return { ...proof, fault, nothingKnown: fault === null && !isKeyProven && proof.unseen.size > 0 };
}

type ProofSets = Pick<Proof, "gone" | "outside" | "unseen">;

/** Additional results of the reads by id; `Proof` has the others. */
type ReadResults = {
  readonly notFound: DocId[];
  /** True if a document or folder of base answered, or the user said that the key works. */
  isKeyProven: boolean;
  fault: Fault | null;
};

function noteAnswer(
  world: World,
  { base, seen, keep }: Reading,
  proof: ProofSets,
  results: ReadResults,
  id: DocId,
  answer: Answer<FileWithContent>,
): void {
  if (answer.ok) {
    results.isKeyProven = true;
    const record = base.records.get(id);
    if (record !== undefined) keep?.(digestOf(answer.value.content), answer.value.content, record);
    const file = documentBelow(world, { ...answer.value, id });
    if (file === null) proof.outside.add(id);
    else seen.set(id, file);
  } else if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") results.notFound.push(id);
  else if (isWholeServiceFault(answer.fault)) results.fault = answer.fault;
  else proof.unseen.set(id, answer.fault.detail);
}

function judgeNotFound(
  base: BaseTree,
  proof: ProofSets,
  { notFound, isKeyProven }: ReadResults,
  away: readonly DocId[],
): void {
  if (!isKeyProven) {
    // No document answered, not even one outside the subtree: this may be the wrong workspace.
    for (const id of proof.outside) proof.unseen.set(id, NO_DOCUMENT_VISIBLE);
    proof.outside.clear();
  }
  for (const id of notFound) {
    if (away.includes(id)) continue;
    if (isKeyProven || isProvenBefore(base, id)) proof.gone.add(id);
    else proof.unseen.set(id, NO_DOCUMENT_VISIBLE);
  }
}

/**
 * Returns true if the document was proven gone earlier, and has been blocked since. It stays proven
 * even if no other document is visible.
 */
function isProvenBefore({ blocks }: BaseTree, id: DocId): boolean {
  return blocks.get(id)?.reason === "gone-or-unreadable";
}
