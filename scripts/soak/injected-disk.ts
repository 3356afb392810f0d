/**
 * The full disk if nothing can be mounted: the whole engine on a RAM disk that refuses more bytes.
 * The state is in memory and cannot become full.
 */
import { createRig } from "../../test/simulator/rig.ts";
import { docPath } from "./fixture.ts";
import { edited, newText } from "./marked.ts";
import type { Row, Soak } from "./row.ts";

const INJECTED_DOCUMENTS = 60;

export async function injectedFullDisk(fault: string, why: string, { rounds, seed }: Soak): Promise<Row> {
  const broken: string[] = [];
  const counted = { lost: 0, differing: 0, full: 0 };
  for (let round = 0; round < rounds; round++) {
    const rig = createRig(seed * 1_000 + round);
    const { app, dice } = rig;
    const where = `round ${round} (seed ${seed})`;
    for (let n = 0; n < INJECTED_DOCUMENTS; n++) app.create(docPath(n), newText(`doc ${n}`));
    const mirror = rig.mirror();
    const marks: string[] = [];
    const mark = () => marks[marks.push(`<m${round}-${marks.length}>`) - 1]!;
    for (const merging of [false, true]) {
      if (merging) {
        for (let n = 0; n < INJECTED_DOCUMENTS; n += 2) {
          const path = docPath(n);
          mirror.write(path, edited(mirror.texts().get(path)!, n, mark()));
          app.edit(path, edited(app.files().get(path)!.text, n + 4, mark()));
        }
      }
      const used = [...mirror.texts().values()].reduce((sum, text) => sum + text.length, 0);
      mirror.disk.capacity = used + dice.below(20_000);
      const report = await mirror.sync();
      if (report?.state !== "in-sync") counted.full++;
      mirror.disk.capacity = Number.POSITIVE_INFINITY;
      for (let n = 0; n < 3; n++) await mirror.sync();
    }
    const [here, there] = [mirror.texts(), app.files()];
    const differing = [...there].filter(([path, { text }]) => here.get(path) !== text).length + here.size - there.size;
    const all = [...here.values()].join("\n");
    const lost = marks.filter((one) => !all.includes(one)).length;
    counted.lost += lost;
    counted.differing += Math.abs(differing);
    if (lost > 0 || differing !== 0) broken.push(`${where}: ${lost} lost, ${differing} differing`);
  }
  if (counted.full === 0) broken.push("the disk was never full");
  return { fault, rounds, counted, broken, note: `injected through a disk in memory: ${why}` };
}
