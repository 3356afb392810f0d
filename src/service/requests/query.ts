import type { FieldError } from "../../contract/problem.ts";
import { MAX_FIELD_ERRORS, type Refused, refuseFields } from "./answer.ts";

export type Query = ReadonlyMap<string, string>;

/**
 * Reads the query of a request line.
 * @param text what follows `?`, percent-encoded
 * @param allowed the endpoint's names; any other name is refused, and so are repeated ones
 */
export function readQuery(text: string, allowed: readonly string[]): Query | Refused {
  const query = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const part of text === "" ? [] : text.split("&")) {
    if (errors.length === MAX_FIELD_ERRORS) break;
    const [name, value] = decodePair(part);
    if (name === null || value === null) errors.push(notDecoded(name ?? ""));
    else if (!allowed.includes(name)) errors.push(notKnown(name));
    else if (query.has(name)) errors.push(sentTwice(name));
    else query.set(name, value);
  }
  return errors.length > 0 ? refuseFields(errors) : query;
}

function decodePair(part: string): readonly [name: string | null, value: string | null] {
  const cut = part.indexOf("=");
  return cut < 0 ? [decode(part), ""] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
}

function notDecoded(name: string): FieldError {
  const detail = "The query is not valid percent-encoded UTF-8.";
  return { code: "invalid_format", pointer: pointerTo(name), detail };
}

function notKnown(name: string): FieldError {
  return { code: "unknown", pointer: pointerTo(name), detail: `The parameter ${shown(name)} is not supported.` };
}

function sentTwice(name: string): FieldError {
  const detail = `The parameter ${name} is sent more than once.`;
  return { code: "invalid_format", pointer: pointerTo(name), detail };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** LIMIT: characters of a caller's input that a message repeats. */
const SHOWN_CHARACTERS = 100;

/** A caller's name in the form of messages. */
export function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

/** The JSON Pointer (RFC 6901) to a parameter or a top-level member. */
export function pointerTo(name: string): string {
  return `/${name.slice(0, SHOWN_CHARACTERS).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A decimal integer with no sign but `-`, no blanks, no exponent, no leading zero. */
const INTEGER = /^-?(0|[1-9][0-9]{0,14})$/;

export function readInteger(
  query: Query,
  name: string,
  range: { min: number; max: number; default: number },
): number | Refused {
  const text = query.get(name);
  if (text === undefined) return range.default;
  if (!INTEGER.test(text)) {
    return refuseFields([{ code: "wrong_type", pointer: pointerTo(name), detail: `${name} is not a whole number.` }]);
  }
  const value = Number(text);
  if (value >= range.min && value <= range.max) return value;
  const detail = `${name} is ${text}; it must be ${range.min} to ${range.max}.`;
  return refuseFields([{ code: "out_of_range", pointer: pointerTo(name), detail }]);
}

export function readFlag(query: Query, name: string): boolean | Refused {
  const text = query.get(name);
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  return refuseFields([{ code: "wrong_type", pointer: pointerTo(name), detail: `${name} must be true or false.` }]);
}

/** @returns the text as it was sent where its percent-encoding is not valid */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
