import { readFileSync } from "node:fs";

/**
 * Names this boot of the machine: what tells a power loss from an edit.
 * @returns null where the system does not say (anything but Linux): files that may be torn are then
 * taken as they are
 */
export function readBootId(file = "/proc/sys/kernel/random/boot_id"): string | null {
  try {
    const id = readFileSync(file, "utf8").trim();
    return id === "" ? null : id;
  } catch {
    // No such file on this system, or a sandbox that hides it: both mean that it cannot be told.
    return null;
  }
}
