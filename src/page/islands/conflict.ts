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

mountEditor(SIDES);
followPage(() => mountEditor(SIDES));
