import { readdirSync, readFileSync } from "node:fs";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { rollDice } from "../simulator/dice.ts";

/**
 * Daily notes that two devices edited, with the results that a careful person would accept. The
 * files in `daily-notes/` contain the cases. Lines that begin with `%% ` separate the parts: a
 * title above base; then `local`, `remote`, and `merged` above each accepted result; `conflict` if
 * a conflict is accepted. ␍ means a carriage return; after ␄ there is no line feed.
 */
export type Note = {
  readonly title: string;
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  /** Accepted results; empty if only a conflict is accepted. */
  readonly merged: readonly string[];
  readonly mayConflict: boolean;
};

/** Result of a merge: `needless` is a conflict although a merge is possible. */
export type NoteVerdict = "right" | "needless" | "wrong";

const FOLDER = new URL("daily-notes/", import.meta.url);

export function readNotes(): Note[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
  return names.sort().flatMap((name) => notesIn(readFileSync(new URL(name, FOLDER), "utf8"), name));
}

/** Headers of the parts of a case. Any other header is the title of a case. */
const PARTS = "local|remote|merged|conflict";

function notesIn(text: string, file: string): Note[] {
  const cases = text.split(new RegExp(`\\n(?=%% (?!(?:${PARTS})$))`, "m"));
  return cases.map((one) => noteOf(one.split(/^%% /m).slice(1).map(partOf), file));
}

type Part = { readonly head: string; readonly body: string };

function partOf(part: string): Part {
  const feed = part.indexOf("\n");
  const body = part
    .slice(feed + 1)
    .replaceAll("␍\n", "\r\n")
    .replaceAll("␄\n", "");
  return { head: part.slice(0, feed), body };
}

function noteOf([first, ...parts]: readonly Part[], file: string): Note {
  const bodiesOf = (head: string): string[] => parts.filter((part) => part.head === head).map(({ body }) => body);
  const [local, remote] = [bodiesOf("local")[0], bodiesOf("remote")[0]];
  if (first === undefined || local === undefined || remote === undefined) throw new Error(`no whole case in ${file}`);
  const [merged, mayConflict] = [bodiesOf("merged"), bodiesOf("conflict").length > 0];
  if (merged.length === 0 && !mayConflict) throw new Error(`no end of ${first.head} in ${file}`);
  return { title: `${file}: ${first.head}`, base: first.body, local, remote, merged, mayConflict };
}

/** Compares a result with the accepted ones; undefined is a conflict. */
export function judgeNote(note: Note, merged: string | undefined): NoteVerdict {
  if (merged === undefined) return note.mayConflict ? "right" : "needless";
  return note.merged.includes(merged) ? "right" : "wrong";
}

/** Returns a note with its sides exchanged. */
export function turned(note: Note): Note {
  return { ...note, title: `${note.title} (sides exchanged)`, local: note.remote, remote: note.local };
}

/** Merges a note like mdmirror. Returns undefined for a conflict. */
export function mergeNote({ base, local, remote }: Note): string | undefined {
  const result = mergeText(base, local, remote);
  return result.kind === "clean" ? result.text : undefined;
}

/**
 * A list in which one side replaced, inserted, removed or exchanged items, and the other side
 * edited the words of one item. The labels of the items (bullets, numbers, days, times) keep their
 * order.
 */
type EditedList = {
  readonly format: string;
  readonly change: Change;
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  /** The right result; empty if only a conflict is right. */
  readonly merged: readonly string[];
  readonly mayConflict: boolean;
};

type Change = "replace" | "insert" | "remove" | "exchange";
type Random = (below: number) => number;

const WORDS =
  "buy sell milk car bread walk dog paint fence call Ann write letter clean oven fix bike read book plan trip water plants cook rice pay rent wash shirt roof feed cat pack bag".split(
    " ",
  );
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const lines =
  (line: (item: string, at: number) => string, head = "") =>
  (items: readonly string[]) =>
    `${head}${items.map((item, at) => `${line(item, at)}\n`).join("")}`;

