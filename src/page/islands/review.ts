/** The editor for a text before it is accepted, beside the live one. */

import { mountEditor } from "./conflict/editor.ts";

mountEditor({
  field: "textarea#content",
  other: "textarea#content-live",
  result: "The text that becomes live",
  beside: "Live",
});
