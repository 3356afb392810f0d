import { describe, expect, test, vi } from "vitest";
import { openRig, openSignedIn, type PagesRig, text } from "./fixture.ts";

/** Creates a document with a published version and an edit in review. */
async function inReview(rig: PagesRig, live = "live\n", sent = "sent\n") {
  const file = await rig.api.file("team/a.md", "base\n");
  const saved = (await rig.api.edit(file.id, file.lastChangeId, live)).edited();
  const { id } = (await rig.api.edit(file.id, file.lastChangeId, sent)).ok(202) as { id: string };
  return { id, file, live: saved.lastChangeId, read: async () => (await rig.api.read(file.id)).content };
}

/** Returns the lines of the compared versions, each with its mark. */
function linesOf(page: string): string[] {
  return [...page.matchAll(/<td class="line (\w*)"[^>]*><span class="who"[^>]*>[^<]*<\/span>(.*?)<\/td>/gs)].map(
    ([, mark, line]) => `${mark === "" ? "" : `${mark}: `}${line!.replace(/<[^>]*>/g, "")}`,
  );
}

describe("a review", () => {
  test("shows what accepting does, and both edits; is accepted, edited and accepted, or rejected", async () => {
    for (const [form, content] of [
      [{ how: "accept" }, "sent\n"],
      [{ how: "accept", content: "both\r\nof them\r\n" }, "both\nof them\n"],
      [{ how: "reject" }, "live\n"],
    ] as const) {
      const { browser, ...rig } = await openSignedIn();
      const { id, live, read } = await inReview(rig);
      expect(await browser.see("/app")).toContain('<span class="count asks">1</span>');
      expect(await browser.see("/app/reviews")).toContain(`/app/reviews/${id}`);
      const page = await browser.see(`/app/reviews/${id}`);
      expect(linesOf(page)).toEqual([
        "gone: live",
        "new: sent",
        // Both edits, and the version on which they are based.
        "new: live",
        "base",
        "new: sent",
      ]);
      const { how, ...members } = form;
      rig.clock.now += 1_000;
      const after = await browser.submit(`/app/reviews/${id}/${how}`, { ...members, live });
      expect(after).toContain(how === "accept" ? "Accepted" : "Rejected");
      expect(after).not.toContain("Decision");
      // After a decision the page still shows the difference from the version that was published
      // before it.
      const decided = how === "accept" ? content.trimEnd().split("\n") : ["sent"];
      expect(linesOf(after).sort()).toEqual(["gone: live", ...decided.map((line) => `new: ${line}`)].sort());
      expect(await read()).toBe(content);
    }
  });

  test("that somebody settled, or whose live text somebody changed meanwhile, is not decided unseen", async () => {
    const rig = await openRig();
    const [one, other] = [await rig.signIn(), await rig.signIn()];
    const { id, live, file, read } = await inReview(rig);
    (await rig.api.edit(file.id, live, "newer\n")).edited();
    expect(await one.submit(`/app/reviews/${id}/accept`, { live })).toContain("changed the published version since");
    expect(await read()).toBe("newer\n");
    expect(await other.submit(`/app/reviews/${id}/reject`)).toContain("Rejected");
    const now = (await rig.api.read(file.id)).lastChangeId;
    expect(await one.submit(`/app/reviews/${id}/accept`, { live: now })).toContain("no longer in review: rejected");
    expect(await read()).toBe("newer\n");
    expect((await one.get("/app/reviews/chg_00000000000000")).status).toBe(404);
  });

  test("is not accepted over an edit that comes while the form is answered", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id, live, file, read } = await inReview(rig);
    const { reviews } = rig.service.core.admin;
    const show = reviews.show.bind(reviews);
    vi.spyOn(reviews, "show").mockImplementationOnce(async (asked) => {
      const shown = await show(asked);
      (await rig.api.edit(file.id, live, "newer\n")).edited();
      return shown;
    });
    expect(await browser.submit(`/app/reviews/${id}/accept`, { live })).toContain(
      "changed the published version since",
    );
    expect(await read()).toBe("newer\n");
  });

  test("shows the merged version that accepting publishes, or that there is none", async () => {
    const { browser, ...rig } = await openSignedIn();
    const texts = ["one\n\ntwo\n", "ONE\n\ntwo\n", "one\n\nTWO\n", "1\n\ntwo\n"] as const;
    const file = await rig.api.file("a.md", texts[0]);
    (await rig.api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    const send = async (content: string) =>
      ((await rig.api.edit(file.id, file.lastChangeId, content)).ok(202) as { id: string }).id;
    const [first, merges, clashes] = [await send(texts[1]), await send(texts[2]), await send(texts[3])];
    const accept = async (id: string) => {
      rig.clock.now += 1_000;
      const live = (await rig.api.read(file.id)).lastChangeId;
      return browser.submit(`/app/reviews/${id}/accept`, { live });
    };
    const page = async (id: string) => await browser.see(`/app/reviews/${id}`);
    await accept(first);
    expect(linesOf(await page(merges))).toEqual(["ONE", "ONE", "", "", "gone: two", "new: TWO"]);
    expect(linesOf(await accept(merges))).toEqual(["ONE", "ONE", "", "", "gone: two", "new: TWO"]);
    // The page does not offer to accept an edit of a protected document that does not merge,
    // because the service would refuse.
    expect(await page(clashes)).not.toContain(`/${clashes}/accept`);
    expect(await page(clashes)).toContain(`class="button main-action" href="/app/reviews/${clashes}?view=edit"`);
  });

  test("has one button to accept, for the version that the page shows", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id } = await inReview(rig);
    const forms = async (view: string) => {
      const page = await browser.see(`/app/reviews/${id}?view=${view}`);
      const all = page.match(/<form method="post".*?<\/form>/gs)!;
      return all.map((form) => [/reviews\/\w+\/(\w+)/.exec(form)![1], /name="content"/.test(form)]);
    };
    const whole = [
      ["reject", false],
      ["accept", false],
    ];
    expect(await forms("source")).toEqual(whole);
    expect(await forms("rendered")).toEqual(whole);
    expect(await forms("edit")).toEqual([["accept", true]]);
  });

  test("shows what a reviewer wrote again, if it is not accepted", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id, live, file, read } = await inReview(rig);
    const accept = async (members: Readonly<Record<string, string>>) => {
      const answer = await browser.post(`/app/reviews/${id}/accept`, members);
      const page = text(answer);
      const [typed] = /(?<=<textarea id="content"[^>]*>\n)[^<]*/.exec(page) ?? [];
      return [answer.status, typed, /name="live" value="(\w+)"/.exec(page)?.[1]];
    };
    const newer = (await rig.api.edit(file.id, live, "newer\n")).edited().lastChangeId;
    // The page contains the version that is published now, so the reviewer can continue with it.
    expect(await accept({ live, content: "mine\r\n" })).toEqual([409, "mine\n", newer]);
    const long = "ü".repeat(60_000);
    expect(await accept({ live: newer, content: long })).toEqual([409, long, newer]);
    await rig.service.admin.reviews.reject(id);
    expect(await accept({ live: newer, content: "mine\r\n" })).toEqual([409, "mine\n", newer]);
    expect(await read()).toBe("newer\n");
  });

  test("keeps the line ends of what was sent through a form", async () => {
    const rig = await openRig();
    const { id, live, read } = await inReview(rig, "live\r\n", "\r\none\ntwo\r\nthree");
    const browser = await rig.signIn();
    // A browser drops the line feed after the tag, and sends each line end as CRLF.
    const page = await browser.see(`/app/reviews/${id}?view=edit`);
    const typed = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page)![1]!.replaceAll(/\r\n?|\n/g, "\r\n");
    await browser.submit(`/app/reviews/${id}/accept`, { live, content: typed });
    expect(await read()).toBe("\r\none\ntwo\r\nthree");
  });

  test("names its sender, when it was sent and decided, and the reviews beside it", async () => {
    const { browser, ...rig } = await openSignedIn();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) {
      const file = await rig.api.file(`${name}.md`, "base\n");
      (await rig.api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
      ids.push(((await rig.api.edit(file.id, file.lastChangeId, "sent\n")).ok(202) as { id: string }).id);
    }
    const beside = async (id: string) => {
      const page = await browser.see(`/app/reviews/${id}`);
      return [...page.matchAll(/rel="(\w+)" href="\/app\/reviews\/(\w+)"/g)].map((match) => match.slice(1));
    };
    const [a, b, c] = ids as [string, string, string];
    expect(await Promise.all([a, b, c].map(beside))).toEqual([
      [["next", b]],
      [
        ["prev", a],
        ["next", c],
      ],
      [["prev", b]],
    ]);
    const list = await browser.see("/app/reviews");
    expect(list.match(/<td data-label="From"><bdi class="name">owner<\/bdi>/g)).toHaveLength(3);
    rig.clock.now += 3_600_000;
    const after = await browser.submit(`/app/reviews/${b}/reject`);
    // After a decision the page links to the next review of the list that the user came from.
    expect(after).toMatch(new RegExp(`role="status".*href="/app/reviews/${c}"`));
    expect(await beside(b)).toEqual([
      ["prev", a],
      ["next", c],
    ]);
    expect(await browser.see(`/app/reviews/${c}`)).toContain(">2 of 2<");
    const [sent, decided] = [...after.matchAll(/<time class="age" datetime="([^"]+)"/g)].map((match) => match[1]!);
    expect(Date.parse(decided!) - Date.parse(sent!)).toBe(3_600_000);
  });

  test("is shown rendered, without anything that its text could run", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id } = await inReview(rig, "# Live\n", "# Sent <script>alert(1)</script>\n");
    const page = await browser.see(`/app/reviews/${id}?view=rendered`);
    const marks = [...page.matchAll(/<article class="document" dir="auto">\s*<h1[^>]* class="(\w+)"[^>]*>/g)];
    expect([marks.map(([, mark]) => mark), page.includes("<script>")]).toEqual([["gone", "new"], false]);
  });

  test("of a workspace leads to reviews of that workspace alone", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id } = await inReview(rig);
    const { workspaceId, key } = await rig.service.admin.createWorkspace("other");
    const list = await browser.see(`/app/reviews?workspace=${workspaceId}`);
    expect([list.includes(id), key.length > 0]).toEqual([false, true]);
    expect(await browser.see(`/app/reviews?workspace=${rig.workspaceId}`)).toContain(
      `/app/reviews/${id}?workspace=${rig.workspaceId}`,
    );
    expect((await browser.get("/app/reviews?workspace=wsp_no")).status).toBe(404);
  });
});
