import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { refuse, toWire } from "../../src/service/requests/answer.ts";
import { splitRequestTarget } from "../../src/service/requests/router.ts";
import { DOCS_BASE, REQUEST_ID, withBody } from "./traits.ts";
import type { Variant, VariantState } from "./variant.ts";

/**
 * Faults of a deployment that other clients use too: items that move between the pages of a list,
 * searches that find documents late, keys that expire and work again, and limits of requests. They
 * depend on the number of requests and the clock only. Requests below /admin have none, nor has a
 * calm variant.
 */

type Page = { readonly data: readonly { readonly id: string }[]; readonly hasMore: boolean };
type Bucket = { tokens: number; at: number };

export class SharedServiceFaults {
  readonly #variant: Variant;
  readonly #state: VariantState;
  readonly #requests = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();
  /** Number of the request that last wrote each file. */
  readonly #written = new Map<string, number>();
  /** For each list that is being read and will be inconsistent: the last item of its first page. */
  readonly #torn = new Map<string, { readonly isMissed: boolean; readonly last: Page["data"][number] }>();
  #lists = 0;

  constructor(variant: Variant, state: VariantState) {
    this.#variant = variant;
    this.#state = state;
  }

  /** Returns the refusal of a request that is not executed; null if it is not refused. */
  refuses(request: WireRequest): WireResponse | null {
    if (this.#isCalm(request)) return null;
    const key = keyOf(request);
    return this.#expired(key) ?? this.#limited(key);
  }

  /** Returns the answer as it looks while other clients write. */
  shapes(request: WireRequest, response: WireResponse): WireResponse {
    if (response.status >= 300 || this.#isCalm(request)) return response;
    const { path } = splitRequestTarget(request.path);
    if (this.#variant.searchDelay !== undefined) {
      if (path.startsWith("/v1/search")) return this.#findLate(response, this.#variant.searchDelay);
      if (request.method === "POST" || request.method === "PUT") this.#noteWritten(response);
    }
    const isList = request.method === "GET" && /^\/v1\/(files|folders)$/.test(path);
    return isList && this.#variant.itemsMove !== undefined
      ? this.#tear(request, response, this.#variant.itemsMove)
      : response;
  }

  #isCalm({ path }: WireRequest): boolean {
    return this.#state.calm === true || path.startsWith("/admin");
  }

  #expired(key: string): WireResponse | null {
    const { keyExpires } = this.#variant;
    if (keyExpires === undefined) return null;
    const nth = this.#requests.get(key) ?? 0;
    this.#requests.set(key, nth + 1);
    if (nth % (keyExpires.after + keyExpires.refused) < keyExpires.after) return null;
    return toWire(refuse("unauthenticated", "The key has expired."), REQUEST_ID, DOCS_BASE);
  }

  #limited(key: string): WireResponse | null {
    const { rateLimit } = this.#variant;
    if (rateLimit === undefined) return null;
    if (this.#state.now === undefined) throw new Error("rateLimit needs a clock");
    const at = this.#state.now();
    const bucket = this.#buckets.get(key) ?? { tokens: rateLimit.requests, at };
    const perMs = rateLimit.requests / (rateLimit.seconds * 1_000);
    bucket.tokens = Math.min(rateLimit.requests, bucket.tokens + Math.max(0, at - bucket.at) * perMs);
    bucket.at = at;
    this.#buckets.set(key, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens--;
      return null;
    }
    const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1_000));
    const refused = refuse("rate_limited", `Too many requests; wait ${wait} s.`, [], { "retry-after": String(wait) });
    return toWire(refused, REQUEST_ID, DOCS_BASE);
  }

  #noteWritten({ body }: WireResponse): void {
    for (const [id] of body.matchAll(/doc_[a-z0-9]{14,}/g)) this.#written.set(id, this.#state.requests);
  }

  #findLate(response: WireResponse, delay: number): WireResponse {
    const page = JSON.parse(response.body) as Page;
    const isIndexed = ({ id }: { readonly id: string }) =>
      this.#state.requests - (this.#written.get(id) ?? Number.NEGATIVE_INFINITY) > delay;
    return withBody(response, { ...page, data: page.data.filter(isIndexed) });
  }

  /**
   * Makes one list in `every` inconsistent: its second page misses its first item, or repeats one
   * of the first page.
   */
  #tear(request: WireRequest, response: WireResponse, every: number): WireResponse {
    const query = new URLSearchParams(splitRequestTarget(request.path).query);
    const isFirst = query.get("cursor") === null;
    query.delete("cursor");
    const list = `${keyOf(request)} ${splitRequestTarget(request.path).path}?${query}`;
    const page = JSON.parse(response.body) as Page;
    if (isFirst) {
      this.#torn.delete(list);
      const last = page.data.at(-1);
      if (page.hasMore && last !== undefined && ++this.#lists % every === 0) {
        this.#torn.set(list, { isMissed: (this.#lists / every) % 2 === 1, last });
      }
      return response;
    }
    const torn = this.#torn.get(list);
    if (torn === undefined || page.data.length === 0) return response;
    this.#torn.delete(list);
    this.#state.torn = (this.#state.torn ?? 0) + 1;
    const data = torn.isMissed ? page.data.slice(1) : [torn.last, ...page.data];
    return withBody(response, { ...page, data });
  }
}

function keyOf({ headers }: WireRequest): string {
  return headers["authorization"] ?? headers["x-api-key"] ?? "";
}
