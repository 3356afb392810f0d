/** Scans both sides. First recovers the effects that earlier runs left open. */

import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import {
  type BaseTree,
  type LocalTree,
  makeUnreadable,
  type RemoteTree,
  type Trees,
  type UnreadReason,
} from "../../model/tree.ts";
import type { StoreContent } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import { includeAllDocuments, RecordColumns } from "../../model/left-out.ts";
import { flushEarlier, hasRestarted } from "../apply/durability.ts";
import { withRestoredFiles, rememberBoot, restoreDamagedFiles, recoverNewFiles } from "../journal/power-loss.ts";
import {
  hideDocuments,
  hideOpenFolderMoves,
  hideOpenPosts,
  type OpenWrites,
  recoverLocal,
  recoverRemote,
} from "../journal/recover.ts";
import { APPROVE_EMPTY, type CycleContext, type CycleInput, makePolicy, makeTextFinder } from "../run/cycle-context.ts";
import { readApprovedKeys } from "../run/guard-facts.ts";
import {
  type KnownRemoteFacts,
  type LoadedBase,
  observeLocal,
  observeLocalAsync,
  observeRemote,
  refreshStamps,
  type RemoteScan,
} from "./observe.ts";
import { removeOldSentRows, recordMovedPosts } from "../apply/unanswered-writes.ts";
import { isNotFound, makeLocalContentStore, makeRemoteOrigin } from "../apply/effect.ts";
import type { Policy } from "../../model/policy.ts";
import type { World } from "../run/world.ts";
import { type StoreRemoteContent, toRemoteFile } from "./documents.ts";
import { digestOf } from "../../../contract/digest.ts";

type ObservedTrees =
  | { readonly kind: "seen"; readonly trees: Trees }
  | { readonly kind: "offline"; readonly fault: Fault };

export async function observe(ctx: CycleContext, input: CycleInput, inodesTrusted: boolean): Promise<ObservedTrees> {
  const { world } = ctx;
  world.links?.forms.begin(input.dry);
  const openEffects = input.dry ? listOpenEffects(world) : await recoverEffects(ctx);
  const loadedBase: LoadedBase = mayLeaveOut(ctx, input, inodesTrusted)
    ? loadBaseWithColumns(world)
    : world.state.load();
  const { columns, ...before } = loadedBase;
  const storeText = makeContentStore(ctx, input, loadedBase);
  const { local: scannedLocal, remote } = await scanBothSides(ctx, input, loadedBase, inodesTrusted, storeText);
  // Without an answer of the service, the cycle ends. After a restart of the machine, the cycle
  // continues, because mdmirror can restore damaged files without the service.
  if (remote.kind === "unreachable" && !hasRestarted(world)) return { kind: "offline", fault: remote.fault };
  const scannedTrees = {
    base: before,
    local: scannedLocal,
    remote: remote.kind === "seen" ? remote.tree : NOTHING_SEEN,
  };
  const completeTrees = columns?.complete(scannedTrees) ?? scannedTrees;
  const policy = makePolicy(ctx, input, null);
  const restoredTrees = input.dry
    ? { ...completeTrees, local: withRestoredFiles(ctx, scannedTrees, policy) }
    : await restoreAndRescan(ctx, completeTrees, remote, {
        inodesTrusted,
        keep: storeText,
        policy,
        settled: openEffects.paths.size === 0,
      });
  if (remote.kind === "unreachable") return { kind: "offline", fault: remote.fault };
  const recordedTrees = input.dry ? restoredTrees : await recordMovedPosts(ctx, restoredTrees);
  const treesBeforeHiding = {
    ...recordedTrees,
    local: withReturnedPaths(
      ctx,
      withUnseen(recordedTrees.local, toUnreadPaths(openEffects.paths), toUnreadPaths(openEffects.stillOpen.paths)),
    ),
    remote: hideOpenDocuments(recordedTrees.remote, openEffects.stillOpen.ids),
  };
  const visibleTrees = hideOpenFolderMoves(
    hideOpenPosts(treesBeforeHiding, openEffects.stillOpen.posts),
    openEffects.stillOpen.folderMoves,
  );
  const treesWithTargets = await requestLinkTargets(ctx, visibleTrees, makeRemoteContentStore(ctx, input));
  const trees = { ...treesWithTargets, local: resolveLinks(ctx, input, treesWithTargets) };
  noteScan(ctx, trees.local, remote.tree);
  return { kind: "seen", trees };
}

