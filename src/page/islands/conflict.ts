/** The result of a conflict, beside the text of the service; without it, a field to write in. */

import { followPage } from "./conflict/follow.ts";
import { mountEditor } from "./conflict/editor.ts";

mountEditor();
followPage(mountEditor);
