import type { WireRequest } from "../../../src/contract/wire.ts";
import { marksOf } from "./contents.ts";

/**
 * Returns the part of a change id that a rename does not change, for deployments in which a rename
 * gives a new id.
 */
export function withoutRename(changeId: string): string {
  return changeId.replace(/-r\d+$/, "");
}

/**
 * Returns what a write is about. For an existing document or folder: its id and what changes
 * (content and path may be written at the same time). For a new one: the route and its path.
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
