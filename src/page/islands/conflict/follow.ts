/**
 * Follows the page, which is kept up to date: says beside the result that the texts have changed
 * since it was begun. What is saved then is refused by the server, which shows the texts anew and
 * keeps what was written.
 * @param mount called when the form was made anew, so that its editor is gone
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
  const isOther = begunAbout() !== (document.getElementById("stands")?.dataset["versions"] ?? "");
  if (note.hidden === isOther) note.hidden = !isOther;
}

/** The versions that the form of the result is about, as the page names them. */
function begunAbout(): string {
  const versionOf = (name: string) =>
    document.querySelector<HTMLInputElement>(`#result form input[name=${name}]`)?.value ?? "";
  return ["mine", "theirs", "base"].map(versionOf).join(" ");
}