/** Keeps the results of the scans in the notes of the cycle, for its effects. */
export function noteScan({ notes }: CycleContext, local: LocalTree, remote: RemoteTree): void {
  for (const folder of remote.folders.values()) notes.folderIds.set(folder.path, folder.id);
  notes.local = local;
  notes.isListed = remote.complete;
}

export const NOTHING_SEEN: RemoteTree = {
  files: new Map(),
  folders: new Map(),
  complete: false,
  foldersComplete: false,
  gone: new Set(),
  goneFolders: new Set(),
  outside: new Set(),
  unseen: new Map(),
};

/**
 * Returns true if the trees may leave out documents at rest, because only the planner reads the
 * trees. This is so in a sync that is no dry run, has no daemon, does not convert links, and
 * recovers nothing.
 */
function mayLeaveOut(
  { world }: CycleContext,
  { leavesOut, dry, observers }: CycleInput,
  inodesTrusted: boolean,
): boolean {
  if (leavesOut !== true || dry || observers !== undefined || world.links !== undefined || !inodesTrusted) return false;
  return !hasRestarted(world) && world.state.intents().length === 0;
}

/** Loads base, with its records in `columns`, which take less memory than `records`. */
function loadBaseWithColumns({ state, disk }: World): LoadedBase {
  const columns = new RecordColumns(disk.names(), (id) => state.record(id));
  const base = state.load((record) => columns.add(record));
  for (const id of [...base.conflicts.keys(), ...base.blocks.keys()]) columns.keep(id as DocId);
  return { ...base, columns };
}

/** Effects of earlier runs that have no end yet. */
type OpenEffects = {
  /** Local paths in open journal rows, each with the reason why the row is open. */
  readonly paths: ReadonlyMap<LocalPath, string>;
  readonly stillOpen: OpenWrites;
};

const NOTHING_OPEN: OpenWrites = { ids: new Map(), paths: new Map(), posts: new Map(), folderMoves: new Map() };

/** Recovers effects after a crash or a lost answer, before either side is scanned. */
async function recoverEffects(ctx: CycleContext): Promise<OpenEffects> {
  const { world } = ctx;
  const intents = world.state.intents();
  removeOldSentRows(ctx, intents);
  const paths = recoverLocal(ctx, intents);
  return { paths, stillOpen: await recoverRemote(ctx, intents) };
}

/** Lists the open effects for a dry run, which recovers nothing. */
function listOpenEffects({ state }: World): OpenEffects {
  const paths = new Map<LocalPath, string>();
  // An open row for a set-aside file does not concern the file at the path, which mdmirror has
  // already replaced.
  for (const { intent } of state.intents())
    if ("path" in intent && intent.kind !== "set-aside")
      paths.set(intent.path, "a step was interrupted; the next sync completes it");
  return { paths, stillOpen: NOTHING_OPEN };
}

/**
 * Returns a function that stores content. In a dry run, the content is only kept in the notes of
 * the cycle.
 */
export function makeContentStore({ world, notes }: CycleContext, input: CycleInput, base: LoadedBase): StoreContent {
  if (input.dry) return (digest, text) => void notes.dryTexts.set(digest, text);
  return makeLocalContentStore(world.state, base, base.columns);
}

/**
 * Returns a function that stores the content of documents that are read as a proof that they exist.
 */
