import { writeFileSync } from "node:fs";
import { errnoClause } from "../common/trouble.ts";
import { refuse } from "./exit.ts";

/**
 * Writes a file that the user named, inside or outside the linked folder. Never overwrites.
 * @param path absolute
 */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already" : errnoClause(error);
    refuse(`${path} cannot be written: ${why}`, "give another file");
  }
}
