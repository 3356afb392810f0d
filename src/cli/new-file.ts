import { writeFileSync } from "node:fs";
import { errnoClause, ok, type Result, trouble } from "../common/trouble.ts";

/**
 * Writes a file that the user named, inside or outside the linked folder. Never overwrites.
 * @param path absolute
 */
export function writeNewFile(path: string, text: string): Result<null> {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return ok(null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already" : errnoClause(error);
    return trouble("usage", `${path} cannot be written: ${why}`, "give another file");
  }
}
