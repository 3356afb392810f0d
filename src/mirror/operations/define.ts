/**
 * Defines operations, which users and programs can call. The command, the tool for agents, the
 * method of the library and the action of the pages all come from one declaration.
 */

import * as z from "zod";
import type { SyncReport } from "./results/shapes.ts";

type DeclaredParts = {
  /** Name of the command, the tool and the method: a verb. */
  readonly name: string;
  /** One line for the list of commands. Begins with a verb and has no full stop. */
  readonly summary: string;
  /** Paragraphs of the help, which are also the description of the tool. */
  readonly about: readonly string[];
  /**
   * Schema of the input. The descriptions of its fields are the help of the options. Metadata: see
   * `FieldMeta`.
   */
  readonly input: z.ZodObject;
  readonly result: z.ZodObject;
};

/** The part of an operation that the front ends show. A declaration imports no module but zod. */
export type Declaration = DeclaredParts & {
  /**
   * The operation needs the lock of the folder. With `--read-only`, no tool offers the operation.
   */
  readonly access: "write";
  /**
   * True for a decision that only a person takes. No tool offers it, and a program has to pass the
   * version that the person saw, if there is one.
   */
  readonly isForPeople?: true;
  /** True if no sync follows the operation: the next sync carries out the decision. */
  readonly isForNextSync?: true;
  /** Versions that the caller saw. If the current versions differ, the operation does nothing. */
  readonly expected?: z.ZodObject;
};

/**
 * The part of an operation that the front ends show, for an operation that changes no document by
 * itself.
 */
export type ReadDeclaration = DeclaredParts & {
  /** `sync`: the operation may sync both sides. With `--read-only`, no tool offers it. */
  readonly access: "read" | "sync";
  /** True if the operation sends requests to the service. */
  readonly isOnline?: true;
  /**
   * Names of the fields of the result that have content of documents. `--json` and the facts of a
   * tool leave these fields out.
   */
  readonly contents?: readonly string[];
  /** Exit codes of the command, as a clause. Undefined if success is the only exit code. */
  readonly exits?: string;
};

/** Metadata of one field of an input, for the command line. */
export type FieldMeta = {
  /** Placeholder of the value in the help, such as FILE. */
  readonly value?: string;
  /** True if the field is not an option of the command, but for example an operand. */
  readonly isOperand?: boolean;
};

export type InputOf<D extends Declaration> = z.input<D["input"]> & Common<D>;
export type ReadInput<D extends Declaration> = z.output<D["input"]> & Common<D>;
export type ResultOf<D extends Declaration> = Extract<z.output<D["result"]>, ResultEnds>;

/**
 * Result of an operation with the report of the sync that followed. `sync`: null if no sync
 * followed.
 */
export type ResultWithSync<D extends Declaration> = ResultOf<D> & { readonly sync: SyncReport | null };

export type Question<D extends ReadDeclaration> = z.output<D["input"]>;
export type Answer<D extends ReadDeclaration> = z.output<D["result"]>;

/**
 * Method of the library for an operation. An input whose fields are all optional may be left out.
 */
export type MethodOf<D extends Declaration | ReadDeclaration> = D extends Declaration
  ? (input: InputOf<D>) => Promise<ResultWithSync<D>>
  : (...input: MethodInput<z.input<D["input"]>>) => Promise<z.output<D["result"]>>;

type MethodInput<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input];

/** Input fields of every operation with access `write`. */
type Common<D extends Declaration> = z.output<typeof COMMON_FIELDS> & {
  readonly expected?: z.output<NonNullable<D["expected"]>> | undefined;
};

const COMMON_FIELDS = z.strictObject({
  dryRun: z.boolean().describe("show what it would do and write nothing").optional(),
  noSync: z.boolean().describe("only change the local folder; the next sync uploads it").optional(),
});

/** Returns the input of an operation without the expected versions. */
export function ownInput(declared: Declaration | ReadDeclaration): z.ZodObject {
  const { input } = declared;
  if (declared.access !== "write") return input;
  const { isForNextSync } = declared;
  const { noSync, dryRun } = COMMON_FIELDS.shape;
  return z.strictObject({ ...input.shape, dryRun, ...(isForNextSync === true ? {} : { noSync }) });
}

/** Part of a result that every operation has. */
export type ResultEnds = {
  /** Number of the run of this operation, which `undo` reverts; null if the operation made none. */
  readonly run: number | null;
  /** True if the service was not reached, so that some documents were not tried. */
  readonly isOffline?: boolean;
  readonly items: readonly ItemEnd[];
};

type ItemEnd = { readonly [Name in keyof typeof ITEM_END]: z.output<(typeof ITEM_END)[Name]> };

/** Fields of each item in the result of an operation on documents. */
export const ITEM_END = {
  path: z.string(),
  end: z
    .enum(["planned", "done", "left", "failed"])
    .describe("left: the plan left it alone; failed: not done, and nothing was lost"),
  why: z.string().describe("why it was not done, as a clause; empty if it was"),
  notes: z.array(z.string()).readonly(),
};

/** Fields in the result of an operation on documents of the service. */
export const MANY_ENDS = {
  run: z.int().nullable(),
  isOffline: z.boolean().describe("the service was not reached, so some were not tried"),
  items: ROWS(ITEM_END),
};

export const TEXT = z.string();
export const TEXTS = z.array(TEXT).readonly();
/** Schema of a time: milliseconds since the epoch. */
export const TIME = z.number();
/** Schema of a past time, as people write it. */
export const MOMENT = z.string().min(1).max(64);

/** Returns the schema of a list of objects. */
export function ROWS<Shape extends z.ZodRawShape>(
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

/** Describes a field and its option on the command line. */
export function option<T extends z.ZodType>(type: T, description: string, meta: FieldMeta = {}): z.ZodOptional<T> {
  return type.meta({ ...meta, description }).optional();
}
