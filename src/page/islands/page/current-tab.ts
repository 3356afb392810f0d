/** Scrolls the tabs of a narrow page to the current one. */
export function showCurrentTab(): void {
  const current = document.querySelector("#sections [aria-current]");
  current?.scrollIntoView({ inline: "center", block: "nearest" });
}
