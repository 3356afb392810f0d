import { type Digest, digestOf } from "../../../contract/digest.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { isOpen } from "../../model/block.ts";
import type { Block, Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteFile, RemoteTree } from "../../model/tree.ts";
import { observeRemote } from "../../engine/observe/observe.ts";
import type { World } from "../../engine/run/world.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { VERIFY } from "../declared/problems.ts";
import type { Answer } from "../define.ts";
import { onlineRead } from "../run-read.ts";
import { indexLinks, type LinkIndex } from "../history/find-document.ts";
import { byPath } from "../../model/by-path.ts";

/** Compares both sides: lists, reads and hashes them, without anything from an earlier scan. */

type VerifyReport = Omit<Answer<typeof VERIFY>, "agree">;

export const verify = onlineRead(VERIFY, ({ world, url }) => verifyMirror(world, url));

/** @param url address of the service, for messages */
export async function verifyMirror(world: World, url: string): Promise<Result<Answer<typeof VERIFY>>> {
  const base = world.state.load();
  const looking = observeRemote(world, base, false);
  const local = world.disk.walk(
    () => null,
    () => undefined,
  );
  const remote = await looking;
  if (remote.kind === "unreachable") return { kind: "trouble", trouble: faultTrouble(remote.fault, url) };
  const rows = await readRows(world, base, local, remote.tree);
  if (rows.fault !== null) return { kind: "trouble", trouble: faultTrouble(rows.fault, url) };
  const report = reportOf(base, local, remote.tree, rows.rows);
  const drift = [report.differing, report.onlyLocal, report.onlyService, report.blocked, report.unseen];
  return ok({ agree: drift.every((list) => list.length === 0), ...report });
}

type Row = {
  readonly file: RemoteFile;
  readonly path: LocalPath;
  readonly end: "same" | "dressed" | "differs" | "absent" | "unread";
  readonly sha256: Digest;
  readonly size: number;
  readonly why: string;
};

/** Both sides as listed, before any content is read from the service. */
type Sides = { readonly base: BaseTree; readonly local: LocalTree; readonly linked: LinkIndex };

/**
 * Reads each document from the service with one GET; the client's queue paces the requests. Content
 * is dropped after hashing, so that memory does not grow with the workspace (I33).
 */
async function readRows(
  world: World,
  base: BaseTree,
  local: LocalTree,
  remote: RemoteTree,
): Promise<{ readonly rows: readonly Row[]; readonly fault: Fault | null }> {
  const { progress, disk } = world;
  const sides: Sides = { base, local, linked: indexLinks(base) };
  let done = 0;
  let fault: Fault | null = null;
  const rows = await Promise.all(
    [...remote.files.values()].map(async (file): Promise<Row> => {
      const answer = await world.remote.getFile(file.id);
      progress.report("apply", ++done, remote.files.size);
      if (answer.ok) return rowOf(sides, disk, file, answer.value.content);
      if (CUT_OFF.has(answer.fault.kind)) fault ??= answer.fault;
      const path = base.links.get(file.id)?.localPath ?? file.path;
      return { file, path, sha256: "" as Digest, size: 0, end: "unread", why: answer.fault.detail };
    }),
  );
  return { rows, fault };
}

/** Faults after which nothing more can be read from the service. */
const CUT_OFF: ReadonlySet<Fault["kind"]> = new Set(["locked-out", "later"]);

function rowOf({ base, local, linked }: Sides, disk: Disk, file: RemoteFile, content: string): Row {
  const link = base.links.get(file.id);
  const path = link?.localPath ?? file.path;
  const sha256 = digestOf(content);
  const row = { file, path, sha256, size: Buffer.byteLength(content) };
  const here = local.files.get(path);
  const isOther = link === undefined && linked.has(path);
  if (here === undefined || isOther) return { ...row, end: "absent", why: "no local file" };
  if (here.digest === sha256) return { ...row, end: "same", why: "" };
  const text = disk.read(path);
  const dressed = text.kind === "done" && sameExceptTextForm(text.value.text, content);
  if (!dressed)
    return { ...row, end: "differs", why: isAnother(link, file, here, sha256) ? ANOTHER : "the contents differ" };
  if (link?.localDigest === here.digest && link.digest === sha256) return { ...row, end: "dressed", why: "" };
  return { ...row, end: "differs", why: "differs in line ends, byte order mark or final newline" };
}

