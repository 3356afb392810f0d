/** Mounts disks of a given size, if this user may do that. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns why nothing can be mounted; null if it can. */
export function whyNoMounts(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root may mount a disk of a given size";
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-soak-"));
  try {
    mount(folder, "1m");
    unmount(folder);
    return null;
  } catch (error) {
    return `mounting is refused: ${(error as Error).message.split("\n")[0]}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param size in the format of mount(8): `64m` */
export function mount(folder: string, size: string): void {
  mkdirSync(folder, { recursive: true });
  privileged("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder);
}

export const resize = (folder: string, size: string) => privileged("mount", "-o", `remount,size=${size}`, folder);

/** Mounts a disk at a second path, where it can be unmounted and mounted again without loss. */
export const bind = (disk: string, at: string) => privileged("mount", "--bind", disk, at);

export const unmount = (folder: string) => privileged("umount", folder);

/** Unmounts even if files are open, as if the disk were pulled. */
export const unmountLazily = (folder: string) => privileged("umount", "-l", folder);

function privileged(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: "pipe" });
}
