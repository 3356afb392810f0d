/** Shows the buttons that copy an element's text (`data-copy="ID"`), where the browser can copy. */
export function offerCopies(): void {
  // Browsers have a clipboard on loopback and with TLS only.
  if (!("clipboard" in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(document.getElementById(button.dataset["copy"]!)?.textContent ?? "");
  button.textContent = "Copied";
}
