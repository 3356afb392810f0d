/** Counts the decided clashes and leads to the next open one. Without it, the server counts. */

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
const form = openForm();
if (form !== null) show(form);
