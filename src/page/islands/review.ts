/** The text that somebody edits before it is accepted, beside what is live. */

import { mountEditor } from "./conflict/editor.ts";

mountEditor({
  field: "textarea#content",
  other: "textarea#content-live",
  result: "The text that becomes live",
  beside: "Live",
});
