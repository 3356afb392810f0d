import { ancestorsOf, nameOf as lastName } from "../contract/path.ts";
import { html, type Html } from "../page/html.ts";
import { nameView } from "../page/parts.ts";
import { documentAddress } from "./addresses.ts";

/** Parts that the pages of one document or folder share. */

/** Returns the path that an address names, without a slash at its end. */
export function requestedPath(params: Readonly<Record<string, string>>): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Returns the number of a version; null if the text is no number. */
export function versionNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** Returns links from the linked folder down to `path`, without `path` itself unless `isLinked`. */
export function crumbsOf(mirror: string, path: string, isLinked = false): Html {
  const link = (to: string, label: Html) =>
    html`<li><a href="${documentAddress(mirror, "docs", to)}">${label}</a></li>`;
  const above = path === "" ? [] : ancestorsOf(path).map((one) => link(one, nameView(lastName(one))));
  const last = path === "" ? null : isLinked ? link(path, nameView(lastName(path))) : null;
  return html`<nav aria-label="Folders above"><ol class="crumbs">${link("", html`All documents`)}${above}${last}</ol></nav>`;
}
