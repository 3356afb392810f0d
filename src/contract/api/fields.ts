/**
 * Schemas for the fields of requests: ids, names, paths and content. Each schema contains the error
 * codes of the contract, and a description for `openapi.json`.
 */

import { z } from "zod";
import { isStrictId } from "../ids.ts";
import { countCharacters, MAX_CONTENT_CHARACTERS, MAX_PATH_CHARACTERS, MAX_PATH_NAMES } from "../limits.ts";
import { NAME_FAULT_TEXT, type NameFault, type NameKind, findNameFaults, findFirstFault, splitPath } from "../names.ts";
import type { FieldCode, ProblemCode } from "../problem.ts";

/** Fault of a value. `problem`: error code of the whole answer; `invalid_request` if undefined. */
export type FieldFault = { readonly code: FieldCode; readonly problem?: ProblemCode; readonly detail: string };

/**
 * LIMIT: number of characters of a value that a message quotes, so that the message stays short.
 */
const MAX_SHOWN_CHARACTERS = 100;

export function quoteValue(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);
}

/** Returns the JSON Pointer (RFC 6901) to a query parameter or to a field of the body. */
export function makePointer(...names: readonly PropertyKey[]): string {
  const parts = names.map((name) => String(name).slice(0, MAX_SHOWN_CHARACTERS));
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function makeStringSchema(judge: (value: string) => FieldFault | null) {
  return z.string().superRefine((value, { addIssue }) => {
    const fault = judge(value);
    if (fault !== null) addIssue({ code: "custom", message: fault.detail, params: fault });
  });
}

/** @param path path without its leading slash, which the limits do not count */
export function findLengthFault(path: string, kind: NameKind): FieldFault | null {
  const isTooLong = path.split("/").length > MAX_PATH_NAMES[kind] || countCharacters(path) > MAX_PATH_CHARACTERS[kind];
  return isTooLong ? { code: "too_long", detail: pathLimitText(kind) } : null;
}

export function pathLimitText(kind: NameKind): string {
  return `The path of a ${kind} has at most ${MAX_PATH_CHARACTERS[kind]} characters and ${MAX_PATH_NAMES[kind]} names.`;
}

/**
 * ASSUMES: a path that ends like a path of the other kind, such as `docs` for a file, is answered
 * `409 type_mismatch`, unless the path has an earlier fault. Other illegal paths are answered `400
 * invalid_request` (contract tests "answers type_mismatch …").
 */
function findPathFault(value: string, kind: NameKind): FieldFault | null {
  const path = removeSlash(value);
  const lengthFault = findLengthFault(path, kind);
  if (lengthFault !== null) return lengthFault;
  // Without the added slash, the second slash of `//a` would count as the leading slash.
  const nameFault = findFirstFault(`/${path}`, kind);
  if (nameFault === null) return null;
  const isOfOtherKind = nameFault.fault === "not-lowercase-md" || nameFault.fault === "folder-ends-in-md";
  return {
    ...toNameFault(nameFault.name, nameFault.fault),
    ...(isOfOtherKind ? { problem: "type_mismatch" as const } : {}),
  };
}

function removeSlash(path: string): string {
  return splitPath(path).join("/");
}

function toNameFault(name: string, fault: NameFault): FieldFault {
  return { code: toFieldCode(fault), detail: `The name ${quoteValue(name)} ${NAME_FAULT_TEXT[fault]}.` };
}

function toFieldCode(fault: NameFault): FieldCode {
  if (fault === "too-long") return "too_long";
  return fault === "lone-surrogate" ? "invalid_format" : "invalid_name";
}

/**
 * ASSUMES: content is well-formed Unicode without NUL. Other content is not "Markdown or plain
 * text" and is answered `400 invalid_request` (contract test "refuses content that is not text").
 */
export function findContentFault(value: string): FieldFault | null {
  // The number of UTF-16 units is never smaller than the number of characters, so the characters of
  // most content need not be counted.
  if (value.length > MAX_CONTENT_CHARACTERS && countCharacters(value) > MAX_CONTENT_CHARACTERS) {
    const detail = `The content has ${countCharacters(value)} characters; the limit is ${MAX_CONTENT_CHARACTERS}.`;
    return { code: "too_long", problem: "content_too_large", detail };
  }
  if (!value.includes("\0") && value.isWellFormed()) return null;
  return { code: "invalid_format", detail: "The content holds NUL or a lone surrogate." };
}

const makePathSchema = (kind: NameKind) =>
  makeStringSchema((value) => findPathFault(value, kind))
    .transform(removeSlash)
    .meta({ description: `Path of a ${kind}, from the root.`, maxLength: MAX_PATH_CHARACTERS[kind] + 1 });

const makeNameSchema = (kind: NameKind) =>
  makeStringSchema((value) => {
    const [fault] = findNameFaults(value, kind);
    return fault === undefined ? null : toNameFault(value, fault);
  }).meta({ description: `Name of a ${kind}.`, minLength: 1, maxLength: 255 });

export const filePathSchema = makePathSchema("file");
export const folderPathSchema = makePathSchema("folder");
export const fileNameSchema = makeNameSchema("file");
export const folderNameSchema = makeNameSchema("folder");
export const contentSchema = makeStringSchema(findContentFault).meta({
  description: "Markdown or plain text.",
  maxLength: MAX_CONTENT_CHARACTERS,
});

/**
 * Path of the folder to which a request is limited. `/` means the whole workspace, and is parsed as
 * an empty path.
 */
export const pathPrefixSchema = makeStringSchema((value) => (value === "/" ? null : findPathFault(value, "folder")))
  .transform(removeSlash)
  .meta({ description: "Path of a folder; `/` is the whole tree.", maxLength: MAX_PATH_CHARACTERS.folder + 1 });

const INTEGER_PATTERN = /^-?(0|[1-9][0-9]{0,14})$/;

export type IntegerRange = { readonly min: number; readonly max: number; readonly default: number };

export function makeIntegerParameter(range: IntegerRange) {
  const parseInteger = (sent: unknown) =>
    typeof sent === "string" && INTEGER_PATTERN.test(sent) ? Number(sent) : sent;
  return z.preprocess(parseInteger, z.int().min(range.min).max(range.max)).default(range.default);
}

export function makeFlagParameter() {
  const parseFlag = (sent: unknown) => (sent === "true" || sent === "false" ? sent === "true" : sent);
  return z.preprocess(parseFlag, z.boolean()).default(false);
}

export type IdPrefix = "doc_" | "dir_" | "chg_";

export function makeIdSchema(form: IdPrefix) {
  return makeStringSchema((value) => {
    if (value.startsWith(form) && isStrictId(value)) return null;
    const detail = `${quoteValue(value)} is not of the form ${form}….`;
    return { code: "invalid_format", problem: "invalid_id", detail };
  }).meta({ pattern: `^${form}[a-z0-9]{14}$` });
}
