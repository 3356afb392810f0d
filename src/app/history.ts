import type { ChangeId } from "../contract/ids.ts";
import type { Digest } from "../core/digest.ts";
import type { State } from "../core/ports/state.ts";
import type { KnownDocument } from "./find-document.ts";

/** The texts that a document had, as far as the mirror saw them. */

/** One text. `n` counts from 1, oldest first, so that it names the same text while newer ones arrive. */
export type HistoryEntry = {
  readonly n: number;
  /** When it was first seen: milliseconds since the epoch. */
  readonly at: number;
  readonly digest: Digest;
  /** `service`: a version that was live there; `here`: a text that was only ever in the folder. */
  readonly from: "service" | "here";
  readonly changeId: ChangeId | null;
  /** What came with it, as a clause. */
  readonly what: string;
  /** Bytes in UTF-8; null: the text is no longer kept. */
  readonly size: number | null;
};

/** LIMIT: events of one document that are read. */
const EVENTS = 10_000;
const SAME_MOMENT_MS = 1_000;

type Seen = Omit<HistoryEntry, "n" | "size">;

/** Every version that the service showed, and every text that an effect replaced here; the same text twice in a row is one. */
export function readHistory(state: State, document: KnownDocument): HistoryEntry[] {
  const versions = state.versions(document.id).toReversed();
  const events = state.events({ limit: EVENTS, id: document.id }).toReversed();
  const wasLive = new Set(versions.map(({ digest }) => digest));
  const seen: Seen[] = versions.map(({ at, digest, changeId }) => {
    // A version and the event that brought it are written in one transaction, with a clock that may have moved in between.
    const event = events.find((one) => one.after === digest && one.at >= at && one.at < at + SAME_MOMENT_MS);
    return { at: event?.at ?? at, digest, from: "service", changeId, what: event?.detail ?? "seen on the service" };
  });
  const last = document.tombstone?.digest ?? document.link?.digest;
  if (last !== undefined && !wasLive.has(last))
    seen.push({ ...bare(last), at: 0, from: "service", what: "the last version seen" });
  for (const { at, before, after, detail, kind } of events) {
    // The text before was there before this event; a moment earlier keeps the order.
    if (before !== null && !wasLive.has(before))
      seen.push({ ...bare(before), at: at - 0.5, from: "here", what: `here, until: ${detail}` });
    if (after !== null && !wasLive.has(after))
      seen.push({ ...bare(after), at, from: "here", what: `${kind}: ${detail}` });
    // An earlier text that was put back is a text of that moment too.
    if (after !== null && kind === "restore") seen.push({ ...bare(after), at, from: "here", what: detail });
  }
  return numbered(state, seen);
}

function bare(digest: Digest): Pick<Seen, "digest" | "changeId"> {
  return { digest, changeId: null };
}

function numbered(state: State, seen: readonly Seen[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const one of seen.toSorted((a, b) => a.at - b.at)) {
    const last = entries.at(-1);
    if (last?.digest === one.digest) {
      // It went live under an id after it was here: the version says more.
      if (last.from === "here" && one.from === "service")
        entries[entries.length - 1] = { ...one, at: last.at, n: last.n, size: last.size };
      continue;
    }
    const text = state.text(one.digest);
    const size = text === null ? null : Buffer.byteLength(text);
    entries.push({ ...one, at: Math.round(one.at), n: entries.length + 1, size });
  }
  return entries;
}

/** `notes/plan.md@3` → the path and 3; without a number, null. */
export function splitVersion(name: string): { readonly path: string; readonly n: number | null } {
  const match = /^(.+)@(\d{1,9})$/s.exec(name);
  return match === null ? { path: name, n: null } : { path: match[1]!, n: Number(match[2]) };
}
