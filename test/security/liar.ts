import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { FILES, FOLDERS } from "../../src/contract/routes.ts";
import { problem } from "../promises/fixture.ts";

/**
 * A service that lies: the embedded one, whose lists contain items that nobody created, with a file
 * behind each.
 */

type Answer = (request: WireRequest) => WireResponse;

/** Lies of a service. An item of a list may have any form. */
export type Lies = {
  readonly files?: readonly unknown[];
  readonly folders?: readonly unknown[];
  /**
   * Members that GET of a listed file adds to the item. Without `content`, it gets a default
   * content.
   */
  readonly more?: Readonly<Record<string, unknown>>;
};

/** Content that no real document has, so a search finds each place where a lie was written. */
export const LIE = "a lie of the service\n";

/** Returns the lying answer to a request; null for the true answer. */
export function lieAbout(request: WireRequest, ask: Answer, { files = [], folders = [], more = {} }: Lies) {
  const [path = "", query = ""] = request.path.split("?");
  if (request.method === "GET" && path === FILES && isWhole(query)) return withItems(ask(request), files);
  if (request.method === "GET" && path === FOLDERS && isWhole(query)) return withItems(ask(request), folders);
  const found = files.findLast((item) => path === `${FILES}/${idOf(item)}`);
  if (found === undefined) return null;
  return request.method === "GET" ? json({ content: LIE, ...(found as object), ...more }) : problem(403, "forbidden");
}

/**
 * Returns true for the first page of a list of everything. Other pages, and lists of one path, stay
 * true.
 */
function isWhole(query: string): boolean {
  const parameters = new URLSearchParams(query);
  const isPart = (parameters.get("path_prefix") ?? "/") !== "/";
  return !parameters.has("path") && !isPart && !parameters.has("cursor");
}

function idOf(item: unknown): unknown {
  return typeof item === "object" && item !== null ? (item as { id?: unknown }).id : undefined;
}

function withItems(response: WireResponse, items: readonly unknown[]): WireResponse {
  if (response.status !== 200 || items.length === 0) return response;
  const page = JSON.parse(response.body) as { data: unknown[] };
  return { ...response, body: JSON.stringify({ ...page, data: [...items, ...page.data] }) };
}

function json(body: unknown): WireResponse {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

let made = 0;
/** Returns a listed file at a path, valid but for the members in `more`. */
export function lieAt(path: unknown, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  made++;
  return { id: `doc_lie${made}`, lastChangeId: `chg_lie${made}`, path, protected: false, ...more };
}
