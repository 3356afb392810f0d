import * as z from "zod";
import { refusal, type Result } from "../../common/trouble.ts";
import {
  type Declaration,
  type FieldMeta,
  ownInput,
  type Question,
  type ReadDeclaration,
  type ReadInput,
} from "./define.ts";

/**
 * Returns the schema of an operation's input. For an operation that writes, the input may have a
 * member `expected` with the versions that the caller has seen.
 */
export function makeInputSchema(declared: Declaration | ReadDeclaration): z.ZodObject {
  const ownSchema = ownInput(declared);
  if (declared.access !== "write" || declared.expected === undefined) return ownSchema;
  return z.strictObject({ ...ownSchema.shape, expected: declared.expected.optional() });
}

/**
 * Checks the input against the operation's schema, because no compiler checks a caller in
 * JavaScript.
 */
export function readInput<D extends Declaration>(declared: D, input: unknown): Result<ReadInput<D>>;
export function readInput<D extends ReadDeclaration>(declared: D, input: unknown): Result<Question<D>>;
export function readInput(declared: Declaration | ReadDeclaration, input: unknown = {}): Result<unknown> {
  const parsedInput = makeInputSchema(declared).safeParse(input);
  if (parsedInput.success) return { kind: "ok", value: parsedInput.data };
  const [{ path, message }] = parsedInput.error.issues as [z.core.$ZodIssue];
  const name = path.length === 0 ? "the input" : path.join(".");
  return refusal(`${name} is not valid: ${message}`, "correct it; nothing was done");
}

/** An option of the command. `value`: placeholder of the option's value; null for a flag. */
export type OptionField = { readonly name: string; readonly help: string; readonly value: string | null };

type FieldSchema = FieldMeta & { readonly type?: string; readonly description?: string };

export function listOptionFields(declared: Declaration | ReadDeclaration): readonly OptionField[] {
  const { properties = {} } = z.toJSONSchema(ownInput(declared), { io: "input" }) as {
    properties?: Record<string, FieldSchema>;
  };
  return Object.entries(properties).flatMap(([name, { type, description: help = "", value = "VALUE", isOperand }]) =>
    isOperand === true ? [] : [{ name, help, value: type === "boolean" ? null : value }],
  );
}
