import type { Json } from "../../src/conformance/world.ts";
import { type Facts, rowsOf, textsOf } from "./facts.ts";
import { type ExecutedOperation, type Operation, describeOperation } from "./operation.ts";

/**
 * Returns the broken rules that hold for every history, in whatever order its operations happened.
 */

export function findBreaches(facts: Facts): string[] {
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
