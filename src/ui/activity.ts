/** Shows events of the log as sentences that begin with a verb. */

import type { MirrorEvent } from "../mirror/ports/state.ts";
import { html, type Html } from "../page/html.ts";
import { renderName } from "../page/parts.ts";
import { documentAddress } from "./addresses.ts";

/** Words for an event: a sign, the verb, and words that follow the name of the document. */
type EventWords = readonly [sign: string, verb: string, after?: string];

const ON_SERVICE = " on the service";

const EVENT_WORDS: Readonly<Record<string, EventWords>> = {
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

/** Words for an event whose kind was added by a newer version of mdmirror. */
const OTHER_EVENT_WORDS: EventWords = ["·", "Changed"];
const SUBMITTED_WORDS: EventWords = ["↑", "Sent", " to review"];

function chooseEventWords({ kind, outcome }: MirrorEvent): EventWords {
  if (outcome === "submitted") return SUBMITTED_WORDS;
  return EVENT_WORDS[kind] ?? OTHER_EVENT_WORDS;
}

export function formatVerb(kind: string): string {
  const [, verb, after = ""] = EVENT_WORDS[kind] ?? OTHER_EVENT_WORDS;
  return verb + after;
}

/** Kinds of events that only update mdmirror's state and change no document. */
const RECORD_KINDS: ReadonlySet<string> = new Set(["relink", "note-facts", "forget", "look-again", "forget-folder"]);

/** Returns true if an event is about a change of a document or folder, even a failed one. */
export function isChange({ kind }: MirrorEvent): boolean {
  return !RECORD_KINDS.has(kind);
}

export function renderEvent(mirror: string, event: MirrorEvent): Html {
  const [sign, verb, after = ""] = chooseEventWords(event);
  return html`<span class="sign" aria-hidden="true">${sign}</span> ${verb} ${renderEventObject(mirror, event)}${after}`;
}

function renderEventObject(mirror: string, { path, id }: MirrorEvent): Html {
  if (path === "") return html`the linked folder`;
  const isDocument = id?.startsWith("doc_") === true;
  return isDocument
    ? html`<a href="${documentAddress(mirror, "history", path)}">${renderName(path)}</a>`
    : renderName(path);
}
