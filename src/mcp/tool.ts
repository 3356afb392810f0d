/**
 * Types of tools, their arguments and their results, and functions that limit the size of results.
 * The files in `tools/` define the tools, and `table.ts` lists all tools.
 */
import { formatPatch, type PatchNames } from "../mirror/operations/results/patch.ts";
import { splitLines } from "../markdown/merge/split.ts";
import * as z from "zod";
import type { ProcessContext } from "../mirror/folder/open-mirror.ts";
import type { Trouble } from "../common/trouble.ts";

/**
 * LIMIT: number of characters of content in one answer, so that answers stay short. `usual` is the
 * default, `most` the maximum.
 */
const TEXT_CHARACTERS = { usual: 20_000, most: 60_000 } as const;

/** A range of a document's lines, counted from 1. In an empty range, `to` is less than `from`. */
type TextPart = {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /**
   * First requested line that `text` lacks, wholly or in part, counted from 1; null if no line is
   * missing. Leaves out the rest of a line that is too long for any answer.
   */
  readonly next: number | null;
  /**
   * Length of the first line if even this line exceeds the limit, so that `text` has only its
   * beginning; otherwise null.
   */
  readonly cutLineLength: number | null;
};

/** Returns the lines from `from` (at least 1) to `last` that fit into `characters` UTF-16 units. */
export function cutLines(text: string, from: number, last: number, characters: number): TextPart {
  const lines = splitLines(text);
  const lastLine = Math.min(last, lines.length);
  let takenText = "";
  let number = from;
  for (; number <= lastLine; number++) {
    const line = lines[number - 1]!;
    if (takenText.length + line.length > characters) break;
    takenText += line;
  }
  const lineOrNull = (line: number) => (line <= lastLine ? line : null);
  if (number > lastLine || takenText !== "")
    return { text: takenText, from, to: number - 1, next: lineOrNull(number), cutLineLength: null };
  const line = lines[number - 1]!;
  const next = lineOrNull(fitsInAnswer(line.length) ? number : number + 1);
  return { text: cutToLength(line, characters), from, to: number, next, cutLineLength: line.length };
}

function fitsInAnswer(characters: number): boolean {
  return characters <= TEXT_CHARACTERS.most;
}

/** Returns the beginning of a text: at most `most` UTF-16 units. Never splits a character. */
export function cutToLength(text: string, most: number): string {
  if (text.length <= most) return text;
  const cutText = text.slice(0, most);
  return cutText.isWellFormed() ? cutText : cutText.slice(0, -1);
}

export function countTextLines(text: string): number {
  return splitLines(text).length;
}

export function formatTextDiff(names: PatchNames, before: string, after: string): string {
  return `${formatPatch(names, before, after).join("\n")}\n`;
}

/** A linked folder that clients can use. `name`: value of the argument `mirror` for this folder. */
export type ServedMirror = {
  readonly name: string;
  readonly root: string;
};

/**
 * Context of every call of a tool: the served folders, the environment, and a queue for each
 * folder.
 */
export type ToolHost = {
  readonly mirrors: readonly ServedMirror[];
  readonly openOptions: ProcessContext;
  /** Runs work that needs the folder's lock, after all earlier work for the folder has ended. */
  readonly inTurn: <T>(root: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * Result of a call. `facts` is sent as JSON, and never has content of documents. `text` is content,
 * and is sent unchanged.
 */
export type ToolResult = { readonly facts: object; readonly text?: string | undefined } & (
  | { readonly kind: "answer" }
  | { readonly kind: "refused"; readonly trouble: Trouble }
);

type ToolOf<Shape extends z.ZodRawShape> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Effect of a call: `reads` changes nothing, `syncs` runs a sync, `edits` changes documents. */
  readonly effect: "reads" | "syncs" | "edits";
  /** True if the tool can delete or overwrite a document. */
  readonly isDestructive?: boolean;
  readonly isOnline?: boolean;
  /** True if a call may omit the folder; the call then applies to all served folders. */
  readonly appliesToAll?: boolean;
  readonly input: Shape;
  run(mirror: ServedMirror, args: z.infer<z.ZodObject<Shape>>, host: ToolHost): Promise<ToolResult> | ToolResult;
};

export type Tool = ToolOf<z.ZodRawShape>;

export function defineTool<Shape extends z.ZodRawShape>(tool: ToolOf<Shape>): Tool {
  return tool as unknown as Tool;
}

export function makeAnswer(facts: object, text?: string): ToolResult {
  return { kind: "answer", facts, text };
}

export function makeRefusal(trouble: Trouble, facts: object = {}, text?: string): ToolResult {
  return { kind: "refused", trouble, facts, text };
}

/** Returns an answer with some lines of a text, and the number of the line after them. */
export function makePartialAnswer(
  facts: object,
  text: string,
  { from_line: from = 1, lines, max_characters }: TextRange,
) {
  const lastLine = lines === undefined ? Number.MAX_SAFE_INTEGER : from + lines - 1;
  const textPart = cutLines(text, from, lastLine, max_characters ?? TEXT_CHARACTERS.usual);
  const { text: shownText, cutLineLength, ...partFacts } = textPart;
  const cutNote = cutLineLength === null ? {} : { cut: describeCutLine(from, cutLineLength) };
  return makeAnswer({ ...facts, ...partFacts, ...cutNote }, shownText);
}

function describeCutLine(number: number, length: number): string {
  const advice = fitsInAnswer(length)
    ? `read it again with max_characters ${length}`
    : `no answer has more than ${TEXT_CHARACTERS.most}`;
  return `line ${number} has ${length} characters: ${advice}`;
}

/**
 * Shortens each list to the first or last `most` rows. Adds the number of rows that are then
 * missing.
 */
export function limitLists(facts: object, most: number, keeps: "first" | "last" = "first"): object {
  let leftOutCount = 0;
  const limitedEntries = Object.entries(facts).map(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value)) return [name, value];
    leftOutCount += Math.max(0, value.length - most);
    return [name, keeps === "first" ? value.slice(0, most) : value.slice(-most)];
  });
  return { ...Object.fromEntries(limitedEntries), ...(leftOutCount > 0 ? { leftOut: leftOutCount } : {}) };
}

export function refuseCall(what: string, next: string, code: string, facts: object = {}): ToolResult {
  return makeRefusal({ kind: "usage", what, next, code }, facts);
}

export const VERSION_SCHEMA = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "a version is the 64 hexadecimal digits that read, write or create answered")
  .describe("the version that you read: the 64 digits that read, write, edit or create answered");

/** Arguments that select lines of a document. Default: as many lines as fit into the answer. */
export const TEXT_RANGE = {
  from_line: z.int().min(1).max(10_000_000).describe("the first line, counted from 1").optional(),
  lines: z.int().min(1).max(100_000).describe("how many lines at most").optional(),
  max_characters: z
    .int()
    .min(200)
    .max(TEXT_CHARACTERS.most)
    .describe(`characters of content in the answer at most (${TEXT_CHARACTERS.usual} if left out)`)
    .optional(),
};
export type TextRange = z.infer<z.ZodObject<typeof TEXT_RANGE>>;

export function makeLimitSchema(most: number, defaultValue: number): z.ZodOptional<z.ZodNumber> {
  return z.int().min(1).max(most).describe(`how many at most (${defaultValue} if left out)`).optional();
}
