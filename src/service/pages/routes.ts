import { decodeSegment } from "../requests/validate.ts";
import { makeRouteFinder } from "../requests/router.ts";
import {
  APP_ADDRESS,
  DOCUMENTS_ADDRESS,
  KEYS_ADDRESS,
  REVIEWS_ADDRESS,
  SIGN_OUT_ADDRESS,
  WORKSPACES_ADDRESS,
} from "./addresses.ts";
import type { PageCall, PageRoute } from "./call.ts";
import { changeProtection, showFiles } from "./documents.ts";
import { restoreVersion, showHistory } from "./history.ts";
import { changeKey, createKey, createWorkspace, revokeKey, showKey, showKeys, showNewKey } from "./keys.ts";
import { acceptReview, rejectReview, showReview, showReviews } from "./reviews.ts";
import { showSearch } from "./search.ts";
import { showSignOut } from "./sign-in.ts";
import { showOverview } from "./overview.ts";
import { showOwnDocuments, removeWorkspace, setState, showDocuments, showRemoval } from "./workspaces.ts";
import type { UserIdentity } from "./sign-in-sessions.ts";

const makePageRoute = (path: string, run: PageRoute["run"], adminOnly = true): PageRoute => {
  return { method: "GET", path, adminOnly, run };
};
const makeFormRoute = (path: string, run: PageRoute["run"], adminOnly = true): PageRoute => {
  return { method: "POST", path, adminOnly, run };
};

const ROUTES: readonly PageRoute[] = [
  makePageRoute(
    APP_ADDRESS,
    (call) => (call.who.kind === "admin" ? showOverview(call) : showOwnDocuments(call, call.who.hash)),
    false,
  ),
  makePageRoute(
    DOCUMENTS_ADDRESS,
    (call) => (call.who.kind === "admin" ? showDocuments(call) : showOwnDocuments(call, call.who.hash)),
    false,
  ),
  makePageRoute(SIGN_OUT_ADDRESS, showSignOut, false),
  makePageRoute(`${DOCUMENTS_ADDRESS}/{id}/files/*`, showFiles, false),
  makePageRoute(`${DOCUMENTS_ADDRESS}/{id}/search`, showSearch, false),
  makePageRoute(`${DOCUMENTS_ADDRESS}/{id}/history/*`, showHistory),
  makeFormRoute(`${DOCUMENTS_ADDRESS}/{id}/restore/*`, restoreVersion),
  makeFormRoute(`${DOCUMENTS_ADDRESS}/{id}/protect/*`, changeProtection, false),
  makePageRoute(REVIEWS_ADDRESS, showReviews),
  makePageRoute(`${REVIEWS_ADDRESS}/{id}`, showReview),
  makeFormRoute(`${REVIEWS_ADDRESS}/{id}/accept`, acceptReview),
  makeFormRoute(`${REVIEWS_ADDRESS}/{id}/reject`, rejectReview),
  makePageRoute(KEYS_ADDRESS, showKeys),
  makePageRoute(`${KEYS_ADDRESS}/new`, showNewKey),
  makeFormRoute(KEYS_ADDRESS, createKey),
  makePageRoute(`${KEYS_ADDRESS}/{id}`, showKey),
  makeFormRoute(`${KEYS_ADDRESS}/{id}`, changeKey),
  makeFormRoute(`${KEYS_ADDRESS}/{id}/revoke`, revokeKey),
  makeFormRoute(WORKSPACES_ADDRESS, createWorkspace),
  makeFormRoute(`${WORKSPACES_ADDRESS}/{id}/state`, setState),
  makePageRoute(`${WORKSPACES_ADDRESS}/{id}/remove`, showRemoval),
  makeFormRoute(`${WORKSPACES_ADDRESS}/{id}/remove`, removeWorkspace),
];

const findRoute = makeRouteFinder(ROUTES.map((route) => [route, route]));
/**
 * Matches the address of a folder or document. The second group is the path of the folder or
 * document in the workspace.
 */
const PATH_WITH_REST = /^(\/app\/w\/[^/]+\/(?:files|history|protect|restore)\/)(.*)$/s;

type MatchedRoute = { readonly route: PageRoute } & Pick<PageCall, "id" | "rest">;

/** Returns null if the page does not exist, or if the user `who` may not see it. */
export function matchRoute(method: string, path: string, who: UserIdentity): MatchedRoute | null {
  const [, start, rest = ""] = PATH_WITH_REST.exec(path) ?? [];
  const pattern = start === undefined ? path.replace(/^\/app\/$/, APP_ADDRESS) : `${start}*`;
  const route = findRoute(method === "HEAD" ? "GET" : method, pattern);
  if (route === null || (route.value.adminOnly && who.kind !== "admin")) return null;
  return { route: route.value, id: route.id, rest: decodeSegment(rest) };
}
