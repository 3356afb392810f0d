import { ageText } from "../../../common/age.ts";

/** Updates ages (`12 s`) by the browser's clock, without requests. */
export function updateAges(): void {
  setInterval(() => {
    if (!document.hidden) showAges(document);
  }, 1_000);
}

function showAges(within: ParentNode): void {
  const now = Date.now();
  for (const time of within.querySelectorAll<HTMLTimeElement>("time.age")) {
    const text = ageText(now - Date.parse(time.dateTime));
    // Setting the text, even an equal one, would end the user's selection in it.
    if (time.textContent !== text) time.textContent = text;
  }
}
