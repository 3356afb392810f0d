import { ancestorsOf, nameOf as lastName } from "../model/path.ts";
import { html, type Html } from "../page/html.ts";
import { nameOf } from "../page/parts.ts";
import { documentAddress } from "./addresses.ts";

/** Pieces that pages of one document or folder share. */

/** The path of an address; a slash at its end says nothing. */
export function pathAsked(params: Readonly<Record<string, string>>): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Of a version in a history; null: it is none. */
export function versionNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** The way from the mirrored folder down to `path`; the last name is left out unless `isLinked`. */
export function crumbsOf(mirror: string, path: string, isLinked = false): Html {
  const link = (to: string, label: Html) =>
    html`<li><a href="${documentAddress(mirror, "docs", to)}">${label}</a></li>`;
  const above = path === "" ? [] : ancestorsOf(path).map((one) => link(one, nameOf(lastName(one))));
  const last = path === "" ? null : isLinked ? link(path, nameOf(lastName(path))) : null;
  return html`<nav aria-label="Folders above"><ol class="crumbs">${link("", html`All documents`)}${above}${last}</ol></nav>`;
}
