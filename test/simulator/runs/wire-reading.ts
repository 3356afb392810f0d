import type { WireRequest } from "../../../src/contract/wire.ts";
import { marksOf } from "./text-marks.ts";

/** What requests and answers say. */

/** Of a deployment whose change ids move with a rename, the part that moves with the text. */
export function bare(changeId: string): string {
  return changeId.replace(/-r\d+$/, "");
}

/**
 * What a write is about: an id and what it changes of it (text and place may be on their way at
 * once), or the route and path of what it makes.
 */
export function targetOf({ method, path, body }: WireRequest): string {
  const id = /^\/v1\/(?:files|folders)\/([^/?]+)/.exec(path)?.[1];
  if (id !== undefined) return `${id} ${method} ${method === "PATCH" ? Object.keys(membersOf(body)).join(" ") : ""}`;
  const made = membersOf(body)["path"];
  return `${path.replace(/\?.*$/s, "")} ${typeof made === "string" ? made.replace(/^\//, "") : ""}`;
}

export function membersOf(body: string | null): Readonly<Record<string, unknown>> {
  if (body === null || body === "") return {};
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export function bodyShown(body: string | null): string {
  if (body === null) return "";
  const marks = [...marksOf(body)];
  return `${body.slice(0, 90)}${marks.length > 0 ? ` marks ${marks.join(" ")}` : ""}`;
}
