/**
 * Watches the live page, and shows a message beside the result if the conflict has changed since
 * the form was opened. The server then refuses to save, shows the new versions, and keeps the
 * draft.
 * @param mount called when the form was replaced, and its editor with it
 */
export function followPage(mount: () => void): void {
  const shown = document.querySelector("main");
  if (shown === null) return;
  const look = () => {
    mount();
    showMovedOn();
  };
  const what = { subtree: true, childList: true, attributeFilter: ["data-versions", "hidden"] };
  new MutationObserver(look).observe(shown, what);
  showMovedOn();
}

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
