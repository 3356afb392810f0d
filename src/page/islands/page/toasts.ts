/** Milliseconds after which a message disappears. A message with *Undo* stays longer. */
const SHOWN_MS = { usual: 10_000, undo: 60_000 } as const;
/**
 * Key in `sessionStorage` for the id of the message that the user closed last. The next page does
 * not show this message again.
 */
const CLOSED_KEY = "closed-message";

/** Removes messages after some time. A message stays while it has the focus or the pointer. */
export function removeToasts(): void {
  document.documentElement.classList.add("js");
  // The id of the message is removed from the address. Otherwise, a reload would show the message
  // again.
  const address = new URL(location.href);
  address.searchParams.delete("message");
  history.replaceState(history.state, "", address);
  for (const toast of findToasts()) if (isClosed(toast)) toast.remove();
  for (const toast of findToasts()) addCloseButton(toast);
  placeToasts();
  addEventListener("resize", placeToasts);
}

export function addToast(toast: HTMLElement): void {
  const isShown = findToasts().some(({ dataset }) => dataset["id"] === toast.dataset["id"]);
  if (isShown || isClosed(toast)) return;
  document.getElementById("toasts")?.append(toast);
  addCloseButton(toast);
  placeToasts();
}

function findToasts(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#toasts > [role=status]")];
}

function isClosed({ dataset }: HTMLElement): boolean {
  return dataset["id"] !== "" && sessionStorage.getItem(CLOSED_KEY) === dataset["id"];
}

/** Places the messages above the bar of buttons at the end of a page, if the page has this bar. */
function placeToasts(): void {
  const bar = document.querySelector<HTMLElement>("main .sticky");
  document.documentElement.style.setProperty("--bar", `${bar?.offsetHeight ?? 0}px`);
}

function addCloseButton(toast: HTMLElement): void {
  const closeButton = document.createElement("button");
  closeButton.type = "button";
  closeButton.className = "close";
  closeButton.setAttribute("aria-label", "Close this message");
  const removeToast = () => {
    const { id = "" } = toast.dataset;
    if (id !== "") sessionStorage.setItem(CLOSED_KEY, id);
    toast.remove();
  };
  closeButton.addEventListener("click", removeToast);
  toast.append(closeButton);
  const shownMs = toast.querySelector("form") === null ? SHOWN_MS.usual : SHOWN_MS.undo;
  const removeWhenUnused = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(removeWhenUnused, SHOWN_MS.usual);
    else removeToast();
  };
  setTimeout(removeWhenUnused, shownMs);
}