function makeRemoteContentStore({ world: { state }, notes }: CycleContext, input: CycleInput): StoreRemoteContent {
  return input.dry
    ? (digest, text) => void notes.dryTexts.set(digest, text)
    : (digest, text, path, id) => state.putKnownText(digest, text, makeRemoteOrigin(path, id));
}

async function scanBothSides(
  ctx: CycleContext,
  input: CycleInput,
  base: LoadedBase,
  inodesTrusted: boolean,
  keep: StoreContent,
): Promise<{ readonly local: LocalTree; readonly remote: RemoteScan }> {
  const { world } = ctx;
  // ORDER: the listing is requested before the local scan, so that the service answers during that
  // scan.
  const trustEmpty = readApprovedKeys(world).has(APPROVE_EMPTY);
  const knownFacts = { keep: makeRemoteContentStore(ctx, input) };
  const remoteScanPromise =
    input.observers?.remote(base, trustEmpty, knownFacts) ?? observeRemote(world, base, trustEmpty, knownFacts);
  // Without this handler, a rejection before the `await` below would end the process.
  remoteScanPromise.catch(() => undefined);
  const localTree = await scanFolder(ctx, input, base, inodesTrusted, keep);
  const remoteScan = await remoteScanPromise;
  return {
    local: localTree,
    remote: input.dry ? await foreseeApproval(world, base, remoteScan, knownFacts) : remoteScan,
  };
}

/**
 * Returns the scan of a dry run as after an approval that no known document is on the service. The
 * preview then shows all changes of such an approval.
 */
async function foreseeApproval(
  world: World,
  base: BaseTree,
  scan: RemoteScan,
  known: KnownRemoteFacts,
): Promise<RemoteScan> {
  if (scan.kind !== "seen" || scan.tree.nothingKnown !== true) return scan;
  const approvedScan = await observeRemote(world, base, true, known);
  if (approvedScan.kind !== "seen") return approvedScan;
  const { gone } = approvedScan.tree;
  const unseen = new Map([...scan.tree.unseen].filter(([id]) => !gone.has(id)));
  return { kind: "seen", tree: { ...approvedScan.tree, outside: scan.tree.outside, unseen, nothingKnown: true } };
}

/**
 * Scans the linked folder. A daemon's observers may scan only a part. Without observers, the scan
 * pauses regularly to receive answers of the service.
 */
function scanFolder(
  ctx: CycleContext,
  { observers }: CycleInput,
  base: LoadedBase,
  inodesTrusted: boolean,
  keep: StoreContent,
): LocalTree | Promise<LocalTree> {
  const { world } = ctx;
  if (observers !== undefined) return observers.local(base, inodesTrusted, keep);
  const { turn } = world.clock;
  if (turn === undefined) return observeLocal(world, base, inodesTrusted, keep);
  return observeLocalAsync(world, base, inodesTrusted, keep, turn);
}

type RescanInput = {
  readonly inodesTrusted: boolean;
  readonly keep: StoreContent;
  readonly policy: Policy;
  /** True if no journal row with a local path stays open. */
  readonly settled: boolean;
};

/**
 * Restores damaged files, and scans the folder again if a file was restored. Also records confirmed
 * stamps, and flushes files of earlier cycles.
 */
async function restoreAndRescan(
  ctx: CycleContext,
  scanned: Trees,
  remote: RemoteScan,
  { inodesTrusted, keep, policy, settled }: RescanInput,
): Promise<Trees> {
  const { world } = ctx;
  let trees = scanned;
  if (restoreDamagedFiles(ctx, trees, policy)) {
    const base = world.state.load();
    trees = { ...includeAllDocuments(trees), base, local: observeLocal(world, base, inodesTrusted, keep) };
  }
  const newFiles = remote.kind === "seen" ? await recoverNewFiles(ctx, trees.local) : null;
  if (newFiles?.changed === true) trees = { ...trees, local: observeLocal(world, trees.base, inodesTrusted, keep) };
  trees = { ...trees, base: refreshStamps(world, trees.base, trees.local) };
  await flushEarlier(world, trees.base, trees.local);
  if (settled && !world.state.intents().some(({ intent }) => intent.kind === "create")) rememberBoot(ctx);
  return newFiles === null ? trees : { ...trees, local: withUnseen(trees.local, toUnreadPaths(newFiles.open)) };
}

