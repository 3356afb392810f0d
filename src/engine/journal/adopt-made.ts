import { linksByPath } from "../../model/link.ts";
import { newLink } from "../../model/settle.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import type { MadeEntry } from "../../ports/disk.ts";
import { commit } from "../apply/commit.ts";
import { fetchText } from "../apply/effect.ts";
import { isCutOff } from "./cut-off.ts";
import { wasCutOff } from "./durable.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Files that a run made before it was killed, and whose rows were never written: as two new ones of
 * one path, each edit on either side since would be a conflict. Base learns of what they were made.
 * @returns whether base has learnt of any
 */
export async function adoptMade(
  ctx: PassContext,
  base: BaseTree,
  local: LocalTree,
  remote: RemoteTree,
): Promise<boolean> {
  const { madeList } = ctx.world;
  if (madeList === undefined) return false;
  const entries = wasCutOff(ctx) ? unknownOf(madeList.read(), base) : [];
  let isAny = false;
  for (const entry of entries) {
    const file = local.files.get(entry.path);
    if (file === undefined || file.textFault !== null) continue;
    const isMade = file.digest === entry.digest || (await isEditOf(ctx, entry, file, remote));
    if (isMade) adopt(ctx, entry, file, remote);
    isAny ||= isMade;
  }
  return isAny;
}

/** Those of documents of which base knows neither the id nor the path. */
function unknownOf(entries: readonly MadeEntry[], { links, tombstones }: BaseTree): readonly MadeEntry[] {
  const taken = linksByPath(links.values());
  return entries.filter(({ id, path }) => !links.has(id) && !tombstones.has(id) && !taken.has(path));
}

/**
 * Whether a file with another text is an edit of what was made: it is that very file, and the
 * document still at that version, and its text the one that was written down; that is stored, as
 * base's. One that a power loss may have torn is none.
 */
async function isEditOf(
  ctx: PassContext,
  { id, path, changeId, digest, inode }: MadeEntry,
  file: LocalFile,
  remote: RemoteTree,
): Promise<boolean> {
  if (file.stamp.ino !== inode?.ino || file.stamp.dev !== inode.dev) return false;
  if (file.empty || remote.files.get(id)?.changeId !== changeId) return false;
  const fetched = await fetchText(ctx, id, path);
  if (fetched.kind === "end") return false;
  const { text, file: served } = fetched.value;
  if (served.lastChangeId !== changeId || fetched.value.digest !== digest) return false;
  return !isCutOff(Buffer.from(text), { size: file.stamp.size, digest: file.bytes ?? file.digest });
}

function adopt(
  ctx: PassContext,
  { id, path, remotePath, changeId, digest }: MadeEntry,
  { stamp }: LocalFile,
  remote: RemoteTree,
): void {
  const version = { changeId, digest };
  commit(ctx, {
    link: newLink(id, path, remotePath, remote.files.get(id)?.protected ?? false, {
      ...version,
      localDigest: digest,
      stamp,
      stampTrusted: false,
      durable: false,
    }),
    version: { id, ...version },
    event: {
      kind: "recover",
      side: "local",
      id,
      path,
      detail: "made by a run that was cut off before it was noted",
      after: digest,
    },
  });
}
