import { appendFile } from "node:fs/promises";
import { linkMirror, MdmirrorError } from "mdmirror";
import { startServer } from "mdmirror/server";

// A local service. For another service, use its URL and key.
await using service = await startServer();
await using notes = await linkMirror("notes", { url: service.url, key: service.key });

await appendFile("notes/plan.md", "# Plan\n");
const report = await notes.sync();
console.log(report.state, report.counts.createdRemote);
for (const { path, detail, next } of report.attention) console.log(`${path}: ${detail}; ${next}`);

await appendFile("notes/plan.md", "- flour\n");
const { steps, safetyStop } = await notes.plan();
console.log(steps.map(({ kind, path }) => `${kind} ${path}`).join(), safetyStop);
await notes.sync();

const { versions } = await notes.history({ path: "plan.md" });
console.log(versions.map(({ n, size }) => `${n}: ${size} bytes`).join(", "));
const { sync } = await notes.restore({ paths: ["plan.md"], n: 1 });
console.log(sync?.state, (await notes.verify()).agree);

await notes.resolve({ paths: ["plan.md"], way: "mine" }).catch((error: unknown) => {
  if (!(error instanceof MdmirrorError)) throw error;
  console.log(error.kind, error.message);
});
