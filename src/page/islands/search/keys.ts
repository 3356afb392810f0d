/**
 * Makes arrow keys move between the field and the results. Escape returns to the field; in the
 * field, Escape empties it.
 */
export function moveFocusByKeys(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("#q");
  if (field === null) return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const next = nextOf(event.key, field);
    if (next === null) return;
    event.preventDefault();
    next.focus();
  });
}

function nextOf(key: string, field: HTMLInputElement): HTMLElement | null {
  const here = document.activeElement as HTMLElement | null;
  const links = [...document.querySelectorAll<HTMLElement>("#found a")];
  const at = here === null ? -1 : links.indexOf(here);
  // Other controls handle their own keys.
  if (at === -1 && here !== field) return null;
  if (key === "ArrowDown") return links[at + 1] ?? null;
  if (key === "ArrowUp") return at === -1 ? null : (links[at - 1] ?? field);
  return key === "Escape" && at !== -1 ? field : null;
}
