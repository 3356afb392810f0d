/**
 * Script of the page of a conflict. Shows an editor beside another version of the document. Without
 * this script, the page has a plain text field.
 */

import { findEditedField, mountEditor } from "./editor/mount.ts";

/**
 * Shows a message if the versions have changed since the form was opened. The server would then
 * keep the edited content only as a draft.
 */
function showIfOutdated(): void {
  const outdatedNote = document.getElementById("moved-on");
  if (outdatedNote === null) return;
  const isOutdated = readShownVersions() !== (document.getElementById("versions")?.dataset["versions"] ?? "");
  if (outdatedNote.hidden === isOutdated) outdatedNote.hidden = !isOutdated;
}

function readShownVersions(): string {
  const readVersion = (name: string) =>
    document.querySelector<HTMLInputElement>(`#result form input[name=${name}]`)?.value ?? "";
  return ["mine", "theirs", "base"].map(readVersion).join(" ");
}

/** Adds the editor again, if an update of the page replaced the form. */
function followPage(): void {
  mountEditor();
  showIfOutdated();
}

let isSent = false;
document.addEventListener("submit", ({ target }) => {
  isSent ||= (target as HTMLFormElement).contains(findEditedField());
});
// Lets the browser warn before the user leaves a page with an edit that is not saved.
addEventListener("beforeunload", (event) => {
  const field = findEditedField();
  const isRefused = document.querySelector("main [role=alert]") !== null;
  if (field !== null && !isSent && (isRefused || field.value !== field.defaultValue)) event.preventDefault();
});
const observedChanges = { subtree: true, childList: true, attributeFilter: ["data-versions", "hidden"] };
new MutationObserver(followPage).observe(document.querySelector("main")!, observedChanges);
followPage();
