import { isJsonObject, member } from "../../contract/json.ts";
import { isDirId, isDocId } from "../../contract/ids.ts";
import { MAX_PAGE_LIMIT } from "../../contract/limits.ts";
import { FILES, makeListQuery, type Selector } from "../../contract/resources.ts";
import type { Fault, ItemReceiver, Listing } from "../ports/remote.ts";
import { type ApiCaller, createMisreadFault, toFault } from "./retry.ts";
import type { AnswerOrigin, ApiFailure, ApiReply } from "./reply.ts";
import { type ListPage, type ParseResult, readPage, type ListedItem } from "./shapes.ts";
import type { TraitLearner } from "./traits.ts";

export const LIST_LIMITS = {
  // LIMIT: number of pages in one list, so that reading a list ends even if the service never stops
  // sending pages. The number allows ten million items at the documented page size, or a million
  // items at 50 a page.
  pages: 20_000,
  // LIMIT: number of pages in a row without a new item, so that reading a list ends even if the
  // service repeats its pages. Some empty pages are normal, because the service leaves out items
  // that the key may not read.
  pagesWithoutNew: 2_000,
  // LIMIT: number of items, and number of characters in all their paths, because memory contains
  // all items at the same time. The second limit allows an average of 128 characters for each item.
  items: 1_000_000,
  characters: 128_000_000,
} as const;

/**
 * Numbers of pages and items so far. `characters`: number of characters in the paths of these
 * items.
 */
export type ListTotals = { pages: number; items: number; characters: number };

export function createListTotals(): ListTotals {
  return { pages: 0, items: 0, characters: 0 };
}

function whyTooLong({ pages, items, characters }: ListTotals): string | null {
  if (pages >= LIST_LIMITS.pages) return "the list does not end";
  return items >= LIST_LIMITS.items || characters >= LIST_LIMITS.characters ? "the list is too long" : null;
}

type ListOptions<Item> = {
  readonly caller: ApiCaller;
  readonly traits: TraitLearner;
  readonly route: string;
  /**
   * Selects the items of the list. The path in the selector has no leading slash; `spellSelector`
   * adds the slash if the service needs it.
   */
  readonly selector: Selector;
  readonly read: (value: unknown) => ParseResult<ListedItem<Item>>;
  readonly onPage?: ((seen: number) => void) | undefined;
  /**
   * Function that receives the items one by one, so that the result contains none. Undefined if the
   * result should contain all items.
   */
  readonly receiver?: ItemReceiver<Item> | undefined;
  /**
   * Totals of pages and items that several lists share, so that one limit applies to all these
   * lists together. Undefined for a list with totals of its own.
   */
  readonly spent?: ListTotals;
};

/**
 * LIMIT: number of attempts to read a list, each from the first page. Otherwise reading would never
 * end if the service refuses every cursor.
 */
const MAX_LIST_ATTEMPTS = 3;
/** End of one attempt to read a list. Another attempt may succeed after `cursor-refused`. */
type ListingEnd = { readonly kind: "complete" } | { readonly kind: "cursor-refused" | "failed"; readonly fault: Fault };

function makeFailedListing(fault: Fault): ListingEnd {
  return { kind: "failed", fault };
}

function makeMisreadListing(why: string, requestId: string | null): ListingEnd {
  return makeFailedListing(createMisreadFault(GET_REQUEST, why, requestId));
}

/**
 * Reads all pages of a list. If an item is listed twice, the later item is used. With an unreadable
 * item, the result is incomplete, so that this item does not count as deleted.
 */
export async function listAll<Item extends { readonly id: string }>(
  options: ListOptions<Item>,
): Promise<Listing<Item>> {
  const earlierItems = new Map<string, Item>();
  for (let start = 1; ; start++) {
    const listedItems = new Map<string, Item>();
    options.receiver?.begin();
    const listingEnd = await new ListTraversal(options, listedItems).run();
    // A complete list proves that items are gone if only an earlier, incomplete attempt contained
    // them.
    if (listingEnd.kind === "complete") return { items: [...listedItems.values()], complete: true, fault: null };
    for (const [id, item] of listedItems) earlierItems.set(id, item);
    if (listingEnd.kind === "failed" || start === MAX_LIST_ATTEMPTS)
      return { items: [...earlierItems.values()], complete: false, fault: listingEnd.fault };
  }
}

type PageRead = ListPage & { readonly kind: "page"; readonly requestId: string | null };

