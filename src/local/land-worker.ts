import { parentPort, workerData } from "node:worker_threads";
import type { DiskFolding } from "../model/path.ts";
import type { Made, NewFile } from "../ports/disk.ts";
import { stale } from "./errno.ts";
import { createNodeFs } from "./node-fs.ts";
import { RootGuard } from "./root-guard.ts";
import { createFile } from "./write.ts";

/** The thread of `land-aside.ts`: makes new files by the same functions as the main thread. */

/** New files, and the folder that they are for: another one at its path by now gets none. */
export type Burst = {
  readonly dev: number;
  readonly ino: number;
  readonly folding: DiskFolding;
  readonly files: readonly NewFile[];
};

const { randomBytes } = process.getBuiltinModule("node:crypto");
const random = {
  hex: (digits: number) =>
    randomBytes(Math.ceil(digits / 2))
      .toString("hex")
      .slice(0, digits),
};
const guard = new RootGuard(createNodeFs(), workerData as string, random);

function land({ dev, ino, folding, files }: Burst): Made {
  const stat = guard.identify()?.stat;
  if (stat?.dev !== dev || stat.ino !== ino)
    return files.map(() => stale("the mirrored folder is not there, or is another one"));
  guard.learnFolding(folding);
  return guard.during(() => files.map(({ path, text }) => createFile(guard, path, text)));
}

parentPort?.on("message", (burst: Burst) => parentPort!.postMessage(land(burst)));
