import { APP, KEYS, REVIEWS, SIGN_OUT, WORKSPACES } from "./addresses.ts";
import { acceptReview, rejectReview } from "./forms/reviews.ts";
import { changeKey, createKey, revokeKey } from "./forms/keys.ts";
import { createWorkspace, removeWorkspace, setState } from "./forms/workspaces.ts";
import type { PageRoute } from "./call.ts";
import { showFiles, showRaw } from "./views/files.ts";
import { showHome } from "./views/home.ts";
import { showKey } from "./views/key.ts";
import { showKeys } from "./views/keys.ts";
import { showMade } from "./views/made.ts";
import { showNewKey } from "./views/new-key.ts";
import { showRemoval } from "./views/removal.ts";
import { showReview } from "./views/review.ts";
import { showReviews } from "./views/reviews.ts";
import { showSignOut } from "./views/sign-in.ts";
import type { Who } from "./who.ts";

/** Routes of all pages and forms. */

const page = (path: string, run: PageRoute["run"], adminOnly = true): PageRoute => {
  return { method: "GET", path, adminOnly, run };
};
const form = (path: string, run: PageRoute["run"]): PageRoute => ({ method: "POST", path, adminOnly: true, run });

const ROUTES: readonly PageRoute[] = [
  page(APP, showHome, false),
  page(SIGN_OUT, showSignOut, false),
  page(`${APP}/w/{id}/files/*`, showFiles, false),
  page(`${APP}/w/{id}/raw/*`, showRaw, false),
  page(REVIEWS, showReviews),
  page(`${REVIEWS}/{id}`, showReview),
  form(`${REVIEWS}/{id}/accept`, acceptReview),
  form(`${REVIEWS}/{id}/reject`, rejectReview),
  page(KEYS, showKeys),
  page(`${KEYS}/new`, showNewKey),
  page(`${KEYS}/made`, showMade),
  form(KEYS, createKey),
  page(`${KEYS}/{id}`, showKey),
  form(`${KEYS}/{id}`, changeKey),
  form(`${KEYS}/{id}/revoke`, revokeKey),
  form(WORKSPACES, createWorkspace),
  form(`${WORKSPACES}/{id}/state`, setState),
  page(`${WORKSPACES}/{id}/remove`, showRemoval),
  form(`${WORKSPACES}/{id}/remove`, removeWorkspace),
];

type Matched = { readonly route: PageRoute; readonly params: readonly string[] };

/** @returns null if there is no such page, or `who` may not see it */
export function matchRoute(method: string, path: string, who: Who): Matched | null {
  const wanted = method === "HEAD" ? "GET" : method;
  const trimmed = path === `${APP}/` ? APP : path;
  for (const route of ROUTES) {
    if (route.method !== wanted || (route.adminOnly && who.kind !== "admin")) continue;
    const params = matchParts(route.path, trimmed);
    if (params !== null) return { route, params };
  }
  return null;
}

/**
 * @returns the decoded values of `{…}` and `*`; null if the path does not match, or is malformed
 */
function matchParts(pattern: string, path: string): string[] | null {
  const [wanted, sent] = [pattern.split("/"), path.split("/")];
  const hasRest = wanted.at(-1) === "*";
  if (hasRest ? sent.length < wanted.length : sent.length !== wanted.length) return null;
  const params: string[] = [];
  for (const [at, part] of wanted.entries()) {
    if (part === "*") params.push(sent.slice(at).join("/"));
    else if (part.startsWith("{")) params.push(sent[at]!);
    else if (part !== sent[at]) return null;
  }
  return decodeAll(params);
}

function decodeAll(params: readonly string[]): string[] | null {
  try {
    return params.map(decodeURIComponent);
  } catch {
    return null;
  }
}
