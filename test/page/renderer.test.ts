import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Renderer } from "../../src/page/renderer.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const BASE = { files: "/app/w/x/files/", folder: "" };

/**
 * Writes a program for a thread that answers each content with itself. It never answers "stuck",
 * fails with "die", and ends after it has answered "last".
 */
function threadFile(): URL {
  const file = join(temporaryFolder(), "thread.mjs");
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ text }) => {
  if (text === "die") throw new Error("dead");
  if (text.startsWith("stuck")) for (;;);
  parentPort.postMessage({ frontMatter: null, body: text });
  if (text === "last") parentPort.close();
});
parentPort.postMessage("ready");`,
  );
  return pathToFileURL(file);
}

function renderer(options: ConstructorParameters<typeof Renderer>[0] = {}): Renderer {
  const made = new Renderer(options);
  onTestFinished(() => made.close());
  return made;
}

describe("the thread that renders documents", () => {
  test("renders them one after the other, each for its caller", async () => {
    const { render } = renderer();
    const rendered = await Promise.all(["# a", "# b", "# c"].map((text) => render(text, BASE)));
    expect(rendered.map((one) => one?.body.trim())).toEqual(["a", "b", "c"].map((x) => `<h1 id="h-${x}">${x}</h1>`));
  });

  test("is ended by a document that takes too long or crashes it; the next documents get a new thread", async () => {
    // Without a clock: each time limit ends when the test says so.
    const waits: (() => void)[] = [];
    const { render } = renderer({
      program: threadFile(),
      wait: (_ms, work) => {
        waits.push(work);
        return () => undefined;
      },
    });
    const bodyOf = async (text: string) => (await render(text, BASE))?.body ?? null;
    expect(await bodyOf("a")).toBe("a");
    const stuck = bodyOf("stuck");
    const next = bodyOf("b");
    // Time limits of the thread's start, of "a", of the pause after it, and of "stuck".
    await vi.waitFor(() => expect(waits).toHaveLength(4));
    waits[3]!();
    expect(await stuck).toBeNull();
    expect(await next).toBe("b");
    expect(await Promise.all([bodyOf("die"), bodyOf("c")])).toEqual([null, "c"]);
  });

  test("is started again after it has ended by itself", async () => {
    const ended = new Promise((resolve) => process.once("worker", (worker) => worker.once("exit", resolve)));
    const { render } = renderer({ program: threadFile(), wait: () => () => undefined });
    expect((await render("last", BASE))?.body).toBe("last");
    await ended;
    expect((await render("next", BASE))?.body).toBe("next");
  });

  test("has a bounded number of documents to do, and leaves none waiting when it is closed", async () => {
    const made = renderer({ program: threadFile(), wait: () => () => undefined });
    const asked = Array.from({ length: 40 }, (_, n) => made.render(`stuck${"!".repeat(n)}`, BASE));
    expect(await Promise.all(asked.slice(33))).toEqual(Array.from({ length: 7 }, () => null));
    made.close();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 40 }, () => null));
  });
});
