import type { Outcome } from "../../model/action.ts";
import { outcomeOfDisk } from "../apply/effect.ts";
import { parkingPlace, recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { MirrorLinks, Respelling } from "./mirror-links.ts";

/** How many files are noted together, and with one fsync, before they are written. */
const TOGETHER = 64;

/** A file that is about to be written anew; `intentId`: null where its bytes stay. */
type Noted = { readonly respelling: Respelling; readonly parkAt: string; readonly intentId: number | null };

/**
 * After documents moved, writes the links to them anew, on disk alone: the texts are the same, and
 * the service's links, by id, were never broken. Journalled as any replace is: what an editor saved
 * meanwhile survives (I14), and a kill leaves whole bytes (I13).
 */
export function respellLinks(ctx: PassContext): void {
  const { links } = ctx.world;
  if (links !== undefined) respellFiles(ctx, links, links.respellings());
}

/** Writes files so. What they stand for stays. */
export function respellFiles(ctx: PassContext, links: MirrorLinks, files: Iterable<Respelling>): void {
  let some: Respelling[] = [];
  const write = (): void => {
    for (const noted of noteAll(ctx, links, some)) respellOne(ctx, links, noted);
    some = [];
  };
  for (const respelling of files) {
    some.push(respelling);
    if (some.length === TOGETHER) write();
  }
  if (some.length > 0) write();
}

/**
 * ORDER: before the effects, so that after a kill the files' bytes are known to be these texts, and
 * after a power cut as well, with the places that they are spelled for: once their targets move
 * again, nothing else could tell what they say. The intents come with it, by which recovery knows
 * that the bytes may be the old ones.
 */
function noteAll(ctx: PassContext, links: MirrorLinks, files: readonly Respelling[]): readonly Noted[] {
  const { state } = ctx.world;
  return state.transactSafely(() =>
    files.map((respelling) => {
      const { link, from, to } = respelling;
      const { id } = link;
      const { path } = to;
      const parkAt = parkingPlace(ctx.world, id);
      const isSame = from.bytes === to.bytes;
      const intent = { kind: "replace", id, path, parkAt, writes: to.text, ...textsOf(respelling) } as const;
      const intentId = isSame ? null : state.openIntent(ctx.run, intent);
      links.note(respelling, parkAt);
      return { respelling, parkAt, intentId };
    }),
  );
}

function textsOf({ link, from }: Respelling) {
  return { expect: from.text, baseChangeId: link.changeId, baseDigest: link.digest };
}

function respellOne(ctx: PassContext, links: MirrorLinks, { respelling, parkAt, intentId }: Noted): void {
  if (intentId === null) return;
  const { state, log } = ctx.world;
  const { link, from, to, bytes } = respelling;
  const { id } = link;
  const { path } = to;
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
    state.turnIntent(intentId, { kind: "set-aside", id, path, parkAt, ...textsOf(respelling) });
    recordEvent(ctx.world, ctx.run, {
      kind: "respell",
      side: "local",
      id,
      path,
      detail: "links updated to the new places of their targets",
    });
  });
}
