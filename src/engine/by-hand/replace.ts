import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import type { LocalPath } from "../../model/path.ts";
import { stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import type { PassContext } from "../run/pass-context.ts";
import { type HandEnd, keptNote, landByHand, notDone } from "./by-hand.ts";

type Replacing = {
  readonly id: DocId;
  readonly path: LocalPath;
  /** Of the bytes that the file must still have. */
  readonly bytes: Digest;
  /** What it is to have, links as people see them and all. */
  readonly after: string;
};

/** Gives a document's file these very bytes, as an edit that the next run sends. */
export function replaceText(ctx: PassContext, { id, path, bytes, after }: Replacing): HandEnd {
  const { disk, state } = ctx.world;
  const link = state.link(id);
  if (link === null || link.localPath !== path) return notDone(stale("it was moved or deleted since"));
  const look = disk.look(path);
  if (look.kind !== "file") return notDone(stale(`no file is at ${path}`));
  const text = disk.meant?.(path, after) ?? after;
  const landed = landByHand(ctx, { id, path, text, link, seen: look.digest, exactly: { bytes, text: after } });
  if (landed.kind === "end") return notDone(landed.outcome);
  const { closes, keptAs, writes } = landed.value;
  const outcome = commit(ctx, {
    ...(closes === null ? {} : { closes }),
    event: {
      kind: "replace",
      side: "local",
      id,
      path,
      detail: "by search --replace",
      before: look.digest,
      after: writes,
    },
  });
  return { outcome, notes: keptNote("the text before", keptAs) };
}
