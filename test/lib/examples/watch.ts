import { writeFile } from "node:fs/promises";
import { linkMirror } from "mdmirror";
import { startServer } from "mdmirror/server";

await using service = await startServer();
await using notes = await linkMirror("notes", { url: service.url, key: service.key });

// Leaving the loop ends the watch after the steps in progress.
for await (const event of notes.watch()) {
  if (event.kind === "opened") await writeFile("notes/today.md", "# Today\n");
  if (event.kind === "change") console.log(event.what, event.path, event.outcome);
  if (event.kind === "run" && event.report.counts.createdRemote > 0) break;
}
console.log((await notes.status()).state);
