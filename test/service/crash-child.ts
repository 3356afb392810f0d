/**
 * Several writers write as fast as they can into the data folder of argv, and print each write once
 * it is acknowledged: `id changeId n`. Text n is n's line repeated, so that a half write shows.
 * They run until they are killed.
 */
import { writeSync } from "node:fs";
import { openData } from "../../src/service/data.ts";
import { Api } from "../../src/conformance/world.ts";
import { textOf } from "./crash-text.ts";

const data = await openData(process.argv[2]!);
const api = new Api(data.service.handle, data.key);
const acknowledge = (line: string) => writeSync(1, `${line}\n`);

/** Beside each other, so that they wait for the disk together. */
async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const file = await api.file(`${n % 7}/deep/${process.pid}-${writer}-${n}.md`, textOf(n));
    acknowledge(`${file.id} ${file.lastChangeId} ${n}`);
    const saved = await api.edit(file.id, file.lastChangeId, textOf(n + 1));
    acknowledge(`${file.id} ${saved.json.file.lastChangeId} ${n + 1}`);
  }
}

await Promise.all([0, 1, 2, 3].map(write));
