import { describe, expect, test } from "vitest";
import { syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import { type Mirror, ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** Promises, each in a mirror that translates links. */

async function begin(): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  const rig = createRig(1);
  const mirror = rig.mirror({ links: true });
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  await mirror.sync();
  return { rig, mirror, b: rig.app.files().get("b.md")!.id };
}

/** Live on a side, in the text store, or a file in the trash; texts in the service's form. */
function isKept(rig: Rig, mirror: Mirror, text: string): boolean {
  const live = [...rig.app.files().values()].map((file) => file.text);
  const trash = [...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true).values()];
  return live.includes(text) || trash.includes(text) || mirror.state.hasText(digestOf(text));
}

describe("I03 with links translated, no text is lost", () => {
  test("of a conflict whose target moves meanwhile, whoever wins it", async () => {
    const { rig, mirror, b } = await begin();
    for (const policy of ["conflict-copy", "copy", "local", "remote"] as const) {
      rig.app.edit("a.md", `theirs, ${policy} [b](${b})\n`);
      const target = [...mirror.texts().keys()].find((path) => /^b[0-9]*\.md$|^t/.test(path))!;
      mirror.write("a.md", `mine, ${policy} [b](${target})\n`);
      mirror.disk.user.rename(mirror.path(target), mirror.path(`t-${policy}.md`));
      mirror.disk.advance(10);
      await mirror.sync({ conflicts: () => policy });
      await mirror.sync({ conflicts: () => policy });
      for (const who of ["mine", "theirs"])
        expect(isKept(rig, mirror, `${who}, ${policy} [b](${b})\n`), `${who} ${policy}`).toBe(true);
      for (const path of [...mirror.texts().keys()].filter((one) => /^a \(/.test(one)))
        mirror.disk.user.remove(mirror.path(path));
      mirror.disk.advance(10);
      await mirror.sync();
      await mirror.sync();
    }
  });

  test("of a document that is deleted there: it is in the trash as it was on disk", async () => {
    const { rig, mirror } = await begin();
    rig.app.remove("a.md");
    await mirror.sync();
    const trash = [...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true)].filter(([path]) => path.startsWith("trash/"));
    expect(trash.map(([, text]) => text)).toEqual(["[b](b.md)\n"]);
  });
});

test("I13 with links translated, killed at any call of a first push and of a move, each file has whole bytes and each link leads home", async () => {
  const whole = /^(?:\[a\]\((?:\.\.\/)?a\.md\)|\[b\]\((?:b|sub\/c)\.md\))\n$/;
  for (let kill = 1; kill < 400; kill += 17) {
    const rig = createRig(1);
    const mirror = rig.mirror({ links: true });
    mirror.write("a.md", "[b](b.md)\n");
    mirror.write("b.md", "[a](a.md)\n");
    mirror.killAt(kill);
    const first = await mirror.sync();
    await mirror.sync();
    mirror.disk.user.makeFolder(mirror.path("sub"));
    mirror.disk.user.rename(mirror.path("b.md"), mirror.path("sub/c.md"));
    mirror.disk.advance(10);
    mirror.killAt(kill);
    const second = await mirror.sync();
    for (const text of mirror.texts().values()) expect(text, `${kill}`).toMatch(whole);
    await mirror.sync();
    await mirror.sync();
    const files = rig.app.files();
    expect([...files.keys()].toSorted(), `${kill}`).toEqual(["a.md", "sub/c.md"]);
    expect(files.get("a.md")!.text, `${kill}`).toBe(`[b](${files.get("sub/c.md")!.id})\n`);
    expect(mirror.texts().get("a.md"), `${kill}`).toBe("[b](sub/c.md)\n");
    expect(mirror.texts().get("sub/c.md"), `${kill}`).toBe("[a](../a.md)\n");
    if (first !== null && second !== null) return;
  }
  throw new Error("each run died");
});

describe("I14 with links translated, an edit that is saved while the links are written anew survives", () => {
  const WAYS = ["write", "saveAtomically"] as const;
  test.each(WAYS)("at any call, by %s", async (way) => {
    const saved = "[b](b.md) saved late\n";
    const calls = await callsOfRespelling();
    for (let at = 1; at <= calls; at += 5) {
      const { rig, mirror, b } = await begin();
      rig.app.rename("b.md", "c.md");
      await syncWith(mirror, at, () => mirror.disk.user[way](mirror.path("a.md"), saved));
      mirror.disk.advance(10);
      for (let more = 0; more < 3; more++) await mirror.sync();
      expect(rig.app.files().get("a.md")!.text, `at call ${at}`).toBe(`[b](${b}) saved late\n`);
      expect(mirror.texts().get("a.md"), `at call ${at}`).toBe("[b](c.md) saved late\n");
      expect([...mirror.texts().keys()], `at call ${at}`).toEqual(["a.md", "c.md"]);
    }
  });
});

/** How many calls of the disk a sync takes that writes a link anew. */
async function callsOfRespelling(): Promise<number> {
  const { rig, mirror } = await begin();
  rig.app.rename("b.md", "c.md");
  let calls = 0;
  await syncWith(
    mirror,
    Number.POSITIVE_INFINITY,
    () => undefined,
    () => calls++,
  );
  expect(mirror.texts().get("a.md")).toBe("[b](c.md)\n");
  return calls;
}

/** One sync, with something that happens before one of its calls of the disk. */
async function syncWith(mirror: Mirror, at: number, meddle: () => void, onCall = (): void => undefined): Promise<void> {
  const world = mirror.world();
  let calls = 0;
  mirror.disk.beforeCall = () => {
    onCall();
    if (++calls === at) meddle();
  };
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  mirror.disk.advance(10);
}

test.each([
  ["CRLF", "# a\r\n\r\n[b](ID)\r\n"],
  ["a byte order mark", "\ufeff[b](ID)\n"],
  ["no final newline", "[b](ID#x)"],
  ["U+2028", "a\u2028[b](ID)\u2028"],
  ["characters beyond 16 bits", "\u{1d4d0} [\u{1d4d1}](ID)\n"],
  ["letters in two parts", "e\u0301 [b](ID)\n"],
  ["a title and angle brackets", '[b]( <ID>  "t" ) \n\n[r]: ID\n'],
])("I25 with links translated, down and up again is the same text: %s", async (_what, form) => {
  const { rig, mirror, b } = await begin();
  const text = form.replaceAll("ID", b);
  rig.app.create("sub/t.md", text);
  await mirror.sync();
  const bytes = mirror.texts().get("sub/t.md")!;
  expect(bytes).toBe(form.replaceAll("ID", "../b.md"));
  mirror.requests.length = 0;
  mirror.write("sub/t.md", bytes);
  await mirror.sync();
  expect(mirror.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  mirror.write("sub/t.md", `${bytes}\nmore\n`);
  await mirror.sync();
  mirror.write("sub/t.md", bytes);
  await mirror.sync();
  expect(rig.app.files().get("sub/t.md")!.text).toBe(text);
});
