import type { DocId } from "../../../contract/ids.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { RemoteFile, RemoteTree, Trees } from "../../model/tree.ts";
import { seenOnService } from "../apply/text-name.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Reads documents before their plan is judged. Only reading shows whether a text became blank, and
 * the safety checks must know how many did before the first one is written.
 */

/** @returns the trees with the digests of the texts that were read */
export async function readChanged(ctx: PassContext, trees: Trees, ids: readonly DocId[], dry: boolean): Promise<Trees> {
  const files = new Map(trees.remote.files);
  await Promise.all(
    ids.map(async (id) => {
      const file = files.get(id);
      const digest = file === undefined ? null : (knownDigest(ctx, file) ?? (await read(ctx, trees, file, dry)));
      if (file !== undefined && digest !== null) files.set(id, { ...file, digest });
    }),
  );
  const remote: RemoteTree = { ...trees.remote, files };
  return { ...trees, remote };
}

/** Returns the digest of a version that an earlier look has read; null: none has. */
function knownDigest({ world: { state } }: PassContext, { id, changeId }: RemoteFile): Digest | null {
  const version = state.versions(id).find((one) => one.changeId === changeId);
  return version !== undefined && state.hasText(version.digest) ? version.digest : null;
}

/** @returns null if it could not be read, or has another version by now */
async function read(
  ctx: PassContext,
  { base }: Trees,
  { id, changeId, path }: RemoteFile,
  dry: boolean,
): Promise<Digest | null> {
  const { world, notes } = ctx;
  const answer = await world.remote.getFile(id);
  if (!answer.ok) return null;
  const { content, ...file } = answer.value;
  if (!content.isWellFormed() || file.lastChangeId !== changeId) return null;
  const digest = digestOf(content);
  if (dry) notes.dryTexts.set(digest, content);
  else {
    world.state.putKnownText(digest, content, seenOnService(base.links.get(id)?.localPath ?? path, id));
    world.state.addVersion({ id, changeId, digest, at: world.clock.now() });
    notes.readBefore.set(id, { file, digest });
  }
  return digest;
}
