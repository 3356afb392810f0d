/**
 * Counts the clashes that are decided, leads to the next open one, and shows the preview on the
 * same page. Without this script, the server counts, and the preview is a new page.
 */

function show(form: HTMLFormElement): void {
  const clashes = [...form.querySelectorAll<HTMLElement>(".clash")];
  const open = clashes.filter((clash) => clash.querySelector("input[type=radio]:checked") === null);
  const shown = document.getElementById("decided");
  if (shown !== null) shown.textContent = String(clashes.length - open.length);
  const next = document.getElementById("next-clash");
  if (next !== null) next.hidden = open.length === 0;
  const save = form.querySelector<HTMLButtonElement>("button[value=decided]");
  if (save !== null) save.disabled = open.length > 0;
}

function openForm(): HTMLFormElement | null {
  return document.querySelector("#texts form");
}

/** Moves the focus to the first open clash below the focus; else to the first open one. */
function goToNext(form: HTMLFormElement): void {
  const open = [...form.querySelectorAll<HTMLElement>(".clash:not(:has(input[type=radio]:checked))")];
  const here = document.activeElement?.closest(".clash") ?? null;
  const isBelow = (clash: Element) =>
    here !== null && (here.compareDocumentPosition(clash) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = open.find(isBelow) ?? open[0];
  next?.scrollIntoView({ block: "center" });
  next?.querySelector("input")?.focus({ preventScroll: true });
}

async function preview(form: HTMLFormElement): Promise<void> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  body.set("way", "preview");
  const answer = await fetch(form.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [fresh, old] = [page.getElementById("preview"), document.getElementById("preview")];
  if (fresh === null || old === null) return;
  old.replaceWith(fresh);
  fresh.scrollIntoView({ block: "start" });
}

document.addEventListener("change", ({ target }) => {
  const form = (target as HTMLElement).closest<HTMLFormElement>("#texts form");
  if (form !== null) show(form);
});
document.addEventListener("click", (event) => {
  const form = openForm();
  if (form === null || !(event.target as Element).closest("#next-clash")) return;
  event.preventDefault();
  goToNext(form);
});
document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  if (!(submitter instanceof HTMLButtonElement && submitter.value === "preview")) return;
  event.preventDefault();
  void preview(target as HTMLFormElement);
});
const form = openForm();
if (form !== null) show(form);
