import { createClient } from "mdmirror/client";
import { startServer } from "mdmirror/server";

await using service = await startServer();
const client = createClient({ url: service.url, key: service.key });

// Calls return their errors as values.
const made = await client.createFile("plan.md", "# Plan\n");
if (!made.ok) throw new Error(made.fault.detail);
const { id, lastChangeId } = made.value;

const put = await client.putContent(id, lastChangeId, "# Plan\n\n- flour\n");
if (put.ok) console.log(put.value.kind);
// A write may have happened although its answer was lost, so read the document before you send it
// again.
else if (put.fault.kind === "uncertain") console.log(await client.getFile(id));

const { items, complete } = await client.listFiles();
console.log(items.map(({ path }) => path).join(), complete);
const gone = await client.getFile("doc_00000000000000" as typeof id);
if (!gone.ok && gone.fault.kind === "problem") console.log(gone.fault.status, gone.fault.code);
await client.close();
