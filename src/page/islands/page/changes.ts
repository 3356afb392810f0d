import { isTypedIn } from "./live.ts";

/** Marks a form while its fields differ from the page: its bar with *Save* is shown only then. */
export function markChanges(): void {
  document.addEventListener("input", ({ target }) => {
    const form = (target as HTMLElement).closest("form");
    form?.toggleAttribute("data-changed", isTypedIn(form));
  });
}
