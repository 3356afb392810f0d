import type { Outcome } from "../../model/action.ts";
import { outcomeOfDisk } from "../apply/effect.ts";
import { parkingPlace, recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { MirrorLinks, Respelling } from "./mirror-links.ts";

/**
 * After documents moved, writes the links to them anew, on disk alone: the texts are the same, and
 * the service's links, by id, were never broken. Journalled as any replace is: what an editor saved
 * meanwhile survives (I14), and a kill leaves whole bytes (I13).
 */
export function respellLinks(ctx: PassContext): void {
  const { links } = ctx.world;
  if (links === undefined) return;
  for (const respelling of links.respellings()) respellOne(ctx, links, respelling);
}

/** Writes one file so. What it stands for stays. */
export function respellOne(ctx: PassContext, links: MirrorLinks, respelling: Respelling): void {
  const { state, log } = ctx.world;
  const { link, from, to, bytes } = respelling;
  const { id } = link;
  const { path } = to;
  const parkAt = parkingPlace(ctx.world, id);
  if (from.bytes === to.bytes) {
    links.note(respelling, parkAt);
    return;
  }
  const texts = { expect: from.text, baseChangeId: link.changeId, baseDigest: link.digest };
  const intentId = state.openIntent(ctx.run, { kind: "replace", id, path, parkAt, writes: to.text, ...texts });
  // ORDER: before the effect, so that after a kill the file's bytes are known to be this text; and
  // after the intent, by which recovery knows that they may be the old ones.
  links.note(respelling, parkAt);
  const end = links.disk.respell(path, bytes, from.bytes, parkAt);
  if (end.kind !== "done") {
    if (!end.parked) state.closeIntent(intentId);
    const outcome: Outcome = outcomeOfDisk(end);
    log.write("debug", "not-respelled", { path, detail: "detail" in outcome ? outcome.detail : outcome.kind });
    return;
  }
  ctx.notes.counts.respelled++;
  ctx.notes.toFlush.set(id, path);
  state.transact(() => {
    const current = state.link(id);
    // Base's text alone has base's stamp; an edit that was not sent yet has its own.
    if (current !== null && current.localDigest === to.text)
      state.putLink({ ...current, stamp: end.value.stamp, stampTrusted: false, durable: false });
    state.turnIntent(intentId, { kind: "parked", id, path, parkAt, ...texts });
    recordEvent(ctx.world, ctx.run, {
      kind: "respell",
      side: "local",
      id,
      path,
      detail: "links written anew for where their targets are",
    });
  });
}
