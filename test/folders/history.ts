import type { Dice } from "../simulator/dice.ts";
import type { Moment } from "./tap.ts";

/** Actions of a command. Users act on a document; processes work in a folder. */
type Kind =
  /** A user replaces the content or adds a paragraph. Creates the file if it is missing. */
  | "replace"
  | "add"
  | "rename"
  | "remove"
  /** A user resolves a conflict. */
  | "resolve"
  /** One `sync` that runs to its end. */
  | "sync"
  /** A `sync` (with `--watch` a daemon) that runs while the next commands are executed. */
  | "start"
  /** kill -9 of the process of the folder, or of a new `sync`. */
  | "kill"
  | "pause";

/**
 * One command of a history. Its meaning does not depend on other commands, so that a failing
 * history can be shrunk.
 */
export type Command = {
  readonly do: Kind;
  readonly folder: number;
  readonly doc: string;
  /** Folder into which `rename` moves the document. */
  readonly into: "" | "box/";
  /** `mine-by-hand`: the user deletes the conflict copy. */
  readonly side: "mine" | "theirs" | "mine-by-hand";
  /** `kill` comes `ms` after the nth such moment; `pause` takes 20 times as long. */
  readonly moment: Moment;
  readonly nth: number;
  readonly ms: number;
};

export type History = { readonly isWatched: boolean; readonly commands: readonly Command[] };

/** Documents that exist at first. No command changes the last two, so no folder is ever empty. */
export const SEEDED = ["a", "b", "k", "l"];
/** Documents that commands create, possibly in two folders, and create again after a deletion. */
export const CREATED = ["c", "d"];

const COMMANDS = 14;
/** LIMIT: a sync with little to do makes about this many requests. */
const MAX_REQUESTS = 6;
/** Few documents, so that several folders often change the same one. */
const DRAWN_DOCS = ["a", "a", "a", "b", "c", "c", "d"];
const BY_USERS: readonly Kind[] = ["replace", "add", "add", "add", "rename", "remove", "resolve"];
const SYNCED: readonly Kind[] = [...BY_USERS, "sync", "sync", "sync", "sync", "start", "kill", "kill"];
const WATCHED: readonly Kind[] = [...BY_USERS, "start", "start", "start", "kill", "pause", "pause", "pause", "pause"];

export function drawHistory(dice: Dice, isWatched: boolean): History {
  const draw = (): Command => ({
    do: dice.pick(isWatched ? WATCHED : SYNCED),
    folder: dice.below(3),
    doc: dice.pick(DRAWN_DOCS),
    into: dice.pick(["", "box/"]),
    side: dice.pick(["mine", "theirs", "mine-by-hand"]),
    moment: dice.pick(["request", "answer"]),
    nth: 1 + dice.below(MAX_REQUESTS),
    ms: dice.pick([0, 0, dice.below(8), dice.below(40)]),
  });
  return { isWatched, commands: Array.from({ length: COMMANDS }, draw) };
}

export function showCommand({ do: what, folder, doc, into, side, moment, nth, ms }: Command): string {
  if (what === "pause") return `pause ${ms * 20} ms`;
  if (what === "kill") return `kill ${folder}, ${ms} ms after ${moment} ${nth}`;
  return `${what} ${folder} ${doc}${what === "rename" ? ` ${into}` : ""}${what === "resolve" ? ` ${side}` : ""}`;
}

/** LIMIT: histories that are tried to shrink one failure; each is played twice. */
const MAX_TRIES = 40;

/**
 * Returns the fewest commands that still fail: leaves out many commands together at first, then
 * single ones. Real processes are not deterministic, so a candidate counts as passed only after two
 * plays.
 */
export async function shrink(history: History, fails: (candidate: History) => Promise<boolean>): Promise<History> {
  let best = history;
  let tries = 0;
  for (let size = Math.ceil(best.commands.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < best.commands.length && tries < MAX_TRIES; tries++) {
      const candidate = { ...best, commands: best.commands.toSpliced(from, size) };
      if ((await fails(candidate)) || (await fails(candidate))) best = candidate;
      else from += size;
    }
  return best;
}

export const DOCS = [...SEEDED, ...CREATED];

const WORDS = "amber birch cedar dune elm fern gorse heath iris juniper kelp larch moss nettle oak pine".split(" ");

/** Returns the mark of the nth paragraph that users write. It also names the document. */
export const markOf = (doc: string, n: number) => `<m${DOCS.indexOf(doc) + 1}${String(n).padStart(3, "0")}>`;

/** Returns a paragraph that the test recognizes everywhere, by its own mark and words. */
export function paragraph(doc: string, n: number): string {
  const words = [1, 2, 3, 4, 5, 6].map((k) => `${WORDS[(n * 7 + k * (n + 3)) % WORDS.length]}${n}`);
  return `${markOf(doc, n)} ${words.join(" ")}\n`;
}

export function withParagraph(content: string, added: string, n: number): string {
  const paragraphs = content.split("\n\n").map((one) => `${one.trim()}\n`);
  return paragraphs.toSpliced(n % (paragraphs.length + 1), 0, added).join("\n");
}

/** Returns the sorted marks of one document, or of all documents. */
export function marksIn(content: string, doc?: string): string[] {
  const marks = new Set(content.match(/<m\d+>/g) ?? []);
  return [...marks].filter((mark) => doc === undefined || DOCS[Number(mark[2]) - 1] === doc).toSorted();
}
