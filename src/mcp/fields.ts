import * as z from "zod";
import { TEXT_CHARACTERS } from "./bounded.ts";

/** Arguments that several tools share. */

export { PATH } from "../mirror/operations/define.ts";

export const VERSION = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "a version is the 64 hexadecimal digits that read, write or create answered")
  .describe("the version that you read: the 64 digits that read, write, edit or create answered");

export const FROM_LINE = z.int().min(1).max(10_000_000).describe("the first line, counted from 1");
export const LINES = z.int().min(1).max(100_000).describe("how many lines at most");
export const CHARACTERS = z
  .int()
  .min(200)
  .max(TEXT_CHARACTERS.most)
  .describe(`characters of content in the answer at most (${TEXT_CHARACTERS.usual} if left out)`);

export function limit(most: number, usual: number): z.ZodOptional<z.ZodNumber> {
  return z.int().min(1).max(most).describe(`how many at most (${usual} if left out)`).optional();
}
