import type { DocId } from "../../contract/ids.ts";
import { digestOf } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import { fileInodeKey } from "../../planner/match/inode.ts";
import { once } from "../../model/once.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree, LocalFile, LocalTree } from "../../model/tree.ts";
import { META } from "../run/meta.ts";
import { outcomeOfDisk } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import type { World } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * What base claims must survive power loss. Overwritten files are fsynced as they are written. New
 * ones are fsynced in batches, and until then their links say so: a file that is absent, empty,
 * zeroed or cut off at a sector while its link is not durable, after the machine was started anew,
 * was torn by the power loss and not deleted, emptied or shortened by the user; it is made again
 * from the text store.
 */

/**
 * So many new files are fsynced at the end of the pass that made them; more wait for the next one,
 * when the system has written most of them by itself.
 */
const FLUSH_AT_ONCE = 64;
/**
 * Of those that earlier passes left, so many a pass, where the disk cannot be asked for all of them
 * at once: a fsync takes 0.2 ms even where nothing is left to write.
 */
const FLUSH_LATER = 2_000;

export async function flushNow(ctx: PassContext): Promise<void> {
  if (ctx.notes.toFlush.size === 0 || ctx.notes.toFlush.size > FLUSH_AT_ONCE) return;
  await flush(ctx.world, ctx.notes.toFlush);
}

/**
 * The ones that earlier passes left. `base` is not loaded again for it: what a pass commits of a
 * link takes this from the state, and a link that is called not durable too long is only fsynced
 * once more.
 */
export async function flushEarlier(world: World, base: BaseTree, local: LocalTree): Promise<void> {
  const waiting = new Map<DocId, LocalPath>();
  for (const { id, durable, standing, localPath } of base.links.values())
    if (!durable && standing === "linked" && local.files.has(localPath)) waiting.set(id, localPath);
  if (waiting.size > FLUSH_AT_ONCE && (await world.disk.flushAll())) setDurable(world, waiting);
  else if (waiting.size > 0) await flush(world, new Map([...waiting].slice(0, FLUSH_LATER)));
}

/**
 * @returns those that are not known to survive power loss; one that is gone needs not, and others
 * are told of
 */
export async function flushFiles({ disk, log }: World, paths: readonly LocalPath[]): Promise<ReadonlySet<LocalPath>> {
  const failed = await disk.flush(paths);
  for (const { path, errno } of failed) if (errno !== "ENOENT") log.write("warn", "not-flushed", { path, errno });
  return new Set(failed.map(({ path }) => path));
}

async function flush(world: World, files: ReadonlyMap<DocId, LocalPath>): Promise<void> {
  const failed = await flushFiles(world, [...files.values()]);
  setDurable(world, failed.size === 0 ? files : new Map([...files].filter(([, path]) => !failed.has(path))));
}

function setDurable({ state }: World, files: ReadonlyMap<DocId, LocalPath>): void {
  state.transact(() => {
    for (const [id, path] of files) state.setDurable(id, path);
  });
}

/** Whether the machine was started anew since the last pass; remembers this start. */
export function noteBoot(world: World): boolean {
  const { state, bootId } = world;
  const before = state.meta(META.boot);
  if (bootId !== null && before !== bootId) state.setMeta(META.boot, bootId);
  return bootId !== null && before !== null && before !== bootId;
}

/**
 * Makes torn files again, after a restart of the machine. Returns whether any was: then the walk
 * must be made anew.
 */
export function restoreTorn(ctx: PassContext, base: BaseTree, local: LocalTree): boolean {
  let restored = false;
  const byInode = once(() => new Map(Array.from(local.files.values(), (file) => [fileInodeKey(file.stamp), file])));
  for (const link of base.links.values()) {
    if (link.durable || link.standing !== "linked" || local.unseen.has(link.localPath)) continue;
    // Moved since, it is not gone from where base has it, and what stands there is another's.
    const key = local.inodesTrusted ? fileInodeKey(link.stamp) : null;
    const moved = key === null ? undefined : byInode().get(key);
    const file = moved ?? local.files.get(link.localPath);
    if (isTorn(ctx, link, file)) restored = restoreOne(ctx, link, file) || restored;
  }
  return restored;
}

function isTorn(ctx: PassContext, link: Link, file: LocalFile | undefined): boolean {
  if (file === undefined) return ctx.world.disk.look(link.localPath).kind === "absent";
  if (file.digest === link.localDigest) return false;
  if (file.empty) return true;
  const text = ctx.world.state.text(link.localDigest);
  return text !== null && isCutOff(Buffer.from(text), file);
}

/**
 * ASSUMES: disks write whole sectors, and systems pages of them, so that what tears keeps a
 * multiple of this many bytes. A text that is shortened elsewhere is a person's.
 */
const SECTOR = 512;

/**
 * Whether a file holds the first sectors of `bytes`, or none, and then nothing or zeros. By
 * digests: half a character cannot be read as a text.
 */
function isCutOff(bytes: Buffer, { stamp: { size }, digest }: Pick<LocalFile, "stamp" | "digest">): boolean {
  if (size > bytes.length) return false;
  for (let kept = 0; kept <= size; kept += SECTOR)
    if (digestOf(Buffer.concat([bytes.subarray(0, kept)], size)) === digest) return true;
  return false;
}

function restoreOne(ctx: PassContext, link: Link, torn: LocalFile | undefined): boolean {
  const { disk, state, log } = ctx.world;
  const text = state.text(link.localDigest);
  if (text === null) return false;
  const path = torn?.path ?? link.localPath;
  if (torn !== undefined) {
    const away = disk.trash(path, torn.digest, `tmp/torn-${ctx.world.random.hex(16)}`);
    if (away.kind !== "done") return false;
  }
  const made = disk.create(path, text);
  if (made.kind !== "done") {
    const why = outcomeOfDisk(made);
    log.write("warn", "not-restored", { path, detail: "detail" in why ? why.detail : why.kind });
    return false;
  }
  if (torn === undefined) ctx.notes.returned.add(path);
  ctx.notes.toFlush.set(link.id, path);
  commit(ctx, {
    link: { ...link, stamp: made.value.stamp, stampTrusted: false },
    event: {
      kind: "recover",
      side: "local",
      id: link.id,
      path,
      detail: "torn by a power loss; made again from the text store",
      after: link.localDigest,
    },
  });
  return true;
}
