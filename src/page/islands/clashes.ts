/**
 * Script of the page of a conflict. Counts the decided clashes, leads to the next open clash, and
 * shows the preview of the result. Without this script, the server does the same on a new page.
 */

function showProgress(form: HTMLFormElement): void {
  const clashes = [...form.querySelectorAll<HTMLElement>(".clash")];
  const openClashes = clashes.filter((clash) => clash.querySelector("input[type=radio]:checked") === null);
  const decidedElement = document.getElementById("decided");
  if (decidedElement !== null) decidedElement.textContent = String(clashes.length - openClashes.length);
  const nextLink = document.getElementById("next-clash");
  if (nextLink !== null) nextLink.hidden = openClashes.length === 0;
  const saveButton = form.querySelector<HTMLButtonElement>("button[value=decided]");
  if (saveButton !== null) saveButton.disabled = openClashes.length > 0;
}

function findOpenForm(): HTMLFormElement | null {
  return document.querySelector("#texts form");
}

/** Moves the focus to the next open clash below the current one, or to the first open clash. */
function focusNextClash(form: HTMLFormElement): void {
  const openClashes = [...form.querySelectorAll<HTMLElement>(".clash:not(:has(input[type=radio]:checked))")];
  const focusedClash = document.activeElement?.closest(".clash") ?? null;
  const isBelow = (clash: Element) =>
    focusedClash !== null && (focusedClash.compareDocumentPosition(clash) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const nextClash = openClashes.find(isBelow) ?? openClashes[0];
  nextClash?.scrollIntoView({ block: "center" });
  nextClash?.querySelector("input")?.focus({ preventScroll: true });
}

let currentRequest = new AbortController();

/**
 * Requests the result of the user's choices from the server, and shows the result. Returns the
 * element of the preview; null if this function was called again before the answer arrived.
 */
async function showPreview(form: HTMLFormElement): Promise<HTMLElement | null> {
  currentRequest.abort();
  currentRequest = new AbortController();
  const { signal } = currentRequest;
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const body = new URLSearchParams([...fields, ["way", "preview"]]);
  const pageText = await fetch(form.action, { method: "POST", body, signal })
    .then((answer) => answer.text())
    .catch(() => "");
  if (signal.aborted) return null;
  const previewElement =
    new DOMParser().parseFromString(pageText, "text/html").getElementById("preview") ?? createMissingPreview();
  document.getElementById("preview")?.replaceWith(previewElement);
  return previewElement;
}

/** Returns a message to show in place of the preview. The user's choices on the page stay. */
function createMissingPreview(): HTMLElement {
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
  showProgress(form);
  if (form.querySelector("#preview.card") !== null) void showPreview(form);
});
document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if ((event.submitter as HTMLButtonElement | null)?.value !== "preview") return;
  event.preventDefault();
  void showPreview(form).then((shown) => shown?.focus());
});
document.addEventListener("click", (event) => {
  const form = findOpenForm();
  if (form === null || !(event.target as Element).closest("#next-clash")) return;
  event.preventDefault();
  focusNextClash(form);
});
const form = findOpenForm();
if (form !== null) showProgress(form);
