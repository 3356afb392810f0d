/** The result of a conflict, beside the text of the service; without it, a field to write in. */

import { followPage } from "./conflict/follow.ts";
import { mountEditor, type Sides } from "./conflict/editor.ts";

const SIDES: Sides = {
  field: "textarea#result-text[data-keep]",
  other: "textarea#result-other",
  result: "The result",
  beside: "Theirs",
};

mountEditor(SIDES);
followPage(() => mountEditor(SIDES));
