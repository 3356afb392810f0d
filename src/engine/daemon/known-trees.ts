import type { DocId } from "../../contract/ids.ts";
import type { FileResource } from "../../contract/resources.ts";
import type { Digest } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { OnText } from "../../ports/disk.ts";
import type { Listing } from "../../ports/remote.ts";
import {
  isComplete,
  type BaseTree,
  type LocalTree,
  type RemoteFile,
  type RemoteTree,
  type Trees,
} from "../../model/tree.ts";
import { documentsOf } from "../observe/listed.ts";
import { observeLocal, observeRemote } from "../observe/observe.ts";
import type { Observers, PassEnd, PassContext } from "../run/pass-context.ts";
import { keepHere, seenHere, seenThere } from "../apply/text-name.ts";
import type { World } from "../run/world.ts";
import { type InSyncSnapshot, calmAfter, cutOut, printOf, remoteOf, showsBase } from "./in-sync-snapshot.ts";
import { followEffects } from "./follow.ts";

/**
 * What the daemon saw last, on both sides, so that an edit of one document costs one look at one
 * file and no listing. Each tree is kept only while what was done since can be followed in it
 * (`follow.ts`); after everything else it is looked at again.
 */
export type KnownTrees = {
  /**
   * @param judge what of a walk's tree may not be judged yet, or was mended before: called with
   * each pass's local tree
   */
  observers(
    judge: (ctx: PassContext, base: BaseTree, local: LocalTree, again: () => LocalTree) => LocalTree,
  ): Observers;
  /**
   * Looks again at single files. `same`: nothing is different; `changed`: in their text; `whole`:
   * only a walk can tell.
   */
  lookAt(paths: readonly LocalPath[]): "same" | "changed" | "whole";
  /**
   * A listing just made. `same`: nothing is different from what is kept, so that no pass is needed.
   */
  take(listing: Listing<FileResource>): "same" | "changed";
  /** After a pass: what of it may be kept. */
  learn(end: PassEnd): void;
  /** After a run: where all is calm, nothing is kept, for base tells it. */
  settle(end: PassEnd): void;
  /**
   * While all is calm: the part that these paths are about, looked at again. `same`: nothing is
   * different; `whole`: it is not calm, or more than the text of documents has changed.
   */
  part(paths: readonly LocalPath[]): "same" | "whole" | Trees;
  /** Base may have been written by somebody else. */
  disturb(): void;
  forgetLocal(): void;
  /**
   * `folders`: those too; without, they are believed until a document stands in one that is not
   * known.
   */
  forgetRemote(folders: boolean): void;
  /** The ignore rules as last walked; null before the first walk. */
  local(): LocalTree | null;
  documents(): number;
  /**
   * When the service was last asked for a list that a pass has looked at, by the monotonic clock.
   */
  listedAt(): number;
};

