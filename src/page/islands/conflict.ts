/**
 * Shows an editor for the result of a conflict, beside the other version. Without this script, the
 * page has a plain field.
 */

import { followPage } from "./conflict/follow.ts";
import { mountEditor, type Sides } from "./conflict/editor.ts";

const SIDES: Sides = {
  field: "textarea#result-text[data-keep]",
  other: "textarea#result-other",
  result: "The result",
  beside: "Theirs",
};

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element && event.target.closest("#result nav a"))) return;
  const field = document.querySelector<HTMLTextAreaElement>(SIDES.field);
  const isTyped = field !== null && field.value !== field.defaultValue;
  if (isTyped && !confirm("Your text is replaced. Start again?")) event.preventDefault();
});
mountEditor(SIDES);
followPage(() => mountEditor(SIDES));
