/** Milliseconds after which a message disappears. A message with *Undo* stays longer. */
const LEAVES_MS = { usual: 10_000, undo: 60_000 } as const;
/**
 * Key in `sessionStorage` for the id of the last message that the user closed, so that the next
 * page does not show it again.
 */
const CLOSED = "closed-message";

/**
 * Removes messages after some time, or when the user closes them. A message with the focus or the
 * pointer stays.
 */
export function removeToasts(): void {
  document.documentElement.classList.add("js");
  // Removes the id of the message from the address, because a reload would show the message again.
  const address = new URL(location.href);
  address.searchParams.delete("message");
  history.replaceState(history.state, "", address);
  for (const toast of toasts()) if (isClosed(toast)) toast.remove();
  for (const toast of toasts()) addClose(toast);
  placeToasts();
  addEventListener("resize", placeToasts);
}

/**
 * Shows a message of an updated page, unless the message is already shown or the user has closed
 * it.
 */
export function addToast(toast: HTMLElement): void {
  const isShown = toasts().some(({ dataset }) => dataset["id"] === toast.dataset["id"]);
  if (isShown || isClosed(toast)) return;
  document.getElementById("toasts")?.append(toast);
  addClose(toast);
  placeToasts();
}

function toasts(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#toasts > [role=status]")];
}

function isClosed({ dataset }: HTMLElement): boolean {
  return dataset["id"] !== "" && sessionStorage.getItem(CLOSED) === dataset["id"];
}

/** Places the messages above the bar of buttons at the end of a page, if there is one. */
function placeToasts(): void {
  const bar = document.querySelector<HTMLElement>("main .sticky");
  document.documentElement.style.setProperty("--bar", `${bar?.offsetHeight ?? 0}px`);
}

function addClose(toast: HTMLElement): void {
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.setAttribute("aria-label", "Close this message");
  const remove = () => {
    const { id = "" } = toast.dataset;
    if (id !== "") sessionStorage.setItem(CLOSED, id);
    toast.remove();
  };
  close.addEventListener("click", remove);
  toast.append(close);
  const leavesMs = toast.querySelector("form") === null ? LEAVES_MS.usual : LEAVES_MS.undo;
  const leave = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(leave, LEAVES_MS.usual);
    else remove();
  };
  setTimeout(leave, leavesMs);
}
