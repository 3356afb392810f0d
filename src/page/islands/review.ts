/** Edits a submitted version beside the published one, before it is accepted. */

import { mountEditor } from "./conflict/editor.ts";

mountEditor({
  field: "textarea#content",
  other: "textarea#content-live",
  result: "The version to publish",
  beside: "The published version",
});

/** Lets the browser ask before the page is left with an edit that was not sent. */
function warnUnsaved({ form }: HTMLTextAreaElement, isUnsaved: () => boolean): void {
  let isSent = false;
  form?.addEventListener("submit", () => (isSent = true));
  addEventListener("beforeunload", (event) => {
    if (!isSent && isUnsaved()) event.preventDefault();
  });
}

const field = document.querySelector<HTMLTextAreaElement>("textarea#content");
const isRefused = document.querySelector("main [role=alert]") !== null;
if (field !== null) warnUnsaved(field, () => isRefused || field.value !== field.defaultValue);
