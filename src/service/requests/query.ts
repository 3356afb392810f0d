import { pointerTo } from "../../contract/api/fields.ts";
import { type FieldError, MAX_FIELD_ERRORS } from "../../contract/problem.ts";
import { type Refused, refuseFields } from "./answer.ts";

/**
 * Reads the query of a request line, which may name each parameter once.
 * @param text what follows `?`, percent-encoded
 */
export function readQuery(text: string): Readonly<Record<string, string>> | Refused {
  const query = Object.create(null) as Record<string, string>;
  const errors: FieldError[] = [];
  for (const part of text === "" ? [] : text.split("&")) {
    if (errors.length === MAX_FIELD_ERRORS) break;
    const [name, value] = decodePair(part);
    if (name === null || value === null)
      errors.push(malformed(name ?? "", "The query is not valid percent-encoded UTF-8."));
    else if (name in query) errors.push(malformed(name, "The parameter is sent more than once."));
    else query[name] = value;
  }
  return errors.length > 0 ? refuseFields(errors) : query;
}

function decodePair(part: string): readonly [name: string | null, value: string | null] {
  const cut = part.indexOf("=");
  return cut < 0 ? [decode(part), ""] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
}

function malformed(name: string, detail: string): FieldError {
  return { code: "invalid_format", pointer: pointerTo(name), detail };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/**
 * Decodes one segment of a path.
 * @returns the segment as sent if its percent-encoding is not valid
 */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
