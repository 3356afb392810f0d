import { html, type Html, type Shown } from "../page/html.ts";
import { helpAddress } from "./user-docs.ts";

/** Links a code, or text that shows it, to the document that explains the code. */
export function explained(code: string, shown: Shown): Html {
  const address = helpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}
