/**
 * Concurrent writers that write into the data folder in `argv` as fast as they can. Each
 * acknowledged write is printed: `id changeId n`. The content of write n repeats one line, so that
 * an incomplete write shows. The process runs until it is killed.
 */
import { writeSync } from "node:fs";
import { openData } from "../../src/service/data.ts";
import { Api } from "../../src/conformance/world.ts";
import { textOf } from "./crash-text.ts";

const data = await openData(process.argv[2]!);
const api = new Api(data.service.handle, data.key);
const acknowledge = (line: string) => writeSync(1, `${line}\n`);

/** Writes concurrently, so that several writes wait for one flush of the disk. */
async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const file = await api.file(`${n % 7}/deep/${process.pid}-${writer}-${n}.md`, textOf(n));
    acknowledge(`${file.id} ${file.lastChangeId} ${n}`);
    const saved = await api.edit(file.id, file.lastChangeId, textOf(n + 1));
    acknowledge(`${file.id} ${saved.json.file.lastChangeId} ${n + 1}`);
  }
}

await Promise.all([0, 1, 2, 3].map(write));
