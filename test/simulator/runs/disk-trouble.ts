import { rollDice } from "../dice.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import type { SyncStep } from "./script.ts";

/**
 * Starts the disk trouble of a step.
 * @returns a function that ends it
 */
export function makeTrouble(mirror: SimulatedMirror, { trouble, seed }: SyncStep): () => void {
  if (trouble === null) return () => undefined;
  const dice = rollDice(seed + 77);
  const { disk } = mirror;
  if (trouble === "unmounted") return unmount(mirror);
  if (trouble === "full") return disk.fail({ call: "writeNew.bytes", path: null, code: "ENOSPC" });
  if (trouble === "forbidden") {
    const folders = mirror.disk.user.folders(ROOT);
    if (folders.length === 0) return () => undefined;
    return disk.fail({ call: "any", path: `${ROOT}/${dice.pick(folders)}`, code: dice.pick(["EACCES", "EPERM"]) });
  }
  const ends = (["rename", "link", "unlink", "readFile", "writeNew", "mkdir", "sync", "lstat"] as const)
    .filter(() => dice.below(3) === 0)
    .map((call) => {
      const drawn = dice.pick(["EIO", "EACCES", "EBUSY"]);
      // EACCES from `link` means a disk without hard links. There a save between the check and the
      // rename is overwritten (`local/names.ts`), and no user may save at that moment.
      const code = call === "link" && drawn === "EACCES" ? "EIO" : drawn;
      return disk.fail({ call, path: `${ROOT}/`.slice(0, -1), code, times: 1 });
    });
  return () => {
    for (const end of ends) end();
  };
}

function unmount({ disk }: SimulatedMirror): () => void {
  const { user } = disk;
  user.rename(ROOT, `${ROOT}-away`);
  user.makeFolder(ROOT);
  disk.settle();
  return () => {
    user.remove(ROOT);
    user.rename(`${ROOT}-away`, ROOT);
    disk.settle();
  };
}
