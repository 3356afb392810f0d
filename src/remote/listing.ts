import { isJsonObject, type JsonObject, member } from "../contract/json.ts";
import { isDirId, isDocId } from "../contract/ids.ts";
import { MAX_PAGE_LIMIT } from "../contract/limits.ts";
import { FILES, listQuery } from "../contract/routes.ts";
import type { Selector } from "../contract/resources.ts";
import type { Fault, Held, Listing } from "../ports/remote.ts";
import { looksOfJson, notTheService } from "./foreign.ts";
import { faultOf, misreadFault, type Reply } from "./http.ts";
import type { Caller } from "./retry.ts";
import { type Parsed, readPage, type Sighted } from "./shapes.ts";
import { createSighting, type Sighting } from "./sighting.ts";
import type { TraitBook } from "./traits.ts";

export type ListOptions<Item> = {
  readonly caller: Caller;
  readonly traits: TraitBook;
  readonly route: string;
  /** Its path without leading slash; it is sent as the deployment spells paths. */
  readonly selector: Selector;
  readonly read: (value: unknown) => Parsed<Sighted<Item>>;
  readonly onPage?: ((seen: number) => void) | undefined;
  readonly held?: Held | undefined;
  /**
   * Shared by listings whose items are held together; its own for each traversal where there is
   * none.
   */
  readonly spent?: Spent;
};

type Place = Pick<ListOptions<never>, "route" | "selector">;

/** What listings took so far. */
export type Spent = { pages: number; items: number; characters: number };

export function spentNothing(): Spent {
  return { pages: 0, items: 0, characters: 0 };
}

/** Traversals from the start that an `invalid_cursor` may cause. */
const MAX_STARTS = 3;
export const LIST_LIMITS = {
  // LIMIT: pages of one traversal. Ten million items at the documented page size, a million where
  // pages hold 50.
  pages: 20_000,
  // LIMIT: pages in a row without a new item. Items the key may not read are dropped from pages, so
  // many may be empty.
  barrenPages: 2_000,
  // LIMIT: items held in memory, and the characters of their paths: a million of 128 each.
  items: 1_000_000,
  characters: 128_000_000,
} as const;

/** How one traversal ended. */
type End = { readonly kind: "complete" } | { readonly kind: "cursor-refused" | "failed"; readonly fault: Fault };

/**
 * Follows a list to its end, through short and empty pages. Keyed by id, last seen wins. An item
 * that is not understood is left out and makes the listing incomplete, so that it is never taken
 * for absent.
 */
export async function listAll<Item extends { readonly id: string }>(
  options: ListOptions<Item>,
): Promise<Listing<Item>> {
  const before = createSighting<Item>(options.held);
  for (let start = 1; ; start++) {
    const seen = createSighting<Item>(options.held);
    const end = await traverse(options, seen);
    // What an earlier traversal saw and a complete one did not is gone; it counts only where no
    // traversal came to its end.
    if (end.kind === "complete") return { items: [...seen.items()], same: seen.same(), complete: true, fault: null };
    before.add(seen);
    if (end.kind === "failed" || start === MAX_STARTS) {
      return { items: [...before.items()], same: before.same(), complete: false, fault: end.fault };
    }
  }
}

async function traverse<Item extends { readonly id: string }>(
  options: ListOptions<Item>,
  seen: Sighting<Item>,
): Promise<End> {
  const selector = spellSelector(options.selector, options.traits);
  const cursors = new Set<string>();
  const spent = options.spent ?? spentNothing();
  let cursor: string | null = null;
  let barren = 0;
  let oddity: Fault | null = null;
  let asked: Promise<Reply> | null = null;
  for (;;) {
    const over = overOf(spent);
    if (over !== null) return { kind: "failed", fault: misreadFault(READ, over, null) };
    const reply: Reply = await (asked ?? getPage(options, selector, cursor));
    asked = null;
    if (reply.kind !== "success") {
      const fault = (tellsForeign(options, cursor) ? foreignRefusal(reply) : null) ?? faultOf(READ, reply);
      return { kind: cursor !== null && isCursorRefusal(reply) ? "cursor-refused" : "failed", fault };
    }
    const fail = (why: string): End => ({ kind: "failed", fault: misreadFault(READ, why, reply.requestId) });
    const page = readPage(reply.value);
    const looks = tellsForeign(options, cursor) ? foreignLooks(page, reply.value) : null;
    if (looks !== null) {
      return { kind: "failed", fault: notTheService(reply.from, reply.status, looks, reply.requestId) };
    }
    if (!page.ok) return fail(page.why);
    const { items, hasMore, nextCursor } = page.value;
    spent.pages++;
    const isNew = hasMore && !cursors.has(nextCursor!);
    if (isNew && items.length > 0 && barren === 0 && isFarFromOver(spent)) {
      asked = getPage(options, selector, nextCursor);
      await sending();
    }
    const knownBefore = seen.count();
    const why = takeItems(options, items, seen, spent);
    if (why !== null) oddity ??= misreadFault(READ, `an item of the list is not understood: ${why}`, reply.requestId);
    options.onPage?.(seen.count());
    if (!page.value.hasMore) return oddity === null ? { kind: "complete" } : { kind: "failed", fault: oddity };
    if (!isNew) return fail("the list's cursor repeats");
    cursor = nextCursor!;
    cursors.add(cursor);
    barren = seen.count() > knownBefore ? 0 : barren + 1;
    if (barren >= LIST_LIMITS.barrenPages) return fail("the list does not end");
  }
}

