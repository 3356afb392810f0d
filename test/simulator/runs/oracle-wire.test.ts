import { describe, expect, it } from "vitest";
import { closeWithTest } from "../open-databases.ts";
import { Actors } from "./actors.ts";
import { actInApp } from "./app-acts.ts";
import { linkLine } from "./linked-texts.ts";
import type { MirrorSetup } from "./script.ts";
import { tagOf } from "./text-marks.ts";

describe("a PUT that only makes an absolute path an id", () => {
  const echo = [expect.stringContaining("I10 a PUT that only changes the form of links of a.md")];

  it.each([
    ["is an echo", null, echo],
    ["is an echo, also if the document of the link has another path", "moved", echo],
    ["may lead to the document that came to the path of a deleted one", "removed", []],
    ["may lead to it, also if the content of the deleted one is uploaded again", "recreated", []],
  ])("%s", (_, target, expected) => {
    const mirror: MirrorSetup = { prefix: "", level: "full", disk: {}, conflicts: "conflict-copy" };
    const setup = { mirrors: [mirror], variant: {}, combines: true, documents: 0, clockOff: 0, links: true };
    const actors = new Actors({ seed: 3, setup, steps: [] });
    closeWithTest(() => actors.close());
    const { simulatedWorld, history } = actors;
    const ask = (method: string, path: string, body?: object): void => {
      expect(simulatedWorld.ask(method, path, body)).not.toBeNull();
    };
    for (const path of ["a.md", "b.md", "c.md"]) ask("POST", "/v1/files", { path, content: history.newText(3) });
    const [a, b, c] = simulatedWorld.files();
    const content = `${a!.text}${linkLine("90", tagOf(b!.text)!, "/b.md", 0)}\n`;
    ask("PUT", `/v1/files/${a!.id}/content`, { baseChangeId: a!.changeId, content });
    if (target === "moved") ask("PATCH", `/v1/files/${b!.id}`, { name: "d.md" });
    if (target === "removed" || target === "recreated") actInApp(simulatedWorld, history, "remove", 1, b!.id);
    if (target === "recreated") ask("POST", "/v1/files", { path: "e.md", content: b!.text });
    if (target !== null) ask("PATCH", `/v1/files/${c!.id}`, { name: "b.md" });
    const files = simulatedWorld.files();
    const id = files.find(({ path }) => path === "b.md")!.id;
    const { changeId } = files.find((one) => one.id === a!.id)!;
    const body = JSON.stringify({ baseChangeId: changeId, content: content.replace("/b.md", id) });
    actors.oracles[0]!.serving({ method: "PUT", path: `/v1/files/${a!.id}/content`, headers: {}, body }, false);
    expect(history.failures).toEqual(expected);
  });
});
