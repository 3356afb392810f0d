/** Edits a submitted version beside the published one, before it is accepted. */

import { mountEditor } from "./conflict/editor.ts";

mountEditor({
  field: "textarea#content",
  other: "textarea#content-live",
  result: "The version to publish",
  beside: "Live",
});
