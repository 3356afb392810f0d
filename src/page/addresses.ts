import { decodePercents } from "../contract/path.ts";
import type { LinkBase } from "./markdown.ts";

export type Query = Readonly<Record<string, string | number | null>>;

/** Returns an address with a query. A member whose value is null is not part of the query. */
export function withQuery(address: string, members: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== null) parameters.set(name, String(value));
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}

export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

const OTHER_SITE = /^(?:https?|mailto):/i;
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the address to which a link of a document leads, on this site or another site; null if
 * the link leads nowhere.
 */
export function resolveLink(target: string, { files, folder }: LinkBase): string | null {
  if (OTHER_SITE.test(target)) return target;
  if (OTHER_SCHEME.test(target) || /^[\\/]{2}/.test(target)) return null;
  const [, path = "", heading] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const fragment =
    heading === undefined || heading === "" ? "" : `#${encodeURIComponent(toHeadingId(decodeText(heading)))}`;
  if (path === "") return fragment === "" ? null : fragment;
  const names = resolveNames(decodeText(path), folder);
  return names === null ? null : files + encodePath(names.join("/")) + fragment;
}

/**
 * Returns the element id of a heading: its words in lower case with hyphens. The prefix `h-`
 * distinguishes the id from ids of the page itself.
 */
export function toHeadingId(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, "")
    .trim()
    .replace(/ /g, "-");
  return `h-${slug}`;
}

/**
 * Returns the names in a path relative to a folder; null if the path leads out of the workspace.
 */
function resolveNames(path: string, folder: string): string[] | null {
  const names = path.startsWith("/") || folder === "" ? [] : folder.split("/");
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names;
}

function decodeText(text: string): string {
  return decodePercents(text) ?? text;
}
