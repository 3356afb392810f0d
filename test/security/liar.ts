import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { FILES, FOLDERS } from "../../src/contract/routes.ts";
import { problem } from "../promises/fixture.ts";

/**
 * A service that lies: the embedded one, with items in its lists that nobody made, and files behind
 * their ids.
 */

type Answer = (request: WireRequest) => WireResponse;

/** An item of a list, of any form. */
export type Lies = {
  readonly files?: readonly unknown[];
  readonly folders?: readonly unknown[];
  /** What GET of an id in `files` says beyond the item; `content` a text by default. */
  readonly more?: Readonly<Record<string, unknown>>;
};

/**
 * Content that no honest document has, so that a search finds each place where a lie was written.
 */
export const LIE = "a lie of the service\n";

/** Returns what a service that lies answers to a request; null: the truth. */
export function lieAbout(request: WireRequest, ask: Answer, { files = [], folders = [], more = {} }: Lies) {
  const [path = "", query = ""] = request.path.split("?");
  if (request.method === "GET" && path === FILES && isWhole(query)) return withItems(ask(request), files);
  if (request.method === "GET" && path === FOLDERS && isWhole(query)) return withItems(ask(request), folders);
  const found = files.findLast((item) => path === `${FILES}/${idOf(item)}`);
  if (found === undefined) return null;
  return request.method === "GET" ? json({ content: LIE, ...(found as object), ...more }) : problem(403, "forbidden");
}

/**
 * The first page of a whole list: a list of one exact path, and the pages after the first, are the
 * service's own.
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
/** An item of a list of files at a path, of an honest form but for what `more` says. */
export function lieAt(path: unknown, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  made++;
  return { id: `doc_lie${made}`, lastChangeId: `chg_lie${made}`, path, protected: false, ...more };
}
