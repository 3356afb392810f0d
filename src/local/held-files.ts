import type { Fs, FsStat } from "../ports/fs.ts";

/**
 * Which files other processes have open to write, as `dev:ino`. Linux tells it of the user's own
 * processes, and root of all; elsewhere it is empty.
 */
export function filesHeldToWrite(): ReadonlySet<string> {
  const fs = process.getBuiltinModule("node:fs");
  const held = new Set<string>();
  const own = String(process.pid);
  for (const pid of entriesOf(fs, "/proc")) {
    if (!/^\d+$/.test(pid) || pid === own) continue;
    for (const fd of entriesOf(fs, `/proc/${pid}/fd`)) {
      const stat = orNull(() => fs.statSync(`/proc/${pid}/fd/${fd}`));
      if (stat?.isFile() !== true) continue;
      const info = orNull(() => fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
      if (mayWrite(info)) held.add(`${stat.dev}:${stat.ino}`);
    }
  }
  return held;
}

function entriesOf(fs: typeof import("node:fs"), folder: string): readonly string[] {
  return orNull(() => fs.readdirSync(folder)) ?? [];
}

/** A process ends while it is looked at, is another user's, or this system has no `/proc`. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    return null;
  }
}

/** The flags of `open` in octal; the last two bits are 0 for what only reads. */
function mayWrite(info: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0;
}

const NONE: ReadonlySet<string> = new Set();

/** The same, asked for once for all files that were taken aside before. */
export class HeldFiles {
  readonly #fs: Pick<Fs, "heldToWrite">;
  #known: ReadonlySet<string> | null = null;

  constructor(fs: Pick<Fs, "heldToWrite">) {
    this.#fs = fs;
  }

  has({ dev, ino }: Pick<FsStat, "dev" | "ino">): boolean {
    this.#known ??= this.#fs.heldToWrite?.() ?? NONE;
    return this.#known.has(`${dev}:${ino}`);
  }

  /** What is asked later may have been taken aside, or closed, since. */
  forget(): void {
    this.#known = null;
  }
}
