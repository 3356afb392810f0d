import { createRig } from "../simulator/rig.ts";

/**
 * Clones documents, then uploads an edit of each, in a process of its own, and prints the most
 * bytes of the JavaScript heap that were still used, collected first, at any request. The disk's
 * bytes and the two databases are outside that heap. `argv`: documents, characters of each.
 */
const [documents, characters] = process.argv.slice(2).map(Number) as [number, number];
const collect = globalThis.gc;
if (collect === undefined) throw new Error("run with --expose-gc");

let requests = 0;
let most = 0;
const measure = (): void => {
  collect();
  most = Math.max(most, process.memoryUsage().heapUsed);
};
const rig = createRig(33, {
  fault: () => {
    if (requests++ % 200 === 0) measure();
    return null;
  },
});
// Texts that no two documents share, and that a string holds with one byte a character.
const text = (n: number, version: string): string => `${n} ${version}\n`.padEnd(characters, `${n} text of ${version} `);
for (let n = 0; n < documents; n++) rig.app.create(`d${n % 10}/n${n}.md`, text(n, "first"));
const mirror = rig.mirror();
collect();
const before = process.memoryUsage().heapUsed;
await mirror.sync();
measure();
for (let n = 0; n < documents; n++) mirror.write(`d${n % 10}/n${n}.md`, text(n, "second"));
await mirror.sync();
measure();
const uploaded = [...rig.app.files().values()].every(({ text: live }) => live.includes("second"));
console.log(JSON.stringify({ heapBytes: most - before, requests, uploaded }));