/** @param letGo nothing of base need be kept loaded */
export function createKnownTrees(world: World, letGo: () => void): KnownTrees {
  let local: LocalTree | null = null;
  let remote: RemoteTree | null = null;
  let folders: RemoteTree["folders"] | null = null;
  /** Listed, and not yet looked at by a pass. */
  let listing: Listing<FileResource> | null = null;
  /** Survives what is forgotten: rules and counts need not be of this moment. */
  let lastLocal: LocalTree | null = null;
  let documents = 0;
  let calm: InSyncSnapshot | null = null;
  let listedAt = Number.NEGATIVE_INFINITY;
  /** Of `listing`. */
  let takenAt = Number.NEGATIVE_INFINITY;

  const keep: OnText = (digest, text, path) =>
    world.state.putKnownText(digest, text, seenHere(path, world.state.linksAt(path)[0]?.id ?? null));

  /**
   * A listing of other versions than the last one may still be what base has: what the daemon sent
   * itself.
   */
  function isCalmStill(known: InSyncSnapshot, files: ReadonlyMap<DocId, RemoteFile>): boolean {
    const print = printOf(files);
    if (known.print !== print) {
      const shows = showsBase(world.state.load(), files);
      letGo();
      if (!shows) return false;
    }
    known.print = print;
    return true;
  }

  return {
    observers: (judge) => ({
      local(ctx, base, inodesTrusted, keepText) {
        const walk = () => {
          local = observeLocal(world, base, inodesTrusted, keepText);
          lastLocal = local;
          return local;
        };
        return judge(ctx, base, local === null ? walk() : { ...local, inodesTrusted }, walk);
      },
      async remote(base, trustEmpty) {
        if (calm !== null) {
          calm = null;
          remote = remoteOf(base.links.values(), base.dirs.values());
          folders = remote.folders;
        }
        // An absence is proven in the pass that acts on it (I04).
        if (remote !== null && listing === null && isComplete(remote)) return { kind: "seen", tree: remote };
        const known = {
          ...(listing === null ? {} : { files: listing }),
          ...(folders === null ? {} : { folders }),
          keep: (digest: Digest, text: string, { id, localPath }: Link) =>
            world.state.putKnownText(digest, text, seenThere(localPath, id)),
        };
        listedAt = listing === null ? world.clock.monotonic() : takenAt;
        listing = null;
        const look = await observeRemote(world, base, trustEmpty, known);
        remote = look.kind === "seen" ? look.tree : null;
        if (remote?.foldersComplete === true || remote === null) folders = remote?.folders ?? null;
        documents = remote?.files.size ?? documents;
        return look;
      },
    }),
    lookAt(paths) {
      if (local === null) return "whole";
      const looked = world.disk.lookAtFiles(local, paths, keep);
      if (looked === local) return "same";
      local = looked;
      lastLocal = looked ?? lastLocal;
      return looked === null ? "whole" : "changed";
    },
    take(made) {
      const now = documentsOf(world, made);
      if (calm !== null && made.complete && isCalmStill(calm, now)) return "same";
      if (made.complete && remote?.complete === true && sameDocuments(remote.files, now)) return "same";
      listing = made;
      takenAt = world.clock.monotonic();
      return "changed";
    },
    learn(end) {
      if (end.kind === "offline") {
        remote = null;
        listing = null;
        return;
      }
      if (end.ends.length === 0) return;
      const kept = local === null || remote === null ? null : followEffects(world, end, local, remote);
      local = kept?.local ?? null;
      remote = kept?.remote ?? null;
      if (kept === null) folders = null;
    },
    settle(end) {
      calm = local === null || remote === null ? null : calmAfter(end, world.state.load(), local, remote);
      if (calm === null) return;
      local = null;
      remote = null;
      folders = null;
      lastLocal = calm.ground;
      letGo();
    },
    part(paths) {
      const trees = calm === null ? null : cutOut(world.state, calm, paths);
      if (trees === null) return "whole";
      const own = keepHere(world.state, trees.base);
      const looked = world.disk.lookAtFiles(trees.local, paths, own, ({ dev, ino }) => world.state.hasInode(dev, ino));
      if (looked === trees.local) return "same";
      if (looked === null || [...looked.files.values()].some((file) => file.empty || file.textFault !== null))
        return "whole";
      return { ...trees, local: looked };
    },
    disturb() {
      calm = null;
    },
    forgetLocal() {
      local = null;
    },
    forgetRemote(alsoFolders) {
      calm = null;
      remote = null;
      listing = null;
      if (alsoFolders) folders = null;
    },
    local: () => lastLocal,
    documents: () => documents,
    listedAt: () => listedAt,
  };
}

function sameDocuments(a: ReadonlyMap<DocId, RemoteFile>, b: ReadonlyMap<DocId, RemoteFile>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, file] of a) {
    const other = b.get(id);
    if (other === undefined) return false;
    if (other.changeId !== file.changeId || other.path !== file.path || other.protected !== file.protected)
      return false;
  }
  return true;
}
