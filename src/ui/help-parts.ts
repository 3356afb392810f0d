import { html, type Html, type Shown } from "../page/html.ts";
import { helpAddress } from "./user-docs.ts";

/**
 * Returns a link from a code, or from text that shows the code, to the document that explains it.
 */
export function explained(code: string, shown: Shown): Html {
  const address = helpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}
