import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { examineOwnFolder } from "../../state/own-folder.ts";
import { UnsafePath } from "../../state/unsafe-path.ts";
import { ok, type Result, trouble } from "./trouble.ts";

/**
 * Whether a command may open what lies in `.mdmirror/`: before it looks at anything there. @param
 * root the mirrored folder
 */
export function examineFolder(root: string): Result<string> {
  try {
    examineOwnFolder(join(root, MIRROR_FOLDER));
    return ok(root);
  } catch (error) {
    if (error instanceof UnsafePath) return trouble("usage", error.message, error.next);
    // What cannot be looked at is told by whoever needs it.
    if (error instanceof Error && "code" in error) return ok(root);
    throw error;
  }
}
