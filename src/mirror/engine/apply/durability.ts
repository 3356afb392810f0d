/**
 * Makes files survive a power loss: flushes the new and the replaced files of a cycle. A replaced
 * file's content is flushed earlier, before the file gets its path. Also recognises files that a
 * power loss damaged: such files end early, or end in zeros.
 */
import type { DocId } from "../../../contract/ids.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree, LocalFile, LocalTree } from "../../model/tree.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { World } from "../run/world.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { META } from "../run/meta.ts";

/**
 * LIMIT: number of new and replaced files that one cycle flushes at its end. If there are more, the
 * next cycle flushes all of them, because the system has written most of them itself by then.
 */
const MAX_NEW_FILES = 64;
/** LIMIT: number of earlier files that one cycle flushes, because each flush is slow. */
const MAX_EARLIER_FILES = 2_000;

/** Marks a file for the flush at the end of the cycle. */
export function flushAtEnd({ notes: { toFlush } }: CycleContext, id: DocId, path: LocalPath): void {
  if (toFlush.size <= MAX_NEW_FILES) toFlush.set(id, path);
}

export async function flushNow(ctx: CycleContext): Promise<void> {
  if (ctx.notes.toFlush.size === 0 || ctx.notes.toFlush.size > MAX_NEW_FILES) return;
  await flushAndMark(ctx.world, ctx.notes.toFlush);
}

/**
 * Flushes the recorded files that a power cut may still damage. Marks these files as flushed in the
 * state file, but not in `base`. Therefore a file may be flushed twice.
 */
export async function flushEarlier(world: World, base: BaseTree, local: LocalTree): Promise<void> {
  const filesAtRisk = new Map<DocId, LocalPath>();
  for (const record of base.records.values())
    if (mayBeLost(record) && local.files.has(record.localPath)) filesAtRisk.set(record.id, record.localPath);
  if (filesAtRisk.size > MAX_NEW_FILES && (await world.disk.flushAll())) setDurable(world, filesAtRisk);
  else if (filesAtRisk.size > 0) await flushAndMark(world, new Map([...filesAtRisk].slice(0, MAX_EARLIER_FILES)));
}

export const mayBeLost = ({ durable, state }: DocumentRecord): boolean => !durable && state === "linked";

/** @returns paths that could not be flushed, including files that no longer exist */
export async function flushFiles({ disk, log }: World, paths: readonly LocalPath[]): Promise<ReadonlySet<LocalPath>> {
  const failures = await disk.flush(paths);
  for (const { path, errno } of failures) if (errno !== "ENOENT") log.write("warn", "not-flushed", { path, errno });
  return new Set(failures.map(({ path }) => path));
}

async function flushAndMark(world: World, files: ReadonlyMap<DocId, LocalPath>): Promise<void> {
  const unflushed = await flushFiles(world, [...files.values()]);
  setDurable(world, unflushed.size === 0 ? files : new Map([...files].filter(([, path]) => !unflushed.has(path))));
}

function setDurable({ state }: World, files: ReadonlyMap<DocId, LocalPath>): void {
  state.transact(() => {
    for (const [id, path] of files) state.setDurable(id, path);
  });
}

/**
 * ASSUMES: disks write whole sectors, and systems write whole pages. If a power loss cuts a file
 * off, the length of the file is a multiple of this number of bytes. A file with another length was
 * shortened by a user.
 */
const SECTOR_BYTES = 512;

type SizeAndDigest = { readonly size: number; readonly digest: Digest };

/** Returns true if the machine was restarted since the last repair after a power loss. */
export function hasRestarted({ state, bootId }: World): boolean {
  const recordedBoot = state.meta(META.boot);
  return bootId !== null && recordedBoot !== null && recordedBoot !== bootId;
}

/**
 * Returns true if a file may be damaged: its size is a multiple of a sector, or it contains zeros.
 */
export function mayBeCutOff({ stamp: { size }, textFault }: LocalFile): boolean {
  return size % SECTOR_BYTES === 0 || textFault === "contains-nul";
}

/** Returns true if a file may be a version of `text` that a power loss damaged. */
export function isDamagedByPowerLoss(
  { disk }: Pick<World, "disk">,
  { path, stamp, bytes, digest }: LocalFile,
  text: string,
): boolean {
  const expectedBytes = Buffer.from(disk.toLocalForm?.(path, text) ?? text);
  const sizeAndDigest = { size: stamp.size, digest: bytes ?? digest };
  return sizeAndDigest.digest !== digestOf(expectedBytes) && isCutOff(expectedBytes, sizeAndDigest);
}

/**
 * Returns true if a file consists of the first sectors of `bytes`, followed by zeros or nothing.
 * Compares digests, because a character that was cut in half cannot be read as text.
 */
export function isCutOff(bytes: Buffer, { size, digest }: SizeAndDigest): boolean {
  if (size > bytes.length) return false;
  for (let length = 0; length <= size; length += SECTOR_BYTES)
    if (digestOf(Buffer.concat([bytes.subarray(0, length)], size)) === digest) return true;
  return false;
}

/** Returns true if `text` ends in zeros, after whole sectors of other bytes or after nothing. */
export function isZeroed(text: string): boolean {
  const firstZero = text.indexOf("\0");
  if (firstZero < 0 || !/^\0+$/.test(text.slice(firstZero))) return false;
  return Buffer.byteLength(text.slice(0, firstZero)) % SECTOR_BYTES === 0;
}
