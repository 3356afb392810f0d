/**
 * Script of the page of a conflict: counts the decided clashes, leads to the next open clash, and
 * shows the preview. Without this script, the server does the same on a new page.
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

/** Moves the focus to the next open clash below it; if there is none, to the first open clash. */
function goToNext(form: HTMLFormElement): void {
  const open = [...form.querySelectorAll<HTMLElement>(".clash:not(:has(input[type=radio]:checked))")];
  const here = document.activeElement?.closest(".clash") ?? null;
  const isBelow = (clash: Element) =>
    here !== null && (here.compareDocumentPosition(clash) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = open.find(isBelow) ?? open[0];
  next?.scrollIntoView({ block: "center" });
  next?.querySelector("input")?.focus({ preventScroll: true });
}

let current = new AbortController();

/**
 * Asks the server for the result of the choices, and shows it. Returns the element of the preview;
 * null if a newer call replaced this one.
 */
async function preview(form: HTMLFormElement): Promise<HTMLElement | null> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const body = new URLSearchParams([...fields, ["way", "preview"]]);
  const page = await fetch(form.action, { method: "POST", body, signal })
    .then((answer) => answer.text())
    .catch(() => "");
  if (signal.aborted) return null;
  const shown = new DOMParser().parseFromString(page, "text/html").getElementById("preview") ?? missingPreview();
  document.getElementById("preview")?.replaceWith(shown);
  return shown;
}

/**
 * Returns a message in place of the preview. The page is not left, because it has what the user
 * typed.
 */
function missingPreview(): HTMLElement {
  const notice = document.createElement("p");
  notice.id = "preview";
  notice.tabIndex = -1;
  notice.className = "card notice bad";
  notice.role = "alert";
  notice.textContent =
    "There is no preview: the conflict was resolved elsewhere, you are no longer signed in, or mdmirror did not answer. Copy what you typed, then reload the page.";
  return notice;
}

document.addEventListener("change", ({ target }) => {
  const form = (target as HTMLElement).closest<HTMLFormElement>("#texts form");
  if (form === null) return;
  show(form);
  if (form.querySelector("#preview.card") !== null) void preview(form);
});
document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if ((event.submitter as HTMLButtonElement | null)?.value !== "preview") return;
  event.preventDefault();
  void preview(form).then((shown) => shown?.focus());
});
document.addEventListener("click", (event) => {
  const form = openForm();
  if (form === null || !(event.target as Element).closest("#next-clash")) return;
  event.preventDefault();
  goToNext(form);
});
const form = openForm();
if (form !== null) show(form);
