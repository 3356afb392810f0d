import { rm, writeFile } from "node:fs/promises";
import { linkMirror } from "mdmirror";
import { startServer } from "mdmirror/server";

await using service = await startServer();
await using notes = await linkMirror("notes", { url: service.url, key: service.key });
for (const name of ["a", "b", "c"]) await writeFile(`notes/${name}.md`, `# ${name}\n`);
await notes.sync();

// If all documents of a side are gone, the sync is stopped until somebody approves or rejects it.
for (const name of ["a", "b", "c"]) await rm(`notes/${name}.md`);
console.log((await notes.sync()).state);
const plan = await notes.plan();
console.log(plan.safetyStop?.reasons.map(({ reason }) => reason).join());

// `approve` applies exactly what the plan shows; `reject` undoes it.
const { items } = await notes.reject({ expected: { stop: plan.safetyStop?.version ?? "" } });
console.log(items.length, (await notes.sync()).state);
