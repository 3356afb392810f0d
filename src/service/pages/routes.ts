/** Lists the routes of all pages and forms. */

import { decodeSegment } from "../requests/validate.ts";
import { routeTable } from "../requests/router.ts";
import { APP, DOCUMENTS, KEYS, REVIEWS, SIGN_OUT, WORKSPACES } from "./addresses.ts";
import type { PageCall, PageRoute } from "./call.ts";
import { changeProtection, showFiles } from "./documents.ts";
import { restoreVersion, showHistory } from "./history.ts";
import { changeKey, createKey, createWorkspace, revokeKey, showKey, showKeys, showNewKey } from "./keys.ts";
import { acceptReview, rejectReview, showReview, showReviews } from "./reviews.ts";
import { showSearch } from "./search.ts";
import { showSignOut } from "./sign-in.ts";
import { showOverview } from "./overview.ts";
import { ownPage, removeWorkspace, setState, showDocuments, showRemoval } from "./workspaces.ts";
import type { Who } from "./sign-in-sessions.ts";

const page = (path: string, run: PageRoute["run"], adminOnly = true): PageRoute => {
  return { method: "GET", path, adminOnly, run };
};
const form = (path: string, run: PageRoute["run"], adminOnly = true): PageRoute => {
  return { method: "POST", path, adminOnly, run };
};

const ROUTES: readonly PageRoute[] = [
  page(APP, (call) => (call.who.kind === "admin" ? showOverview(call) : ownPage(call, call.who.hash)), false),
  page(DOCUMENTS, (call) => (call.who.kind === "admin" ? showDocuments(call) : ownPage(call, call.who.hash)), false),
  page(SIGN_OUT, showSignOut, false),
  page(`${DOCUMENTS}/{id}/files/*`, showFiles, false),
  page(`${DOCUMENTS}/{id}/search`, showSearch, false),
  page(`${DOCUMENTS}/{id}/history/*`, showHistory),
  form(`${DOCUMENTS}/{id}/restore/*`, restoreVersion),
  form(`${DOCUMENTS}/{id}/protect/*`, changeProtection, false),
  page(REVIEWS, showReviews),
  page(`${REVIEWS}/{id}`, showReview),
  form(`${REVIEWS}/{id}/accept`, acceptReview),
  form(`${REVIEWS}/{id}/reject`, rejectReview),
  page(KEYS, showKeys),
  page(`${KEYS}/new`, showNewKey),
  form(KEYS, createKey),
  page(`${KEYS}/{id}`, showKey),
  form(`${KEYS}/{id}`, changeKey),
  form(`${KEYS}/{id}/revoke`, revokeKey),
  form(WORKSPACES, createWorkspace),
  form(`${WORKSPACES}/{id}/state`, setState),
  page(`${WORKSPACES}/{id}/remove`, showRemoval),
  form(`${WORKSPACES}/{id}/remove`, removeWorkspace),
];

const findRoute = routeTable(ROUTES.map((route) => [route, route]));
/** Matches the address of a folder or document. The second group is its path in the workspace. */
const WITH_REST = /^(\/app\/w\/[^/]+\/(?:files|history|protect|restore)\/)(.*)$/s;

type Matched = { readonly route: PageRoute } & Pick<PageCall, "id" | "rest">;

/**
 * Finds the route of a request.
 * @returns null if there is no such page, or the user `who` may not see it
 */
export function matchRoute(method: string, path: string, who: Who): Matched | null {
  const [, start, rest = ""] = WITH_REST.exec(path) ?? [];
  const pattern = start === undefined ? path.replace(/^\/app\/$/, APP) : `${start}*`;
  const found = findRoute(method === "HEAD" ? "GET" : method, pattern);
  if (found === null || (found.value.adminOnly && who.kind !== "admin")) return null;
  return { route: found.value, id: found.id, rest: decodeSegment(rest) };
}
