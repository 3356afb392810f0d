import * as z from "zod";
import type { SyncReport } from "./results/shapes.ts";

/**
 * Defines operations: what users and programs can ask for. The command, the tool for agents, the
 * method of the library and the action of the pages all come from one declaration.
 */

/** The part of an operation that the front ends show. It loads nothing but zod. */
export type Declaration<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Expected extends z.ZodObject = z.ZodObject,
> = {
  /** Name of the command, the tool and the method: a verb. */
  readonly name: string;
  /** One line for the list of commands. Begins with a verb and has no full stop. */
  readonly summary: string;
  /** Paragraphs of the help, which are also the description of the tool. */
  readonly about: readonly string[];
  /**
   * `write`: the operation needs the lock of the folder. A tool with this access is not offered
   * with `--read-only`.
   */
  readonly access: "read" | "write";
  /**
   * True for a decision that only a person takes. No tool has it, and a program has to name the
   * version that the person saw, if there is one.
   */
  readonly isForPeople?: true;
  /** True if no sync follows the operation: the next sync carries out the decision. */
  readonly isForNextSync?: true;
  /**
   * Schema of the input. The descriptions of its fields are the help of the options. Metadata: see
   * `FieldMeta`.
   */
  readonly input: Input;
  /** Versions that the caller saw. If the present versions differ, the operation does nothing. */
  readonly expected?: Expected;
  readonly result: Output;
};

/** Returns the declaration unchanged; keeps the types of its schemas. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject, Expected extends z.ZodObject>(
  declared: Declaration<Input, Output, Expected>,
): Declaration<Input, Output, Expected> {
  return declared;
}

/** Metadata of one field of an input, for the command line. */
export type FieldMeta = {
  /** Placeholder of the value in the help, such as FILE. */
  readonly value?: string;
  readonly short?: string;
  /**
   * True if the command takes the field in another way than as an option, such as by its operands.
   */
  readonly isOperand?: boolean;
};

export type InputOf<D extends Declaration> = z.input<D["input"]> & Common<D>;
export type ReadInput<D extends Declaration> = z.output<D["input"]> & Common<D>;
export type ResultOf<D extends Declaration> = z.output<D["result"]> & Ends;

/**
 * Result of an operation with the report of the sync that followed. `sync`: null if no sync
 * followed.
 */
export type ResultWithSync<D extends Declaration> = ResultOf<D> & { readonly sync: SyncReport | null };

/** Input fields that all operations of access `write` have. */
type Common<D extends Declaration> = z.output<typeof COMMON> & {
  readonly expected?: z.output<NonNullable<D["expected"]>> | undefined;
};

const COMMON = z.strictObject({
  dryRun: z.boolean().describe("show what it would do and write nothing").optional(),
  noSync: z.boolean().describe("only change the local folder; the next sync uploads it").optional(),
});

/** Returns the input of an operation without the expected versions. */
export function ownInput({ access, isForNextSync, input }: Declaration): z.ZodObject {
  if (access === "read") return input;
  const { noSync, dryRun } = COMMON.shape;
  return z.strictObject({ ...input.shape, dryRun, ...(isForNextSync === true ? {} : { noSync }) });
}

/** Part of a result that all operations share. */
export type Ends = {
  /** Run that `undo` would revert; null if there is none. */
  readonly run: number | null;
  /** True if the service was not reached, so that some documents were not tried. */
  readonly isOffline?: boolean;
  readonly items: readonly { readonly path: string; readonly end: "planned" | "done" | "left" | "failed" }[];
};

/** Members of each item in the result of an operation on documents. */
export const ITEM_END = {
  path: z.string(),
  end: z
    .enum(["planned", "done", "left", "failed"])
    .describe("left: not tried; failed: tried and not done, and nothing was lost"),
  why: z.string().describe("why it was not done, as a clause; empty if it was"),
  notes: z.array(z.string()).readonly(),
};

export const DIGEST = z.string().regex(/^[0-9a-f]{64}$/, "a version is the 64 hexadecimal digits of its SHA-256");
export const PATHS = z
  .array(z.string().min(1).max(4_096))
  .min(1)
  .max(10_000)
  .readonly()
  .describe("paths below the linked folder, with / between names: notes/plan.md")
  .meta({ isOperand: true } satisfies FieldMeta);

/** Describes a field and its option on the command line. */
export function option<T extends z.ZodType>(type: T, description: string, meta: FieldMeta = {}): z.ZodOptional<T> {
  return type.meta({ ...meta, description }).optional();
}
