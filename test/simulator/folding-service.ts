import type { JsonObject } from "../../src/contract/json.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { FILES, FOLDERS } from "../../src/contract/resources.ts";
import { splitPath } from "../../src/contract/names.ts";
import { type DiskFolding, pathKey } from "../../src/contract/path.ts";
import { refuse, toWire } from "../../src/service/requests/answer.ts";
import { splitRequestTarget } from "../../src/service/requests/router.ts";
import { readMembers } from "../variants/traits.ts";

/**
 * A deployment that treats names as equal if they differ only in case or in Unicode normal form. It
 * keeps each name as given, refuses a second spelling, and finds an item by any spelling of its
 * path.
 */

export type Answer = (request: WireRequest) => WireResponse;

type Item = { readonly id: string; readonly path: string };

/**
 * @param ownerKey a key that reads everything, because a name is taken even if the caller may not
 * read it
 * @returns the same service; each path reaches it in the spelling of the existing items
 */
export function foldNames(answer: Answer, folding: DiskFolding, ownerKey: string): Answer {
  if (!folding.foldsCase && !folding.foldsUnicode) return answer;
  const ask = asking(answer, ownerKey);
  return (request) => {
    const { path: route, query } = splitRequestTarget(request.path);
    if (request.method === "GET") return answer(spellSelector(request, route, query, ask, folding));
    const members = readMembers(request.body);
    if (members === null || route.startsWith("/admin")) return answer(request);
    if (
      request.method === "PATCH" &&
      members["parentId"] !== undefined &&
      isTakenOnService(route, members, ask, folding)
    )
      return toWire(
        refuse("path_already_exists", "The name is taken there."),
        "req_folding",
        "https://mdmirror.invalid",
      );
    const spelled = spellMembers(request.method, route, members, ask, folding);
    return answer({ ...request, body: JSON.stringify(spelled) });
  };
}

type Ask = (route: string, query: string) => readonly Item[];

/** Returns a function that requests all pages of a list. */
function asking(answer: Answer, key: string): Ask {
  const headers = { authorization: `Bearer ${key}` };
  return (route, query) => {
    const items: Item[] = [];
    for (let cursor: string | null = null, more = true; more; ) {
      const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `${route}?limit=1000${query === "" ? "" : `&${query}`}${next}`;
      const response = answer({ method: "GET", path, headers, body: null });
      if (response.status !== 200) return items;
      const page = JSON.parse(response.body) as { data: Item[]; hasMore: boolean; nextCursor: string | null };
      items.push(...page.data);
      cursor = page.nextCursor;
      more = page.hasMore;
    }
    return items;
  };
}

function spellSelector(
  request: WireRequest,
  route: string,
  query: string,
  ask: Ask,
  folding: DiskFolding,
): WireRequest {
  if (route !== FILES && route !== FOLDERS) return request;
  const parameters = new URLSearchParams(query);
  for (const name of ["path", "path_prefix"]) {
    const sent = parameters.get(name);
    if (sent !== null && sent !== "/") parameters.set(name, spell(sent, ask, folding));
  }
  return { ...request, path: `${route}?${parameters}` };
}

function spellMembers(method: string, route: string, members: JsonObject, ask: Ask, folding: DiskFolding): JsonObject {
  const { path, name, parentId } = members;
  if (method === "POST" && typeof path === "string") return { ...members, path: spell(path, ask, folding) };
  if (method === "POST" && typeof parentId === "string" && typeof name === "string")
    return { ...members, name: spellIn(parentId, name, null, ask, folding) };
  if (method !== "PATCH" || typeof name !== "string") return members;
  const id = idOf(route);
  const parent = parentOfItem(id, ask);
  return parent === undefined ? members : { ...members, name: spellIn(parent, name, id, ask, folding) };
}

/**
 * Returns a path with each name spelled like the existing item. From the first name without an item
 * on, the names stay as they were sent.
 */
function spell(sent: string, ask: Ask, folding: DiskFolding): string {
  const names = splitPath(sent);
  let parent: string | null = null;
  for (const [index, name] of names.entries()) {
    const found: Item | undefined = childrenOf(parent, ask).find((item) => isSame(lastName(item.path), name, folding));
    if (found === undefined) break;
    names[index] = lastName(found.path);
    parent = found.id;
  }
  return (sent.startsWith("/") ? "/" : "") + names.join("/");
}

/**
 * Returns the name of the item in a folder that has this name in any spelling, apart from the item
 * `self`.
 */
function spellIn(parent: string | null, name: string, self: string | null, ask: Ask, folding: DiskFolding): string {
  const taken = childrenOf(parent, ask).find((item) => item.id !== self && isSame(lastName(item.path), name, folding));
  return taken === undefined ? name : lastName(taken.path);
}

function childrenOf(parent: string | null, ask: Ask): readonly Item[] {
  if (parent !== null && !parent.startsWith("dir_")) return [];
  if (parent !== null) return [...ask(FILES, `parent_id=${parent}`), ...ask(FOLDERS, `parent_id=${parent}`)];
  return [...ask(FILES, "").filter(({ path }) => splitPath(path).length === 1), ...ask(FOLDERS, "")];
}

/** Returns true for a move to a folder that has another item of this name in another spelling. */
function isTakenOnService(route: string, { parentId }: JsonObject, ask: Ask, folding: DiskFolding): boolean {
  const item = everything(ask).find(({ id }) => id === idOf(route));
  if (item === undefined || (parentId !== null && typeof parentId !== "string")) return false;
  const name = lastName(item.path);
  return spellIn(parentId, name, item.id, ask, folding) !== name;
}

function idOf(route: string): string {
  return route.slice(route.lastIndexOf("/") + 1);
}

function everything(ask: Ask): readonly Item[] {
  return [...allFolders(ask), ...ask(FILES, "")];
}

function allFolders(ask: Ask): readonly Item[] {
  return ask(FOLDERS, "path_prefix=/");
}

/** Returns the id of an item's folder: null for the root, undefined if the item does not exist. */
function parentOfItem(id: string, ask: Ask): string | null | undefined {
  const item = everything(ask).find((one) => one.id === id);
  if (item === undefined) return undefined;
  const above = `/${splitPath(item.path).slice(0, -1).join("/")}`;
  if (above === "/") return null;
  return allFolders(ask).find(({ path }) => path === above)?.id;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isSame(a: string, b: string, folding: DiskFolding): boolean {
  return pathKey(a, folding) === pathKey(b, folding);
}