/**
 * The service shows other content under the version that was synced: its data are damaged, or its
 * answer is false. No sync notices this, because lists only have versions. A local edit would
 * replace the other content.
 */
const ANOTHER =
  "the service shows other content under the version that was synced: no sync downloads it, and your next local edit " +
  "replaces it; to keep it, save what mdmirror diff shows";

function isAnother(link: Link | undefined, file: RemoteFile, here: LocalFile, sha256: Digest): boolean {
  return link?.changeId === file.changeId && link.localDigest === here.digest && link.digest !== sha256;
}

function reportOf(base: BaseTree, local: LocalTree, remote: RemoteTree, rows: readonly Row[]): VerifyReport {
  const linked = indexLinks(base);
  const blocks = [...base.blocks.values(), ...justSubmitted(base)];
  const held = listHeld(blocks, local, rows);
  const heldKeys = new Set<string>(blocks.flatMap(({ key, path }) => [key, path]));
  const free = Map.groupBy(
    rows.filter(({ file, path }) => !heldKeys.has(file.id) && !heldKeys.has(path)),
    ({ end }) => end,
  );
  const seen = new Set(rows.filter(({ end }) => end !== "absent").map(({ path }) => path));
  const onlyLocal = [...local.files.keys()].filter(
    (path) => !seen.has(path) && !heldKeys.has(path) && !isHeldLink(linked, path, heldKeys),
  );
  return {
    documents: rows
      .filter(({ end }) => end === "same")
      .map(({ path, file, sha256, size }) => ({ path, id: file.id, sha256, size }))
      .toSorted(byPath),
    dressed: (free.get("dressed") ?? []).map(({ path }) => path).toSorted(),
    differing: (free.get("differs") ?? []).map(({ path, file, why }) => ({ path, id: file.id, why })).toSorted(byPath),
    onlyLocal: onlyLocal.toSorted(),
    onlyService: (free.get("absent") ?? [])
      // Paths excluded by the ignore rules are not synced on either side, so they are not compared
      // (I18).
      .filter(({ path }) => !local.ignores(path, "file"))
      .map(({ file }) => ({ path: file.path, id: file.id }))
      .toSorted(byPath),
    blocked: held.toSorted(byPath),
    unseen: unseenOf(base, local, remote, rows).toSorted(byPath),
  };
}

function unseenOf(
  base: BaseTree,
  local: LocalTree,
  remote: RemoteTree,
  rows: readonly Row[],
): VerifyReport["unseen"][number][] {
  return [
    ...[...local.unseen].map(([path, { why }]) => ({ path, why })),
    ...[...remote.unseen].map(([id, why]) => ({ path: base.links.get(id)?.localPath ?? id, why })),
    ...rows.filter(({ end }) => end === "unread").map(({ path, why }) => ({ path, why })),
    ...(remote.complete ? [] : [{ path: "", why: "the service's list of documents was not complete" }]),
  ];
}

type HeldRow = Pick<Block, "key" | "path" | "reason" | "detail">;

/** Returns documents that went to review in the last cycle of a run; the next run blocks them. */
function justSubmitted({ links, blocks }: BaseTree): HeldRow[] {
  const sent = [...links.values()].filter(({ id, submissions }) => submissions.length > 0 && !blocks.has(id));
  return sent.map(({ id, localPath }) => ({
    key: id,
    path: localPath,
    reason: "in-review",
    detail: "in review",
  }));
}

/**
 * Returns documents that wait for a person, and blocked ones that differ, without ignored paths
 * (I18).
 */
function listHeld(
  blocks: readonly HeldRow[],
  local: LocalTree,
  rows: readonly Row[],
): VerifyReport["blocked"][number][] {
  const differing = new Set<string>(
    rows.flatMap(({ end, file, path }) => (end === "same" || local.ignores(path, "file") ? [] : [file.id, path])),
  );
  const held = blocks.filter(({ key, path, reason }) => isOpen(reason) || differing.has(key) || differing.has(path));
  return held.map(({ path, reason, detail }) => ({ path, reason, detail }));
}

function isHeldLink(linked: LinkIndex, path: LocalPath, heldKeys: ReadonlySet<string>): boolean {
  const link = linked.get(path);
  return link !== undefined && heldKeys.has(link.id);
}
