import type { RunReport } from "../mirror/run.ts";
import { shellWord } from "../../model/shell-word.ts";

type Attention = RunReport["attention"][number];

/**
 * What to do about something that is open, by its kind, so that the user need not guess. `PATH`
 * stands for its path.
 */
const NEXT_BY_KIND: Readonly<Record<Attention["kind"], string>> = {
  conflict:
    'edit the file as you want it and delete the "(theirs)" file, or run: mdmirror resolve PATH --mine | --theirs',
  "name-refused": "rename it: this name cannot be synced",
  "name-clash": "rename one of the two; the service would give both the same name",
  "too-large": "split the document: the service takes at most 51,200 characters",
  "not-utf-8": "save the file as UTF-8",
  "holds-nul": "remove the NUL characters from the file",
  "read-only": "ask for the grant Can edit; your edit stays here and is tried again once a day, or now: mdmirror sync",
  refused: "change the text or the name, whichever the service refuses, or try again: mdmirror sync",
  "gone-or-unreadable":
    "it was deleted on the service or your key lost it; keep it with: mdmirror resolve PATH --keep, or drop it with --delete",
  "renamed-out-of-mirror": "rename it back to a .md name, or run: mdmirror resolve PATH --delete | --keep",
  "no-move-to-root":
    "move it into a folder; or make a new document of it, with a new id, and delete the old one there: mdmirror resolve PATH --recreate",
  "type-clash":
    "rename what is here, or take it away: the other side has another kind at this path; where a file is gone, the document counts as deleted then",
  "path-taken": "rename one of the two",
  "occupied-unseen": "rename it here: its name is taken on the service",
  "conflict-markers": "finish the merge in the file: remove the <<<<<<< ======= >>>>>>> lines",
  "review-unknown": "look at the document on the service, then: mdmirror resolve PATH --mine | --theirs",
  "local-unreadable": "make it readable, or rename it where its name is what cannot be read",
  "not-seen": "nothing: it is looked at again by the next sync",
  "direction-off": "nothing: a sync of both directions sends or brings it",
  "still-being-written": "nothing: the next sync looks again",
  "ambiguous-file":
    "move all of these files but the right one out of the folder, run: mdmirror sync, then move them back as new documents",
  "in-use": "nothing: close the file in the editor, or let it rest; the service's text comes then",
  "second-look": "nothing: the next sync looks again",
  "review-quiet": "nothing: the next sync sends it to review, unless it is edited again",
  outside: "it was moved out of the mirrored part of the workspace; move it back, or run: mdmirror resolve PATH --keep",
  "remote-text-unfit": "mend its text on the service; until then the file here stays as it is",
  "remote-name-unsafe": "rename it on the service",
  "folder-held": "first end what holds the folder: mdmirror conflicts lists it",
  "delete-refused":
    "end what stops it on the service (its protection, a review, a missing grant), then delete it here again",
  "delete-waits":
    "resolve it in the app: accepted, the document comes back; rejected, it is deleted by the next mdmirror sync, or by itself within a day",
  "folder-stays": "nothing: the service cannot delete folders, so the empty one stays there",
  "in-review":
    "nothing, while a reviewer looks at it; a rejection is not shown to us: then edit the file, or take the live text: mdmirror resolve PATH --theirs",
  "review-conflict":
    "nothing, while somebody decides in the app (mdmirror reviews shows both texts); a rejection is not shown to us: then, or to decide here: mdmirror resolve PATH --mine | --theirs",
  suspended: "nothing, or take its pattern out of that file: then it is mirrored again",
  "listing-misread": "have the service mended; until then what is deleted there stays here, and all else is synced",
  "listing-cut-short": "nothing: the next sync looks again",
  unfinished: "nothing, if it is being changed just now: the next sync goes on; else run: mdmirror why PATH",
  unproven: "mdmirror sync",
  later: "mend what it names; the next sync tries again",
  uncertain: "nothing: the next sync settles it by reading",
};

const NEXT_BY_REFUSED: Readonly<Record<NonNullable<Attention["refused"]>, string>> = {
  name: "give it another name or place here, or try again: mdmirror sync",
  step: "run: mdmirror why PATH",
};

type Open = Pick<Attention, "path" | "kind" | "refused">;

/** The same for all that share a kind, as one sentence; `PATH` stands for the path of each. */
export function nextForEach({ path, kind, refused }: Open): string {
  if (refused !== undefined) return NEXT_BY_REFUSED[refused];
  if (kind === "unfinished" && path === "") return "mdmirror sync";
  return NEXT_BY_KIND[kind];
}

export function nextFor(open: Open): string {
  return nextForEach(open).replaceAll("PATH", () => shellWord(open.path));
}
