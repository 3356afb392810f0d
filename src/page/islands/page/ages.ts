import { ageText } from "../../../model/age.ts";

/** `12 s` becomes `13 s`: ages are told by the browser's clock, and cost no request. */
export function keepAges(): void {
  setInterval(() => {
    if (!document.hidden) showAges(document);
  }, 1_000);
}

function showAges(within: ParentNode): void {
  const now = Date.now();
  for (const time of within.querySelectorAll<HTMLTimeElement>("time.age")) {
    const text = ageText(now - Date.parse(time.dateTime));
    // A change of text that changes nothing would end a selection in it.
    if (time.textContent !== text) time.textContent = text;
  }
}
