import { createRig } from "../simulator/rig.ts";

/**
 * Clones documents, then uploads an edit of each, in a process of its own, first of short and then
 * of long documents. Prints for both the most bytes of the JavaScript heap that were still held,
 * collected first, at any request. The disk's bytes and the two databases are outside that heap.
 * `argv`: documents, characters of each short one, and of each long one.
 */
const [documents, ...lengths] = process.argv.slice(2).map(Number) as [number, number, number];
const collect = globalThis.gc;
if (collect === undefined) throw new Error("run with --expose-gc");

function heapUsed(): number {
  collect!();
  return process.memoryUsage().heapUsed;
}

async function measure(characters: number): Promise<{ held: number; requests: number; uploaded: boolean }> {
  let requests = 0;
  let most = 0;
  const note = (): void => {
    most = Math.max(most, heapUsed());
  };
  const rig = createRig(33, {
    fault: () => {
      if (requests++ % 200 === 0) note();
      return null;
    },
  });
  // Texts that no two documents share, and that a string holds with one byte a character.
  const text = (n: number, version: string): string =>
    `${n} ${version}\n`.padEnd(characters, `${n} text of ${version} `);
  for (let n = 0; n < documents; n++) rig.app.create(`d${n % 10}/n${n}.md`, text(n, "first"));
  const mirror = rig.mirror();
  const before = heapUsed();
  await mirror.sync();
  note();
  for (let n = 0; n < documents; n++) mirror.write(`d${n % 10}/n${n}.md`, text(n, "second"));
  await mirror.sync();
  note();
  const uploaded = [...rig.app.files().values()].every(({ text: live }) => live.includes("second"));
  return { held: most - before, requests, uploaded };
}

const measured: Awaited<ReturnType<typeof measure>>[] = [];
for (const characters of lengths) measured.push(await measure(characters));
console.log(JSON.stringify(measured));
