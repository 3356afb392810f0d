/** Milliseconds after which a message of success is removed. Others stay until they are closed. */
const GOOD_MS = 8_000;

/**
 * Removes messages: those of success after a while, and any by a button. A message with the focus
 * or the pointer stays.
 */
export function keepToasts(): void {
  document.documentElement.classList.add("js");
  for (const toast of document.querySelectorAll<HTMLElement>("#toasts > [role=status]")) addClose(toast);
}

function addClose(toast: HTMLElement): void {
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.setAttribute("aria-label", "Close this message");
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  if (!toast.classList.contains("good")) return;
  const leave = () => {
    if (toast.matches(":hover, :focus-within")) setTimeout(leave, GOOD_MS);
    else toast.remove();
  };
  setTimeout(leave, GOOD_MS);
}
