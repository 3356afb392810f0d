/**
 * Script of the page of a conflict: shows an editor beside another version of the document. Without
 * this script, the page has a plain text field.
 */

import { editedField, mountEditor } from "./editor/mount.ts";

/**
 * Shows a message if the versions have changed since the form was opened. The server would then
 * refuse to save the result, and would keep it as a draft.
 */
function showMovedOn(): void {
  const note = document.getElementById("moved-on");
  if (note === null) return;
  const isOther = shownVersions() !== (document.getElementById("versions")?.dataset["versions"] ?? "");
  if (note.hidden === isOther) note.hidden = !isOther;
}

/** Returns the versions that the form was opened with, as one string. */
function shownVersions(): string {
  const versionOf = (name: string) =>
    document.querySelector<HTMLInputElement>(`#result form input[name=${name}]`)?.value ?? "";
  return ["mine", "theirs", "base"].map(versionOf).join(" ");
}

/** Adds the editor again, if the update of a live page replaced the form. */
function follow(): void {
  mountEditor();
  showMovedOn();
}

let isSent = false;
document.addEventListener("submit", ({ target }) => {
  isSent ||= (target as HTMLFormElement).contains(editedField());
});
// Lets the browser warn before the user leaves a page with an edit that is not saved.
addEventListener("beforeunload", (event) => {
  const field = editedField();
  const isRefused = document.querySelector("main [role=alert]") !== null;
  if (field !== null && !isSent && (isRefused || field.value !== field.defaultValue)) event.preventDefault();
});
const what = { subtree: true, childList: true, attributeFilter: ["data-versions", "hidden"] };
new MutationObserver(follow).observe(document.querySelector("main")!, what);
follow();
