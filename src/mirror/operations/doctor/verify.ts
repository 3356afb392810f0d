/** Compares both sides: lists, reads and hashes all documents, and uses no earlier scan. */

import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocId } from "../../../contract/ids.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { hasOpenWork } from "../../model/block.ts";
import type { Block } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, RemoteFile } from "../../model/tree.ts";
import { observeRemote } from "../../engine/observe/observe.ts";
import type { World } from "../../engine/run/world.ts";
import { makeFaultTrouble } from "../../folder/trouble.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { VERIFY } from "../declared/reads.ts";
import type { Answer } from "../define.ts";
import { defineOnlineRead } from "../run-operation.ts";
import { type ComparedEntry, type ComparedTrees, pairDocuments } from "../history/pairs.ts";
import { compareByPath } from "../../model/by-path.ts";

type VerifyReport = Omit<Answer<typeof VERIFY>, "agree">;

export const verify = defineOnlineRead(VERIFY, ({ world, url }) => verifyMirror(world, url));

/** @param url address of the service, for messages */
export async function verifyMirror(world: World, url: string): Promise<Result<Answer<typeof VERIFY>>> {
  const base = world.state.load();
  const remoteScan = observeRemote(world, base, false);
  const localTree = world.disk.walk();
  const remote = await remoteScan;
  if (remote.kind === "unreachable") return { kind: "trouble", trouble: makeFaultTrouble(remote.fault, url) };
  const trees = { base, local: localTree, remote: remote.tree };
  const pairs = pairDocuments(trees);
  const rows = await readDocuments(world, pairs, url);
  if (rows.kind === "trouble") return rows;
  const report = makeReport(trees, pairs, rows.value);
  const differences = [report.differing, report.onlyLocal, report.onlyService, report.blocked, report.unseen];
  return ok({ agree: differences.every((list) => list.length === 0), ...report });
}

type VerifiedDocument = {
  readonly id: DocId;
  readonly path: LocalPath;
  readonly end: "same" | "form-differs" | "differs" | "absent" | "unread";
  readonly sha256: Digest;
  readonly size: number;
  readonly why: string;
};

/**
 * Requests each document with one GET, as fast as the client's queue allows. Keeps only the
 * digests, so that a larger workspace needs hardly more memory (I33).
 */
async function readDocuments(
  { progress, disk, remote }: World,
  pairs: readonly ComparedEntry[],
  url: string,
): Promise<Result<readonly VerifiedDocument[]>> {
  const listedPairs = pairs.flatMap((pair) => (pair.document === undefined ? [] : [{ pair, document: pair.document }]));
  let readCount = 0;
  let fault: Fault | null = null;
  const rows = await Promise.all(
    listedPairs.map(async ({ pair, document }): Promise<VerifiedDocument> => {
      const fileAnswer = await remote.getFile(document.id);
      progress.report("apply", ++readCount, listedPairs.length);
      if (fileAnswer.ok) return compareContent(disk, pair, document, fileAnswer.value.content);
      if (FATAL_FAULTS.has(fileAnswer.fault.kind)) fault ??= fileAnswer.fault;
      const { detail: why } = fileAnswer.fault;
      return { id: document.id, path: pair.path, sha256: "" as Digest, size: 0, end: "unread", why };
    }),
  );
  return fault === null ? ok(rows) : { kind: "trouble", trouble: makeFaultTrouble(fault, url) };
}

/** Faults that concern all requests, so that the comparison cannot have a result. */
const FATAL_FAULTS: ReadonlySet<Fault["kind"]> = new Set(["locked-out", "later"]);

function compareContent(
  disk: Disk,
  { path, file, record }: ComparedEntry,
  { id, changeId }: RemoteFile,
  content: string,
): VerifiedDocument {
  const sha256 = digestOf(content);
  const row = { id, path, sha256, size: Buffer.byteLength(content) };
  if (file === undefined) return { ...row, end: "absent", why: "no local file" };
  if (file.digest === sha256) return { ...row, end: "same", why: "" };
  const isAsSynced = record?.localDigest === file.digest;
  const localContent = disk.read(path);
  if (localContent.kind !== "done" || !sameExceptTextForm(localContent.value.text, content)) {
    const isOtherContent = isAsSynced && record.changeId === changeId && record.digest !== sha256;
    return { ...row, end: "differs", why: isOtherContent ? OTHER_CONTENT_MESSAGE : "the contents differ" };
  }
  if (isAsSynced && record.digest === sha256) return { ...row, end: "form-differs", why: "" };
  return { ...row, end: "differs", why: "differs in line ends, byte order mark or final newline" };
}