/** Finds link targets by the paths of all documents. Both sides must have been scanned. */
export function resolveLinks(ctx: CycleContext, input: CycleInput, trees: Trees): LocalTree {
  const { links } = ctx.world;
  if (links === undefined) return trees.local;
  const matching = { policy: makePolicy(ctx, input, null), texts: makeTextFinder(ctx) };
  const mayReadAgain = input.settings.direction !== "pull" && trees.local.partial !== true;
  const localTree = links.read(trees, matching, makeContentStore(ctx, input, trees.base), mayReadAgain);
  // Only a run without a daemon must scan again because of replaced files. With a daemon, the
  // watcher reports replaced files.
  ctx.notes.tally.filesMoved = input.observers === undefined && localTree.unseen.has("") && !trees.local.unseen.has("");
  return localTree;
}

export function withReturnedPaths({ notes: { returned } }: CycleContext, local: LocalTree): LocalTree {
  return returned.size === 0 ? local : { ...local, returned };
}

export function withUnseen(local: LocalTree, ...unseen: readonly ReadonlyMap<LocalPath, UnreadReason>[]): LocalTree {
  if (unseen.every((map) => map.size === 0)) return local;
  return { ...local, unseen: new Map([...local.unseen, ...unseen.flatMap((map) => [...map])]) };
}

function toUnreadPaths(open: ReadonlyMap<LocalPath, string>): ReadonlyMap<LocalPath, UnreadReason> {
  return new Map([...open].map(([path, why]) => [path, makeUnreadable(why)]));
}

/**
 * Hides documents whose writes have an unknown result, unless this scan proves that the document
 * was deleted.
 */
function hideOpenDocuments(remote: RemoteTree, open: ReadonlyMap<string, string>): RemoteTree {
  if (open.size === 0) return remote;
  return hideDocuments(
    remote,
    [...(open as ReadonlyMap<DocId, string>)].filter(([id]) => !remote.gone.has(id)),
  );
}

/**
 * LIMIT: number of link targets that a cycle reads, because each read is a request. Other targets
 * stay unknown.
 */
const MAX_TARGETS = 16;

/**
 * Requests documents to which links lead, but which are neither in base nor in the listing. A
 * listing can lack a document. If such a document counted as deleted, links to it would lose their
 * target.
 * @param keep stores the content that is read
 * @returns the trees with the documents that exist on the service, in the linked folder or outside
 */
async function requestLinkTargets(ctx: CycleContext, trees: Trees, keep: StoreRemoteContent): Promise<Trees> {
  const { links, remote } = ctx.world;
  const unknownTargets = links?.unknownTargets(trees) ?? [];
  if (unknownTargets.length === 0) return trees;
  const files = new Map(trees.remote.files);
  const unsureTargets = new Set<DocId>(unknownTargets.slice(MAX_TARGETS));
  const outsideTargets = new Set(trees.remote.outside);
  const requestTarget = async (id: DocId): Promise<void> => {
    const answer = await remote.getFile(id);
    const document = answer.ok ? toRemoteFile(ctx.world, { ...answer.value, id }) : null;
    // A user may change this content on the service before the next read (I03).
    if (answer.ok) keep(digestOf(answer.value.content), answer.value.content, document?.path ?? answer.value.path, id);
    if (document !== null) files.set(id, document);
    else if (answer.ok) outsideTargets.add(id);
    else if (!isNotFound(answer)) unsureTargets.add(id);
  };
  await Promise.all(unknownTargets.slice(0, MAX_TARGETS).map(requestTarget));
  links?.noteOutside(outsideTargets);
  return { ...trees, remote: { ...trees.remote, files, outside: outsideTargets, unsure: unsureTargets } };
}