const FORMATS: Readonly<Record<string, (items: readonly string[]) => string>> = {
  bullets: lines((item) => `- ${item}`),
  tasks: lines((item) => `- [ ] ${item}`),
  numbers: lines((item, at) => `${at + 1}. ${item}`),
  letters: lines((item, at) => `${"abcdefg"[at]}) ${item}`),
  rows: lines((item, at) => `| ${at + 1} | ${item} |`, "| # | what |\n|---|---|\n"),
  headings: lines((item, at) => `## ${at + 1}. ${item}\n`),
  days: lines((item, at) => `- ${DAYS[at]}: ${item}`),
  "rows of days": lines((item, at) => `| ${DAYS[at]} | ${item} |`, "| day | what |\n|---|---|\n"),
  times: lines((item, at) => `- ${9 + at}:00 ${item}`),
  steps: lines((item, at) => `Step ${at + 1}: ${item}\n`),
  dashes: lines((item, at) => `- ${DAYS[at]} - ${item}`),
  bold: lines((item, at) => `- **${DAYS[at]}** ${item}`),
  sentences: (items) => `${items.map((item) => `We ${item}.`).join(" ")}\n`,
};

const ITEMS = 4;

/** Returns up to `count` lists of each format and change. */
export function editedLists(count: number, seed: number): EditedList[] {
  const dice = rollDice(seed);
  const random: Random = (below) => dice.below(below);
  const changes: readonly Change[] = ["replace", "insert", "remove", "exchange"];
  return Object.keys(FORMATS).flatMap((format) =>
    changes.flatMap((change) =>
      Array.from({ length: count }, () => editedList(format, change, random)).filter((one) => one !== undefined),
    ),
  );
}

/** Returns one list; undefined if two random items are equal. */
function editedList(format: string, change: Change, random: Random): EditedList | undefined {
  const write = FORMATS[format] as (items: readonly string[]) => string;
  const base = Array.from({ length: ITEMS }, () => newItem(random));
  const place = random(ITEMS);
  const old = base[place] as string;
  const edited = editItem(old, random);
  if (new Set([...base, edited]).size <= ITEMS) return undefined;
  const made = changeItems(base, change, place, random);
  if (made === undefined) return undefined;
  const merged = made.map((item) => (item === old ? edited : item));
  const remote = base.map((item) => (item === old ? edited : item));
  return {
    format,
    change,
    base: write(base),
    local: write(made),
    remote: write(remote),
    merged: change === "replace" ? [] : [write(merged)],
    mayConflict: change === "replace" || change === "exchange",
  };
}

/**
 * Returns the items after one side's change; the other side edits the item at `place`. Returns
 * undefined if the change is not possible.
 */
function changeItems(items: readonly string[], change: Change, place: number, random: Random): string[] | undefined {
  const made = [...items];
  const other = (place + 1 + random(ITEMS - 1)) % ITEMS;
  const item = newItem(random);
  if (change === "replace") {
    const known = new Set((items[place] as string).split(" "));
    if (items.includes(item) || item.split(" ").some((word) => known.has(word))) return undefined;
    made[place] = item;
  } else if (change === "insert") {
    if (items.includes(item)) return undefined;
    made.splice(random(ITEMS + 1), 0, item);
  } else if (change === "remove") made.splice(other, 1);
  else [made[place], made[other]] = [items[other] as string, items[place] as string];
  return made;
}

function pick<T>(some: readonly T[], random: Random): T {
  return some[random(some.length)] as T;
}

function newItem(random: Random): string {
  const words = Array.from({ length: 1 + random(4) }, () => pick(WORDS, random));
  if (words.length > 2 && random(2) === 1) words.splice(2, 0, pick(["and", "the", "with", "for"], random));
  return words.join(" ");
}

/**
 * Returns an item with words added at its end, at its start or within it, or with one word
 * replaced.
 */
function editItem(item: string, random: Random): string {
  const words = item.split(" ");
  const kind = random(4);
  if (kind === 0) return item + pick([", two litres", " with jam", " today", " (twice)"], random);
  if (kind === 1) return pick(["please ", "quickly "], random) + item;
  if (kind === 2 && words.length > 1) words.splice(1 + random(words.length - 1), 0, pick(["old", "new"], random));
  else words[random(words.length)] = pick(["zebra", "quartz", "mango"], random);
  return words.join(" ");
}