/** Calls on the way to the wire that each wait for a turn, and some more. */
const TURNS = 16;

/**
 * ORDER: what was asked for is on its way before a page is taken, which takes as long as the
 * service needs to make the next.
 */
async function sending(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await null;
}

/** Whether a page more cannot pass a limit that this one reaches. */
function isFarFromOver({ pages, items, characters }: Spent): boolean {
  return pages * 2 < LIST_LIMITS.pages && items * 2 < LIST_LIMITS.items && characters * 2 < LIST_LIMITS.characters;
}

/** Why no further page is asked for; null: it may be. */
function overOf({ pages, items, characters }: Spent): string | null {
  if (pages >= LIST_LIMITS.pages) return "the list does not end";
  return items >= LIST_LIMITS.items || characters >= LIST_LIMITS.characters ? "the list is too long" : null;
}

const READ = { method: "GET" } as const;

function getPage<Item>(options: ListOptions<Item>, selector: Selector, cursor: string | null): Promise<Reply> {
  const query = listQuery(selector, { limit: MAX_PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) });
  return options.caller.call({ method: "GET", path: options.route + query, body: null, accept: [200], size: "page" });
}

/**
 * The first page of the documents tells whether it is the service that answers. A look at one path
 * is about that path.
 */
function tellsForeign({ route, selector }: Place, cursor: string | null): boolean {
  return cursor === null && route === FILES && selector.kind !== "path";
}

/**
 * What refuses a list without any of the service's own reasons. What asks to try again later may be
 * a proxy before the service.
 */
function foreignRefusal(reply: Exclude<Reply, { kind: "success" }>): Fault | null {
  if (reply.kind !== "unreadable" && reply.kind !== "problem") return null;
  const { status, from, requestId } = reply;
  if (status >= 500 || status === 429) return null;
  if (reply.kind === "unreadable") return notTheService(from, status, reply.looks, requestId);
  if (reply.code !== "not_found" && reply.code !== `status_${status}`) return null;
  return status === 401 ? null : notTheService(from, status, "JSON that is no list of documents", requestId);
}

/** What answers in the place of the service, in a few words; null: it is the service's page. */
function foreignLooks(page: ReturnType<typeof readPage>, value: unknown): string | null {
  if (!page.ok) return looksOfJson(value);
  return isForeign(page.value.items) ? "a list of something else" : null;
}

/** Whether no item of a page is the service's: each of its own bears an id of its own form. */
function isForeign(items: readonly unknown[]): boolean {
  return items.length > 0 && !items.some((item) => isJsonObject(item) && isDocId(member(item, "id")));
}

function isCursorRefusal(reply: Reply): boolean {
  return reply.kind === "problem" && reply.code === "invalid_cursor";
}

/** @returns why the first item that is not understood is not, or null */
function takeItems<Item extends { readonly id: string }>(
  options: ListOptions<Item>,
  items: readonly unknown[],
  seen: Sighting<Item>,
  spent: Spent,
): string | null {
  let why: string | null = null;
  for (const value of items) {
    const before = seen.count();
    const at = isJsonObject(value) ? (options.held?.find(member(value, "id"), member(value, "path")) ?? -1) : -1;
    let path = at === -1 ? null : pathAsHeld(options.held!, at, value as JsonObject);
    if (path !== null) seen.noteSame(at);
    else {
      const item = options.read(value);
      if (!item.ok) {
        why ??= `${item.why}${idOf(value)}`;
        continue;
      }
      path = item.value.wirePath;
      seen.noteItem(item.value.resource, at);
    }
    options.traits.sawPath(path);
    if (seen.count() === before) continue;
    spent.items++;
    spent.characters += path.length;
  }
  return why;
}

/**
 * What the caller holds was read once, and is of the form: an item that says the same needs no
 * second look.
 * @returns its path as it was answered; null where it says anything else
 */
function pathAsHeld(held: Held, at: number, item: JsonObject): string | null {
  const wirePath = member(item, "path");
  if (typeof wirePath !== "string") return null;
  const path = wirePath.startsWith("/") ? wirePath.slice(1) : wirePath;
  return held.shows(at, path, member(item, "lastChangeId"), member(item, "protected") ?? false) ? wirePath : null;
}

/** Which item it is, where it has an id that can be shown. */
function idOf(value: unknown): string {
  const id = isJsonObject(value) ? member(value, "id") : undefined;
  return isDocId(id) || isDirId(id) ? ` (${id})` : "";
}

function spellSelector(selector: Selector, traits: TraitBook): Selector {
  if (selector.kind === "path") return { kind: "path", path: traits.spell(selector.path) };
  if (selector.kind === "path-prefix") return { kind: "path-prefix", pathPrefix: traits.spell(selector.pathPrefix) };
  return selector;
}