/**
 * Message about a document that has the change id of base, but content other than base. The
 * service's data are damaged, or the answer is wrong. No sync notices this, because a listing has
 * only change ids. A local edit would replace the content on the service.
 */
const OTHER_CONTENT_MESSAGE =
  "the service shows other content under the version that was synced: no sync downloads it, and your next local edit " +
  "replaces it; to keep it, save what mdmirror diff shows";

function makeReport(
  sides: ComparedTrees,
  pairs: readonly ComparedEntry[],
  rows: readonly VerifiedDocument[],
): VerifyReport {
  const { base, local } = sides;
  const blocks = [...base.blocks.values(), ...listJustSubmitted(base)];
  const keys = new Set<string>(blocks.flatMap(({ key, path }) => [key, path]));
  const isBlocked = (id: DocId | undefined, path: LocalPath) => keys.has(path) || (id !== undefined && keys.has(id));
  const unblockedRows = Map.groupBy(
    rows.filter(({ id, path }) => !isBlocked(id, path)),
    ({ end }) => end,
  );
  const onlyLocal = pairs.filter(
    ({ path, file, document, record }) => file !== undefined && document === undefined && !isBlocked(record?.id, path),
  );
  return {
    documents: rows
      .filter(({ end }) => end === "same")
      .map(({ path, id, sha256, size }) => ({ path, id, sha256, size }))
      .toSorted(compareByPath),
    formDiffers: (unblockedRows.get("form-differs") ?? []).map(({ path }) => path).toSorted(),
    differing: (unblockedRows.get("differs") ?? [])
      .map(({ path, id, why }) => ({ path, id, why }))
      .toSorted(compareByPath),
    onlyLocal: onlyLocal.map(({ path }) => path).toSorted(),
    onlyService: (unblockedRows.get("absent") ?? [])
      // Ignored paths are not synced, so a difference between their sides is no fault (I18).
      .filter(({ path }) => !local.ignores(path, "file"))
      .map(({ id }) => ({ path: sides.remote.files.get(id)!.path, id }))
      .toSorted(compareByPath),
    blocked: listBlocked(blocks, local, rows).toSorted(compareByPath),
    unseen: listUnseen(sides, rows).toSorted(compareByPath),
  };
}

function listUnseen(
  { base, local, remote }: ComparedTrees,
  rows: readonly VerifiedDocument[],
): VerifyReport["unseen"][number][] {
  return [
    ...[...local.unseen].map(([path, { why }]) => ({ path, why })),
    ...[...remote.unseen].map(([id, why]) => ({ path: base.records.get(id)?.localPath ?? id, why })),
    ...rows.filter(({ end }) => end === "unread").map(({ path, why }) => ({ path, why })),
    ...(remote.complete ? [] : [{ path: "", why: "the service's list of documents was not complete" }]),
  ];
}

type BlockedRow = Pick<Block, "key" | "path" | "reason" | "detail">;

/**
 * Returns the documents that the last cycle sent to review. Only the next run stores a block for
 * such a document, so the document is not blocked yet.
 */
function listJustSubmitted({ records, blocks }: BaseTree): BlockedRow[] {
  const submittedRecords = [...records.values()].filter(
    ({ id, submissions }) => submissions.length > 0 && !blocks.has(id),
  );
  return submittedRecords.map(({ id, localPath }) => ({
    key: id,
    path: localPath,
    reason: "in-review",
    detail: "in review",
  }));
}

/** Returns blocked documents that require a person or whose sides differ; no ignored ones. */
function listBlocked(
  blocks: readonly BlockedRow[],
  local: LocalTree,
  rows: readonly VerifiedDocument[],
): VerifyReport["blocked"][number][] {
  const differingKeys = new Set<string>(
    rows.flatMap(({ end, id, path }) => (end === "same" || local.ignores(path, "file") ? [] : [id, path])),
  );
  const listedBlocks = blocks.filter(
    ({ key, path, reason }) => hasOpenWork(reason) || differingKeys.has(key) || differingKeys.has(path),
  );
  return listedBlocks.map(({ path, reason, detail }) => ({ path, reason, detail }));
}
