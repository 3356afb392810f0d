import { describe, expect, test } from "vitest";
import { openRig, openSignedIn, text } from "./fixture.ts";

/** Returns the name of the field that a form marks as wrong and focuses. */
function faultyField(page: string): string | undefined {
  const [field] = page.match(/<input [^>]*aria-invalid="true"[^>]*autofocus[^>]*>/) ?? [];
  return page.includes('role="alert" id="fault"') ? /name="(\w+)"/.exec(field ?? "")?.[1] : undefined;
}

describe("keys", () => {
  test("are made with grants by folder, expiry and rate; the answer alone shows the text", async () => {
    const rig = await openRig();
    await rig.api.file("team/a.md");
    const browser = await rig.signIn();
    expect(await browser.see("/app/keys/new")).toContain('name="path" value="/team"');
    const made = await browser.post("/app/keys", {
      workspace: rig.workspaceId,
      label: "ann",
      path: ["/", "/team/", ""],
      level: ["read", "edit", "full"],
      expires: "2026-11-30",
      requests: "10",
      seconds: "60",
    });
    expect(made.headers["cache-control"]).toContain("no-store");
    const key = /<code id="secret">(mdm_[\w-]+)<\/code>/.exec(text(made))![1]!;
    const info = (await rig.service.admin.keys()).find(({ label }) => label === "ann")!;
    expect([info.grantPaths, info.rateLimit]).toEqual([["/", "/team"], { requests: 10, seconds: 60 }]);
    expect(new Date(info.expiresAt!).toISOString()).toBe("2026-11-30T23:59:59.999Z");
    expect(await browser.see("/app/keys")).not.toContain(key);
    await rig.signIn(key);
  });

  test("are changed and revoked; wrong input is reported, and changes nothing", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { id } = (await rig.service.admin.keys())[0]!;
    const whole = { label: "owner", path: "/", level: "full" };
    for (const [form, field] of [
      [{ label: "" }, "label"],
      [{ expires: "2020-01-01" }, "expires"],
      [{ expires: "2026-13-01" }, "expires"],
      [{ expires: "2027-04-31" }, "expires"],
      [{ expires: "275760-09-14" }, "expires"],
      [{ requests: "5" }, "requests"],
      [{ requests: "0", seconds: "1" }, "requests"],
      [{ level: "owner" }, "access"],
    ] as const) {
      const answer = await browser.post(`/app/keys/${id}`, { ...whole, ...form });
      expect([answer.status, faultyField(text(answer))]).toEqual([422, field]);
      expect((await rig.service.admin.keys())[0]).toMatchObject({ label: "owner", expiresAt: null, rateLimit: null });
    }
    const phone = { label: "phone", path: "/not-there", level: "edit" };
    expect(await browser.submit(`/app/keys/${id}`, phone)).toContain("does not exist");
    expect((await rig.service.admin.keys())[0]!.label).toBe("phone");
    expect(await browser.submit(`/app/keys/${id}/revoke`)).toContain("is revoked");
    expect(await rig.service.admin.keys()).toEqual([]);
    expect((await browser.get(`/app/keys/${id}`)).status).toBe(404);
  });

  test.each([
    ["30 Nov 2026", "2026-11-30", "2026-11-30T10:00:00.000Z"],
    ["1 Jan 2020", "2020-01-01", "2020-01-01T10:00:00.000Z"],
    ["2 Jan 12026", "12026-01-02", "+012026-01-02T10:00:00.000Z"],
  ])("that expire on %s keep the moment until the date is changed", async (shownDay, day, time) => {
    const { browser, ...rig } = await openSignedIn();
    const { id } = (await rig.service.admin.keys())[0]!;
    await rig.service.admin.changeKey(id, { expiresAt: Date.parse(time) });
    const page = await browser.see(`/app/keys/${id}`);
    expect(page).toContain(`${shownDay}, 10:00 UTC`);
    const [, shown = ""] = /<input id="expires"[^>]* value="([^"]*)"/.exec(page) ?? [];
    expect(shown).toBe(day);
    const expiresAfter = async (label: string, expires: string) => {
      await browser.submit(`/app/keys/${id}`, { label, path: "/", level: "full", expires });
      const key = (await rig.service.admin.key(id))!;
      return [key.label, new Date(key.expiresAt!).toISOString()];
    };
    expect(await expiresAfter("same day", shown)).toEqual(["same day", time]);
    expect(await expiresAfter("later", "2026-12-01")).toEqual(["later", "2026-12-01T23:59:59.999Z"]);
    expect(await expiresAfter("much later", "12027-01-02")).toEqual(["much later", "+012027-01-02T23:59:59.999Z"]);
  });

  test("are not made without access, and the form keeps what was entered", async () => {
    const rig = await openRig();
    await rig.api.file("team/a.md");
    const browser = await rig.signIn();
    const entered = { workspace: rig.workspaceId, label: "ann", expires: "2026-12-01", requests: "7", seconds: "9" };
    const chosen = { access: "chosen", path: ["/", "/team", "team/plan.md"], level: ["", "", "none"] };
    const post = (form: Readonly<Record<string, string | readonly string[]>>) =>
      browser.post("/app/keys", { ...entered, ...form });
    const page = text(await post({ ...chosen, level: ["", "", ""] }));
    expect(faultyField(page)).toBe("access");
    expect(page).toMatch(/value="chosen" checked/);
    expect(page.match(/value="(ann|2026-12-01|7|9|team\/plan.md)"/g)).toHaveLength(5);
    expect(await rig.service.admin.keys()).toHaveLength(1);
    expect((await browser.post("/app/keys", { ...entered, workspace: "wsp_none" })).status).toBe(404);
    expect((await post(chosen)).status).toBe(200);
  });

  test("have a preset for the whole workspace, or a level for each chosen folder", async () => {
    const rig = await openRig();
    for (const path of ["team/plans/a.md", "team-notes/a.md"]) await rig.api.file(path);
    const browser = await rig.signIn();
    const form = await browser.see("/app/keys/new");
    // A folder is listed after its parent folder and before its siblings.
    expect([...form.matchAll(/name="path" value="([^"]+)"/g)].map((match) => match[1])).toEqual([
      "/",
      "/team",
      "/team/plans",
      "/team-notes",
    ]);
    const made = async (members: Readonly<Record<string, string | readonly string[]>>) => {
      await browser.post("/app/keys", { workspace: rig.workspaceId, label: "new", ...members });
      const key = (await rig.service.admin.keys()).at(-1)!;
      return { id: key.id, grants: key.grantPaths.map((path, at) => [path, key.grants[at]!.level]) };
    };
    const path = ["/", "/team", "/team/plans", "/team-notes", ""];
    const chosen = { path, level: ["", "edit", "none", "", "read"] };
    expect((await made({ access: "read", ...chosen })).grants).toEqual([["/", "read"]]);
    const { id, grants } = await made({ access: "chosen", ...chosen });
    expect(grants).toEqual([
      ["/team", "edit"],
      ["/team/plans", "none"],
    ]);
    // The form for a change shows the key's present grants.
    const change = await browser.see(`/app/keys/${id}`);
    expect(change).toMatch(/value="chosen" checked/);
    const rows = [...change.matchAll(/value="(\/[^"]*)">\s*<select.*?<\/select>/gs)];
    expect(rows.map((match) => [match[1], /value="(\w*)" selected/.exec(match[0])?.[1] ?? ""])).toEqual([
      ["/", ""],
      ["/team", "edit"],
      ["/team/plans", "none"],
      ["/team-notes", ""],
    ]);
  });
});
