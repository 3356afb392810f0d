/**
 * Declares operations, which users and programs can request for a linked folder. One declaration
 * gives the command, the tool for agents, the method of the library and the action of the web
 * pages.
 */

import * as z from "zod";
import type { SyncReport } from "./results/shapes.ts";

type DeclaredParts = {
  /** Name of the command, the tool and the method. Begins with a verb. */
  readonly name: string;
  /** Summary in the list of commands. Begins with a verb and has no full stop. */
  readonly summary: string;
  /** Paragraphs of the command's help, and of the description of the tool for agents. */
  readonly about: readonly string[];
  /** Schema of the input. The description of a field is also the help of the command's option. */
  readonly input: z.ZodObject;
  readonly result: z.ZodObject;
};

/**
 * Declaration of an operation that writes. A module with declarations imports only zod and this
 * file, so that the types of the package need no module of the client.
 */
export type Declaration = DeclaredParts & {
  /** `write`: takes the folder's lock. With `--read-only`, agents get no tool for the operation. */
  readonly access: "write";
  /**
   * True if only a person may decide. A caller that asks nobody has to pass, in `expected`, the
   * versions that a person saw.
   */
  readonly isForPeople?: true;
  /** True if the next sync carries out the decision, so that the operation starts no sync. */
  readonly isForNextSync?: true;
  /**
   * Schema of the versions that the caller saw. If one of these versions has changed, mdmirror
   * refuses the operation.
   */
  readonly expected?: z.ZodObject;
};

export type ReadDeclaration = DeclaredParts & {
  /** `sync`: may sync both sides. With `--read-only`, agents get no tool for the operation. */
  readonly access: "read" | "sync";
  readonly isOnline?: true;
  /**
   * Names of result fields that have content of documents. `--json` and structured tool output omit
   * these fields.
   */
  readonly contents?: readonly string[];
  /** Clause about unusual exit codes of the command; undefined if there are none. */
  readonly exits?: string;
};

export type FieldMeta = {
  /** Placeholder of the value in the help, such as FILE. */
  readonly value?: string;
  readonly isOperand?: boolean;
};

export type InputOf<D extends Declaration> = z.input<D["input"]> & CommonInput<D>;
export type ReadInput<D extends Declaration> = z.output<D["input"]> & CommonInput<D>;
export type ResultOf<D extends Declaration> = Extract<z.output<D["result"]>, ResultEnds>;

/** Result of an operation. `sync`: report of the sync afterwards; null without such a sync. */
export type ResultWithSync<D extends Declaration> = ResultOf<D> & { readonly sync: SyncReport | null };

export type Question<D extends ReadDeclaration> = z.output<D["input"]>;
export type Answer<D extends ReadDeclaration> = z.output<D["result"]>;

/**
 * Type of the library's method. The input is optional for an operation that does not write and has
 * only optional fields.
 */
export type MethodOf<D extends Declaration | ReadDeclaration> = D extends Declaration
  ? (input: InputOf<D>) => Promise<ResultWithSync<D>>
  : (...input: MethodInput<z.input<D["input"]>>) => Promise<z.output<D["result"]>>;

type MethodInput<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input];

type CommonInput<D extends Declaration> = z.output<typeof COMMON_FIELDS> & {
  readonly expected?: z.output<NonNullable<D["expected"]>> | undefined;
};

const COMMON_FIELDS = z.strictObject({
  dryRun: z.boolean().describe("show what it would do and write nothing").optional(),
  noSync: z.boolean().describe("only change the local folder; the next sync uploads it").optional(),
});

/** Returns the schema of an operation's input, without the versions in `expected`. */
export function ownInput(declared: Declaration | ReadDeclaration): z.ZodObject {
  const { input } = declared;
  if (declared.access !== "write") return input;
  const { isForNextSync } = declared;
  const { noSync, dryRun } = COMMON_FIELDS.shape;
  return z.strictObject({ ...input.shape, dryRun, ...(isForNextSync === true ? {} : { noSync }) });
}

export type ResultEnds = {
  /** Number of the operation's run, which `undo` can revert; null if the operation made no run. */
  readonly run: number | null;
  /** True if the service was unreachable, so that mdmirror did not try some documents. */
  readonly isOffline?: boolean;
  readonly items: readonly CommonResultItem[];
};

type CommonResultItem = { readonly [Name in keyof typeof ITEM_FIELDS]: z.output<(typeof ITEM_FIELDS)[Name]> };

export const ITEM_FIELDS = {
  path: z.string(),
  end: z
    .enum(["planned", "done", "left", "failed"])
    .describe("left: the plan left it alone; failed: not done, and nothing was lost"),
  why: z.string().describe("why it was not done, as a clause; empty if it was"),
  notes: z.array(z.string()).readonly(),
};

export const MANY_RESULT_FIELDS = {
  run: z.int().nullable(),
  isOffline: z.boolean().describe("the service was not reached, so some were not tried"),
  items: makeListSchema(ITEM_FIELDS),
};

export const TEXT = z.string();
export const TEXTS = z.array(TEXT).readonly();
/** Schema of a time in a result: milliseconds since the epoch. */
export const TIME = z.number();
/** Schema of a past time that a user typed, such as `2h` or `2026-11-22 09:30`. */
export const MOMENT = z.string().min(1).max(64);

export function makeListSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodReadonly<z.ZodArray<z.ZodObject<Shape, z.core.$strict>>> {
  return z.array(z.strictObject(shape)).readonly();
}

export const DIGEST = z.string().regex(/^[0-9a-f]{64}$/, "a version is the 64 hexadecimal digits of its SHA-256");
export const PATHS = z
  .array(z.string().min(1).max(4_096))
  .min(1)
  .max(10_000)
  .readonly()
  .describe("paths below the linked folder, with / between names: notes/plan.md")
  .meta({ isOperand: true } satisfies FieldMeta);

const ONE_PATH = "a path below the linked folder, with / between names: notes/plan.md";
export const PATH = z.string().min(1).max(4_096).meta({ description: ONE_PATH, isOperand: true });
const ONE_VERSION = "the number of a version in the history; left out: the newest";
export const VERSION_NUMBER = z.int().min(1).meta({ description: ONE_VERSION, isOperand: true }).optional();

export function makeOption<T extends z.ZodType>(type: T, description: string, meta: FieldMeta = {}): z.ZodOptional<T> {
  return type.meta({ ...meta, description }).optional();
}
