const ROW_SELECTOR = "main .rows > li, main .table tbody tr, main .timeline > .step, main .clash";
/**
 * Selectors, in order of preference, for an element of a row. If a key moves to the row, this
 * element gets the focus.
 */
const FOCUS_SELECTORS = ["input[type=radio]:checked", "a, button, input"];

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isTyping(event.target)) return;
    if (KEY_HANDLERS.get(event.key)?.() === true) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    (target.shadowRoot !== null || target.matches("input:not([type=radio], [type=checkbox]), textarea, select"))
  );
}

/** Handlers by key. A handler returns false if the key has no effect. */
const KEY_HANDLERS: ReadonlyMap<string, () => boolean> = new Map([
  ["/", goToSearch],
  ["j", () => moveFocus(1)],
  ["k", () => moveFocus(-1)],
  ["?", showKeys],
]);

function goToSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  const link = document.querySelector<HTMLAnchorElement>('#sections a[href$="/search"]');
  if (field !== null) field.focus();
  else link?.click();
  return field !== null || link !== null;
}

function moveFocus(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll(ROW_SELECTOR)].flatMap((row) => findFocusTarget(row) ?? []);
  const focusedTarget = findFocusTarget(document.activeElement?.closest(ROW_SELECTOR) ?? null);
  const focusedIndex = focusedTarget === null ? -1 : links.indexOf(focusedTarget);
  const nextElement = focusedIndex === -1 ? links[by === 1 ? 0 : links.length - 1] : links[focusedIndex + by];
  nextElement?.focus();
  return nextElement !== undefined;
}

function findFocusTarget(row: Element | null): HTMLElement | null {
  for (const selector of FOCUS_SELECTORS) {
    const focusTarget = row?.querySelector<HTMLElement>(selector) ?? null;
    if (focusTarget !== null) return focusTarget;
  }
  return null;
}

function showKeys(): boolean {
  document.querySelector<HTMLDialogElement>("dialog#keys")?.showModal();
  return true;
}