class ListTraversal<Item extends { readonly id: string }> {
  readonly #options: ListOptions<Item>;
  readonly #items: Map<string, Item>;
  readonly #selector: Selector;
  readonly #totals: ListTotals;
  readonly #cursors = new Set<string>();
  #cursor: string | null = null;
  /**
   * Reply to the request for the next page. Null if that request is sent only after the items of
   * the current page are read.
   */
  #nextReply: Promise<ApiReply> | null = null;
  #listedItems = 0;
  #pagesWithoutNew = 0;
  /** End of the list because of an unreadable item; null if all items are readable. */
  #unreadableItem: ListingEnd | null = null;

  constructor(options: ListOptions<Item>, seen: Map<string, Item>) {
    this.#options = options;
    this.#items = seen;
    this.#selector = spellSelector(options.selector, options.traits);
    this.#totals = options.spent ?? createListTotals();
  }

  async run(): Promise<ListingEnd> {
    for (;;) {
      const excessReason = whyTooLong(this.#totals);
      if (excessReason !== null) return makeMisreadListing(excessReason, null);
      const reply = await (this.#nextReply ?? this.#request(this.#cursor));
      this.#nextReply = null;
      const page = reply.kind === "success" ? this.#readPage(reply) : this.#endRefused(reply);
      if (page.kind !== "page") return page;
      if (this.#mayRequestAhead(page)) {
        this.#nextReply = this.#request(page.nextCursor);
        await waitForEarlierRequests();
      }
      const listingEnd = this.#storePage(page);
      if (listingEnd !== null) return listingEnd;
    }
  }

  #request(cursor: string | null): Promise<ApiReply> {
    const query = makeListQuery(this.#selector, { limit: MAX_PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) });
    const { caller, route } = this.#options;
    return caller.call({ method: "GET", path: route + query, body: null, accept: [200], size: "page" });
  }

  #endRefused(reply: ApiFailure): ListingEnd {
    const fault = (this.#checksOrigin() ? findForeignRefusal(reply) : null) ?? toFault(GET_REQUEST, reply);
    return { kind: this.#cursor !== null && isCursorRefusal(reply) ? "cursor-refused" : "failed", fault };
  }

  #readPage(reply: Extract<ApiReply, { kind: "success" }>): PageRead | ListingEnd {
    const { requestId } = reply;
    const page = readPage(reply.value);
    const description = this.#checksOrigin() ? describeForeignAnswer(page, reply.value) : null;
    if (description !== null)
      return makeFailedListing(createForeignFault(reply.from, reply.status, description, requestId));
    if (!page.ok) return makeMisreadListing(page.why, requestId);
    this.#totals.pages++;
    return { kind: "page", ...page.value, requestId };
  }

  /**
   * Returns true if mdmirror should check whether the current page comes from another program than
   * the service. Only the first page of a list of documents is checked, and no list for a single
   * path.
   */
  #checksOrigin(): boolean {
    const { route, selector } = this.#options;
    return this.#cursor === null && route === FILES && selector.kind !== "path";
  }

  #hasNext({ hasMore, nextCursor }: ListPage): boolean {
    return hasMore && !this.#cursors.has(nextCursor!);
  }

  #mayRequestAhead(page: ListPage): boolean {
    return (
      this.#hasNext(page) && page.items.length > 0 && this.#pagesWithoutNew === 0 && whyTooLong(this.#totals) === null
    );
  }

  /** Stores the items of a page. Returns the end of the list, or null if another page follows. */
  #storePage(page: PageRead): ListingEnd | null {
    const itemsBefore = this.#totals.items;
    const why = storeItems(this.#options, page.items, this.#items, this.#totals);
    if (why !== null)
      this.#unreadableItem ??= makeMisreadListing(
        `mdmirror does not understand an entry of the list: ${why}`,
        page.requestId,
      );
    const newItems = this.#totals.items - itemsBefore;
    this.#listedItems += newItems;
    this.#options.onPage?.(this.#listedItems);
    if (!page.hasMore) return this.#unreadableItem ?? { kind: "complete" };
    if (!this.#hasNext(page)) return makeMisreadListing("the service repeats a page of the list", page.requestId);
    this.#cursor = page.nextCursor!;
    this.#cursors.add(this.#cursor);
    this.#pagesWithoutNew = newItems > 0 ? 0 : this.#pagesWithoutNew + 1;
    if (this.#pagesWithoutNew < LIST_LIMITS.pagesWithoutNew) return null;
    return makeMisreadListing("the list does not end", page.requestId);
  }
}

/** Number of awaits after which undici has certainly sent earlier requests. */
const AWAITS_UNTIL_SENT = 16;

/**
 * ORDER: mdmirror sends the request for the next page, then reads the items of the current page.
 * Meanwhile, the service prepares the next page.
 */
