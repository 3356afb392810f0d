import { type Document, keyOfDocument, stepOfDocument } from "./document.ts";
import { type Facts, foldersShown, gatherFacts, type Listing, rowsOf, textsOf } from "./facts.ts";
import { changesNothing, describeOperation, type ExecutedOperation, marksIn, type Operation } from "./operation.ts";
import { entriesOfPlace, foldersByPath, type Holder, placesOf } from "./places.ts";
import { type Entry, type Found, type Model, searchLinearisation } from "./search.ts";
import { keyOfTree, leavesTree, stepOfTree, stepOfUnlisted, type Tree } from "./tree.ts";
import type { Json } from "../../src/conformance/world.ts";

/**
 * The result of the search for an order in which one service could have executed all operations one
 * after the other.
 */

type Verdict = {
  readonly operations: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly documents: number;
  readonly places: number;
  /** Number of states that the searches visited. */
  readonly states: number;
  /** Answers that are impossible; empty if the history is linearizable. */
  readonly broken: readonly string[];
  /** LIMIT: documents and paths whose search took too long, so that nothing is known of them. */
  readonly undecided: readonly string[];
};

const DOCUMENT: Model<Document> = { initial: null, keyOf: keyOfDocument };
const TREE: Model<Tree> = { initial: new Map(), keyOf: keyOfTree };
const PLACE: Model<Holder> = { initial: null, keyOf: (holder) => holder ?? "free" };

/**
 * Checks a history.
 * @param most states that one search may visit
 */
export function checkHistory(history: readonly ExecutedOperation[], most = 200_000): Verdict {
  const facts = gatherFacts(history);
  const broken = findBreaches(facts);
  const undecided: string[] = [];
  let states = 0;
  const note = (what: string, found: Found) => {
    states += found.states;
    if (found.kind === "undecided") undecided.push(what);
    if (found.kind === "broken") broken.push(`${what}: ${found.why}`);
  };
  for (const id of facts.documents)
    note(`document ${id}`, searchLinearisation(DOCUMENT, entriesOfDocument(facts, id), most));
  const places = placesOf(facts);
  const folders = foldersByPath(facts);
  for (const [key, { place, seen }] of places)
    note(`place ${key}`, searchLinearisation(PLACE, entriesOfPlace(facts, place, seen, folders), most));
  note("folders", searchLinearisation(TREE, entriesOfTree(facts), most));
  const unknown = history.filter(({ answer }) => answer === null).length;
  const acknowledged = history.filter(({ answer }) => answer !== null && answer.status < 300).length;
  const counts = { operations: history.length, acknowledged, unknown };
  return { ...counts, documents: facts.documents.size, places: places.size, states, broken, undecided };
}

function entriesOfDocument(facts: Facts, id: string): Entry<Document>[] {
  const shown = shownOf(facts, id);
  const entries = facts.history.flatMap((done): Entry<Document>[] => {
    const step = stepOfDocument(done, id, facts);
    if (step === null) return [];
    const unseen = done.answer === null && isUnseen(done.op, shown, facts);
    return [{ ...spanOf(done), reads: changesNothing(done), apply: step, ...(unseen ? { unseen } : {}) }];
  });
  return [...entries, ...facts.listings.flatMap((listing) => unlisted(facts, listing, id))];
}

/** All names, folders and marks of a document in answers. */
type Shown = { readonly names: Set<string>; readonly parents: Set<string | null>; readonly marks: Set<string> };

function shownOf({ history, texts }: Facts, id: string): Shown {
  const shown: Shown = { names: new Set(), parents: new Set(), marks: new Set() };
  for (const done of history) {
    for (const row of rowsOf(done)) {
      if (row.id !== id) continue;
      shown.names.add(row.name);
      shown.parents.add(row.parent);
      for (const mark of marksIn(row.text ?? texts.get(row.change) ?? "")) shown.marks.add(mark);
    }
    if (done.op.kind === "show-review" && done.op.file === id && done.answer?.status === 200)
      for (const mark of marksIn(done.answer.json.content + done.answer.json.liveContent)) shown.marks.add(mark);
  }
  return shown;
}

