import type { MirrorEvent } from "../mirror/ports/state.ts";
import { count } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { nameView } from "../page/parts.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";

/** Shows events as sentences that begin with a verb. */

/** Sign, verb, and words after the document. */
type Verb = readonly [sign: string, verb: string, after?: string];

const ON_SERVICE = " on the service";

/** Verbs for each kind of event. */
const VERBS: Readonly<Record<string, Verb>> = {
  put: ["↑", "Uploaded"],
  "create-remote": ["↑", "Uploaded"],
  "rename-remote": ["↑", "Renamed", ON_SERVICE],
  "reparent-remote": ["↑", "Moved", ON_SERVICE],
  "delete-remote": ["↑", "Deleted", ON_SERVICE],
  "make-folder-remote": ["↑", "Created", ON_SERVICE],
  "rename-folder-remote": ["↑", "Renamed", ON_SERVICE],
  "reparent-folder-remote": ["↑", "Moved", ON_SERVICE],
  "remove-folder-remote": ["↑", "Removed", ON_SERVICE],
  "write-local": ["↓", "Downloaded"],
  "create-local": ["↓", "Downloaded"],
  "move-local": ["↓", "Moved"],
  "trash-local": ["↓", "Moved", " to the trash"],
  "make-folder-local": ["↓", "Created"],
  "move-folder-local": ["↓", "Moved"],
  "remove-folder-local": ["↓", "Removed"],
  merge: ["↔", "Merged both edits of"],
  meet: ["↔", "Joined both new versions of"],
  conflict: ["!", "Found a conflict in"],
  "renew-conflict": ["!", "Updated the conflict copy of"],
  "move-conflict-copy": ["↓", "Moved the conflict copy of"],
  "end-conflict": ["✓", "Resolved the conflict in"],
  "drop-conflict": ["✓", "Ended the conflict in"],
  block: ["!", "Left", " alone"],
  restore: ["↺", "Restored"],
  "settle-review": ["✓", "Ended the review of"],
  "safety-stop": ["!", "Stopped the sync of"],
  approve: ["✓", "Approved the stopped changes of"],
  protect: ["✓", "Protected"],
  unprotect: ["✓", "Removed the protection of"],
  fault: ["!", "Could not finish"],
  recover: ["↺", "Recovered"],
  "late-write": ["↺", "Kept a late edit of"],
  respell: ["✓", "Updated the links in"],
  relink: ["·", "Recorded a move of"],
  "note-facts": ["·", "Noted a change of"],
  forget: ["·", "Removed the record of"],
  "look-again": ["·", "Checked", " again"],
  "link-folder": ["·", "Linked"],
  "forget-folder": ["·", "Removed the record of"],
};

/** Verb for kinds that an earlier program recorded. */
const OTHER: Verb = ["·", "Changed"];
const SUBMITTED: Verb = ["↑", "Sent", " to review"];

function verbOf({ kind, outcome }: MirrorEvent): Verb {
  if (outcome === "submitted") return SUBMITTED;
  return VERBS[kind] ?? OTHER;
}

/** Returns the verb for a kind of event, without its document. */
export function verbWords(kind: string): string {
  const [, verb, after = ""] = VERBS[kind] ?? OTHER;
  return verb + after;
}

/** Kinds of events that only keep mdmirror's own records, and change no document. */
const RECORDS: ReadonlySet<string> = new Set(["relink", "note-facts", "forget", "look-again", "forget-folder"]);

/** Returns true if an event changed a document or a folder, or ended without the change. */
export function isChange({ kind }: MirrorEvent): boolean {
  return !RECORDS.has(kind);
}

/** Events of one run with the same verb, which are shown as one line. */
type EventGroup = { readonly first: MirrorEvent; readonly size: number };

/** LIMIT: events of one run and verb that are shown on lines of their own. */
const MOST_ALIKE = 3;

/**
 * Joins events that one run made with the same verb, if there are many.
 * @param events newest first
 * @param most number of groups
 */
export function groupEvents(events: readonly MirrorEvent[], most: number): readonly EventGroup[] {
  const groups = new Map<string, MirrorEvent[]>();
  for (const event of events) {
    const key = `${event.run} ${verbOf(event).join()} ${nounOf(event)}`;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return [...groups.values()]
    .flatMap((alike) => {
      if (alike.length > MOST_ALIKE) return [{ first: alike[0]!, size: alike.length }];
      return alike.map((first) => ({ first, size: 1 }));
    })
    .slice(0, most);
}

function nounOf({ kind }: MirrorEvent): "folders" | "documents" {
  return kind.includes("folder") ? "folders" : "documents";
}

/** Shows the sign, the verb and the document of an event, or the number of documents of a group. */
export function eventSentence(mirror: string, { first, size }: EventGroup): Html {
  const [sign, verb, after = ""] = verbOf(first);
  const object =
    size > 1
      ? html`<a href="${mirrorAddress(mirror, `runs/${first.run}`)}">${count(size)} ${nounOf(first)}</a>`
      : objectOf(mirror, first);
  return html`<span class="sign" aria-hidden="true">${sign}</span> ${verb} ${object}${after}`;
}

function objectOf(mirror: string, { path, id }: MirrorEvent): Html {
  if (path === "") return html`the linked folder`;
  const isDocument = id?.startsWith("doc_") === true;
  return isDocument
    ? html`<a href="${documentAddress(mirror, "history", path)}">${nameView(path)}</a>`
    : nameView(path);
}