async function waitForEarlierRequests(): Promise<void> {
  for (let turn = 0; turn < AWAITS_UNTIL_SENT; turn++) await null;
}

const GET_REQUEST = { method: "GET" } as const;

function isCursorRefusal(reply: ApiReply): boolean {
  return reply.kind === "problem" && reply.code === "invalid_cursor";
}

/**
 * Stores the items of a page.
 * @returns the reason why the first unreadable item cannot be read; null if all items are readable
 */
function storeItems<Item extends { readonly id: string }>(
  options: ListOptions<Item>,
  items: readonly unknown[],
  seen: Map<string, Item>,
  spent: ListTotals,
): string | null {
  let firstReason: string | null = null;
  for (const value of items) {
    const item = options.read(value);
    if (!item.ok) {
      firstReason ??= `${item.why}${formatId(value)}`;
      continue;
    }
    const { resource, wirePath } = item.value;
    options.traits.learnFromPath(wirePath);
    if (!storeItem(options, seen, resource)) continue;
    spent.items++;
    spent.characters += wirePath.length;
  }
  return firstReason;
}

/** Stores one item. Returns false if the list already had an item with this id. */
function storeItem<Item extends { readonly id: string }>(
  { receiver }: ListOptions<Item>,
  seen: Map<string, Item>,
  item: Item,
): boolean {
  if (receiver !== undefined) return receiver.receive(item);
  const countBefore = seen.size;
  seen.set(item.id, item);
  return seen.size > countBefore;
}

/**
 * Returns an id for a message; an empty string for an invalid id, because a message must not show
 * arbitrary text of the service.
 */
function formatId(value: unknown): string {
  const id = isJsonObject(value) ? member(value, "id") : undefined;
  return isDocId(id) || isDirId(id) ? ` (${id})` : "";
}

function spellSelector(selector: Selector, traits: TraitLearner): Selector {
  if (selector.kind === "path") return { kind: "path", path: traits.inServiceForm(selector.path) };
  if (selector.kind === "path-prefix") {
    const { pathPrefix } = selector;
    // Every service accepts "/" for the root, with any form of its other paths.
    return { kind: "path-prefix", pathPrefix: pathPrefix === "" ? "/" : traits.inServiceForm(pathPrefix) };
  }
  return selector;
}

/**
 * Returns a fault if a program other than the service, such as a file server, certainly sent the
 * refusal. Returns null if the refusal may come from the service, or if a proxy reports a temporary
 * error.
 */
function findForeignRefusal(reply: ApiFailure): Fault | null {
  if (reply.kind !== "unreadable" && reply.kind !== "problem") return null;
  const { status, from, requestId } = reply;
  if (status >= 500 || status === 429) return null;
  if (reply.kind === "unreadable") return createForeignFault(from, status, reply.summary, requestId);
  if (reply.code !== "not_found" && reply.code !== `status_${status}`) return null;
  return status === 401 ? null : createForeignFault(from, status, "JSON that is no list of documents", requestId);
}

/**
 * Describes an answer from another program. Returns null for an answer of the service, which always
 * wraps a list in an object with `data` and `hasMore`.
 */
function describeForeignAnswer(page: ReturnType<typeof readPage>, value: unknown): string | null {
  if (!page.ok) return describeJson(value);
  return isForeignPage(page.value.items) ? "a list of something else" : null;
}

/**
 * Returns true for a list of another API: the page has items, but no item has the id of a document.
 */
function isForeignPage(items: readonly unknown[]): boolean {
  return items.length > 0 && !items.some((item) => isJsonObject(item) && isDocId(member(item, "id")));
}

/**
 * Describes JSON that is no list of the service. Returns null for an object with the members of a
 * list, even with invalid values.
 */
function describeJson(value: unknown): string | null {
  if (value === null) return "an empty answer";
  if (Array.isArray(value)) return "a JSON array";
  if (!isJsonObject(value)) return "JSON that is not an object";
  const envelope = ["object", "data", "hasMore"].filter((name) => member(value, name) === undefined);
  if (envelope.length > 0) return `JSON without ${envelope.map((name) => `"${name}"`).join(", ")}`;
  const isList = member(value, "object") === "list" && Array.isArray(member(value, "data"));
  return isList && typeof member(value, "hasMore") === "boolean" ? null : "a list of something else";
}

function createForeignFault(from: AnswerOrigin, status: number, description: string, requestId: string | null): Fault {
  const detail = `${from.url} answers ${status}, ${from.contentType}: ${description}`;
  return { kind: "later", detail, requestId, cause: "not-the-service" };
}