/** Returns true if no answer shows an effect of the operation, whose own answer was lost. */
function isUnseen(op: Operation, { names, parents, marks }: Shown, { texts }: Facts): boolean {
  switch (op.kind) {
    case "rename":
      return !names.has(op.name);
    case "move":
      return !parents.has(op.parentId);
    case "create":
      return !marksIn(op.text).some((mark) => marks.has(mark));
    case "edit": {
      const before = new Set(marksIn(texts.get(op.base) ?? ""));
      const own = marksIn(op.text).filter((mark) => !before.has(mark));
      return own.length > 0 && !own.some((mark) => marks.has(mark));
    }
    default:
      return false;
  }
}

const spanOf = (done: ExecutedOperation) => ({ what: describeOperation(done), from: done.from, to: done.to });

/**
 * Returns an entry for a whole listing without the document: at one moment of it, the document did
 * not exist in the listed folder.
 */
function unlisted(facts: Facts, { of, selector, from, to, ids }: Listing, id: string): Entry<Document>[] {
  if (of === "folders" || ids.has(id)) return [];
  // Before the request of its creation, the document cannot be in any listing.
  if (to < (facts.creations.get(id)?.from ?? 0)) return [];
  if (selector === null || ("path_prefix" in selector && selector.path_prefix === "/")) {
    return [{ what: "a listing without it", from, to, reads: true, apply: (state) => (state === null ? [state] : []) }];
  }
  if (!("parent_id" in selector)) return [];
  const folder = selector.parent_id;
  const isElsewhere = (state: Document) => state === null || state.parent === undefined || state.parent !== folder;
  return [
    {
      what: `a listing of ${folder} without it`,
      from,
      to,
      reads: true,
      apply: (state) => (isElsewhere(state) ? [state] : []),
    },
  ];
}

function entriesOfTree(facts: Facts): Entry<Tree>[] {
  const known = new Set<string>();
  const entries = facts.history.flatMap((done): Entry<Tree>[] => {
    for (const { id } of foldersShown(done)) if (id !== null) known.add(id);
    const step = stepOfTree(done);
    return step === null ? [] : [{ ...spanOf(done), reads: leavesTree(done), apply: step }];
  });
  const whole = facts.listings.filter(({ of, selector }) => of === "folders" && isWhole(selector));
  const missing = whole.flatMap(({ from, to, ids }) =>
    [...known]
      .filter((id) => !ids.has(id))
      .map((id) => ({ what: `a listing without ${id}`, from, to, reads: true, apply: stepOfUnlisted(id) })),
  );
  return [...entries, ...missing];
}

const isWhole = (selector: Listing["selector"]) =>
  selector !== null && "path_prefix" in selector && selector.path_prefix === "/";

/** Returns a verdict in one line. */
export function describeVerdict(verdict: Verdict): string {
  const { operations, acknowledged, unknown, documents, places, states, broken, undecided } = verdict;
  const counts = `${operations} operations, ${acknowledged} acknowledged, ${unknown} unknown; ${documents} documents and ${places} places checked, ${states} states searched`;
  const end =
    broken.length > 0 ? `${broken.length} BROKEN` : undecided.length > 0 ? `${undecided.length} undecided` : "holds";
  return `${counts}: ${end}`;
}

/**
 * Returns the broken rules that hold for every history, in whatever order its operations happened.
 */

function findBreaches(facts: Facts): string[] {
  return [
    ...facts.history.flatMap(unjustified),
    ...facts.history.flatMap(doubledInPage),
    ...doubledInListings(facts.history),
    ...reusedChanges(facts.history),
    ...createdTwice(facts),
  ];
}

const PLACING = ["file_not_found", "folder_not_found", "path_already_exists"];
const REVIEWED = ["not_found", "edit_conflict"];

/**
 * Error codes with which the service may refuse each operation, given a key with Full access and a
 * valid request.
 */
