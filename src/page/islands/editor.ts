/**
 * Shows an editor for a version, beside another version. Without this script, the page has a plain
 * field.
 */

import { editedField, mountEditor } from "./editor/mount.ts";

/**
 * Shows a message beside the result if the conflict has changed since the form was opened. The
 * server then refuses to save, shows the new versions, and keeps the draft.
 */
function showMovedOn(): void {
  const note = document.getElementById("moved-on");
  if (note === null) return;
  const isOther = shownVersions() !== (document.getElementById("versions")?.dataset["versions"] ?? "");
  if (note.hidden === isOther) note.hidden = !isOther;
}

/** Returns the versions that the user saw when the form was opened, in one string. */
function shownVersions(): string {
  const versionOf = (name: string) =>
    document.querySelector<HTMLInputElement>(`#result form input[name=${name}]`)?.value ?? "";
  return ["mine", "theirs", "base"].map(versionOf).join(" ");
}

/** A live page may have replaced the form, and its editor with it. */
function follow(): void {
  mountEditor();
  showMovedOn();
}

let isSent = false;
document.addEventListener("submit", ({ target }) => {
  isSent ||= (target as HTMLFormElement).contains(editedField());
});
// The browser asks before the page is left with an edit that was not sent, or that was refused.
addEventListener("beforeunload", (event) => {
  const field = editedField();
  const isRefused = document.querySelector("main [role=alert]") !== null;
  if (field !== null && !isSent && (isRefused || field.value !== field.defaultValue)) event.preventDefault();
});
const what = { subtree: true, childList: true, attributeFilter: ["data-versions", "hidden"] };
new MutationObserver(follow).observe(document.querySelector("main")!, what);
follow();
