import { createRig } from "../simulator/rig.ts";

/**
 * Clones documents and uploads an edit of each. Prints the most bytes of the JavaScript heap in use
 * at any request, each after a garbage collection. RAM disk and databases are outside of that heap.
 * `argv`: number of documents, and characters of each.
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
// Returns a unique document of ASCII characters, which V8 stores in one byte each.
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