const REFUSALS: Readonly<Record<Operation["kind"], readonly string[]>> = {
  read: ["file_not_found"],
  edit: ["file_not_found"],
  create: ["folder_not_found", "path_already_exists"],
  rename: PLACING,
  move: PLACING,
  protect: ["file_not_found"],
  delete: ["file_not_found", "file_protected", "changes_in_review"],
  "read-folder": ["folder_not_found"],
  "make-folder": ["folder_not_found", "path_already_exists"],
  "rename-folder": ["folder_not_found", "path_already_exists"],
  "move-folder": ["folder_not_found", "path_already_exists", "invalid_request"],
  "delete-folder": ["folder_not_found", "folder_not_empty", "changes_in_review", "file_protected"],
  list: [],
  accept: REVIEWED,
  reject: REVIEWED,
  "show-review": REVIEWED,
};

const DONE: Readonly<Partial<Record<Operation["kind"], readonly number[]>>> = {
  edit: [200, 202],
  create: [201],
  "make-folder": [201],
  delete: [204],
  "delete-folder": [204],
};

function unjustified(done: ExecutedOperation): string[] {
  const { op, answer } = done;
  if (answer === null) return [];
  const { status, json } = answer;
  const isDone = status < 300 && (DONE[op.kind] ?? [200]).includes(status);
  if (isDone || (status >= 400 && REFUSALS[op.kind].includes(json.code))) return [];
  return [`not to be answered so: ${describeOperation(done)} ${status >= 400 ? json.detail : ""}`];
}

/** Checks that a page, which shows one moment, contains no document and no path twice. */
function doubledInPage(done: ExecutedOperation): string[] {
  const { op, answer } = done;
  if (op.kind !== "list" || answer?.status !== 200) return [];
  const twice = (what: string, values: readonly string[]) =>
    repeated(values).map((value) => `the ${what} ${value} is twice in one page: ${describeOperation(done)}`);
  return [
    ...twice(
      "path",
      answer.json.data.map(({ path }: Json) => path),
    ),
    ...twice(
      "id",
      answer.json.data.map(({ id }: Json) => id),
    ),
    ...(answer.json.data.length > op.limit ? [`a page is longer than its limit: ${describeOperation(done)}`] : []),
  ];
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
}

/**
 * Checks that the pages of a listing share no document. Lists are sorted by creation, which no move
 * changes.
 */
function doubledInListings(history: readonly ExecutedOperation[]): string[] {
  const pages = history.filter(({ op, answer }) => op.kind === "list" && answer?.status === 200);
  const listings = Map.groupBy(pages, ({ op }) => (op.kind === "list" ? op.listing : -1));
  return [...listings].flatMap(([listing, own]) =>
    repeated(own.flatMap(({ answer }) => answer!.json.data.map(({ id }: Json) => id))).map(
      (id) => `${id} is twice in the pages of listing ${listing}`,
    ),
  );
}

/** Checks that a change id always has the same document and content. */
function reusedChanges(history: readonly ExecutedOperation[]): string[] {
  const texts = new Map<string, string>();
  const documents = new Map<string, string>();
  const breaches: string[] = [];
  for (const done of history) {
    for (const [change, text] of textsOf(done)) {
      if (texts.has(change) && texts.get(change) !== text)
        breaches.push(`${change} has two texts: ${describeOperation(done)}`);
      texts.set(change, text);
    }
    for (const { id, change } of rowsOf(done)) {
      const of = documents.get(change) ?? id;
      if (of !== id) breaches.push(`${change} is of ${of} and of ${id}: ${describeOperation(done)}`);
      documents.set(change, of);
    }
  }
  return breaches;
}

/**
 * Checks that each creation made one document at most. The first mark of a content is that of its
 * creation.
 */
function createdTwice({ history, creations }: Facts): string[] {
  const made = new Map<string, string>();
  const breaches: string[] = [];
  for (const done of history) {
    for (const { id, text } of rowsOf(done)) {
      const mark = text?.match(/<m\d+>/)?.[0];
      if (mark === undefined) continue;
      const first = made.get(mark) ?? id;
      if (first !== id) breaches.push(`one creation made ${first} and ${id}: ${describeOperation(done)}`);
      made.set(mark, first);
    }
  }
  const answered = history.filter(({ op, answer }) => op.kind === "create" && answer?.status === 201).length;
  if (answered !== creations.size) breaches.push(`${answered} creations were answered with ${creations.size} ids`);
  return breaches;
}
