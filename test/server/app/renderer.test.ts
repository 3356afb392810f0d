import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { Renderer } from "../../../src/server/app/renderer.ts";
import { temporaryFolder } from "../fixture.ts";

const BASE = { files: "/app/w/x/files/", folder: "" };

/** A thread that answers each text with itself, never to "stuck", and dies of "die". */
function threadFile(): URL {
  const file = join(temporaryFolder(), "thread.mjs");
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ text }) => {
  if (text === "die") throw new Error("dead");
  if (text === "stuck") for (;;);
  parentPort.postMessage({ frontMatter: null, body: text });
});`,
  );
  return pathToFileURL(file);
}

function renderer(options: ConstructorParameters<typeof Renderer>[0] = {}): Renderer {
  const made = new Renderer(options);
  onTestFinished(() => made.close());
  return made;
}

describe("the thread that lays documents out", () => {
  test("lays them out one after the other, each for who asked", async () => {
    const { render } = renderer();
    const rendered = await Promise.all(["# a", "# b", "# c"].map((text) => render(text, BASE)));
    expect(rendered.map((one) => one?.body.trim())).toEqual(["a", "b", "c"].map((x) => `<h1 id="h-${x}">${x}</h1>`));
  });

  test("is ended with a document that takes too long, or that it dies of; the next ones have another", async () => {
    const { render } = renderer({ program: threadFile(), deadlineMs: 200 });
    const rendered = await Promise.all(["a", "stuck", "b", "die", "c"].map((text) => render(text, BASE)));
    expect(rendered.map((one) => one?.body ?? null)).toEqual(["a", null, "b", null, "c"]);
  });

  test("has a bounded number of documents to do, and leaves none waiting when it is closed", async () => {
    const made = renderer({ program: threadFile(), deadlineMs: 60_000 });
    const asked = Array.from({ length: 40 }, () => made.render("stuck", BASE));
    expect(await Promise.all(asked.slice(33))).toEqual(Array.from({ length: 7 }, () => null));
    made.close();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 40 }, () => null));
  });
});
