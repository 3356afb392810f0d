import { EVENTS, FILES, FOLDERS, SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH, VALIDATE_KEY } from "../../contract/routes.ts";
import { splitTarget } from "../requests/router.ts";

/** Names of routes for figures and logs: what stands in a path as an id, or is unknown, is none. */

const EXACT: ReadonlySet<string> = new Set([
  FILES,
  FOLDERS,
  SEARCH_HYBRID_PATH,
  SEARCH_REGEX_PATH,
  VALIDATE_KEY,
  EVENTS,
  "/healthz",
  "/readyz",
  "/metrics",
]);

/** @param target of the request line, with its query */
export function routeOf(target: string): string {
  const { path } = splitTarget(target);
  return EXACT.has(path) ? path : generalRoute(path);
}

/** A stranger makes up no labels. */
export function methodOf(method: string): string {
  return /^[A-Z]{1,7}$/.test(method) ? method : "OTHER";
}

function generalRoute(path: string): string {
  if (path.startsWith("/admin")) return "/admin";
  if (path === "/app" || path.startsWith("/app/")) return "/app";
  const [, kind, rest = ""] = /^\/v1\/(files|folders)\/[^/]+(\/content)?$/.exec(path) ?? [];
  return kind === undefined ? "other" : `/v1/${kind}/{id}${rest}`;
}
