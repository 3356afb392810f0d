import { describe, expect, test } from "vitest";
import { Browsers, readCookie } from "../../src/page/sessions.ts";

function world() {
  let made = 0;
  const at = { now: 0 };
  return { at, now: () => at.now, secret: () => `secret-${++made}` };
}

const ORIGINS = { cookie: () => ({ name: "c", path: "/", secure: false }) };

/** Signs a browser in. Returns a function that finds its session, and one that signs it out. */
function signIn(browsers: Browsers<string>, who: string) {
  const cookie = browsers.signIn(who, undefined).split(";")[0]!;
  return { find: () => browsers.sessionOf({ cookie }), end: () => browsers.signOut({ cookie }) };
}

describe("sessions", () => {
  test("are found by their cookie, each with a token of its own", () => {
    const browsers = new Browsers<string>(world(), ORIGINS, { most: 4, idleMs: 10 });
    const [ann, ben] = [signIn(browsers, "ann"), signIn(browsers, "ben")];
    expect([ann.find()?.who, ben.find()?.who, browsers.sessionOf({ cookie: "c=x" })]).toEqual(["ann", "ben", null]);
    expect(browsers.sessionOf({})).toBeNull();
    expect(ann.find()?.csrf).not.toBe(ben.find()?.csrf);
    expect(ann.end()).toContain("Max-Age=0");
    expect(ann.find()).toBeNull();
  });

  test("end when they were not used for a while, and no sooner", () => {
    const given = world();
    const ann = signIn(new Browsers<string>(given, ORIGINS, { most: 4, idleMs: 10 }), "ann");
    for (given.at.now = 10; given.at.now <= 50; given.at.now += 10) expect(ann.find()).not.toBeNull();
    given.at.now += 1;
    expect([ann.find(), ann.find()]).toEqual([null, null]);
  });

  test("have a limit: the session that was used last stays", () => {
    const browsers = new Browsers<string>(world(), ORIGINS, { most: 2, idleMs: 10 });
    const [first, second] = [signIn(browsers, "1"), signIn(browsers, "2")];
    first.find();
    const third = signIn(browsers, "3");
    expect([first, second, third].map(({ find }) => find()?.who)).toEqual(["1", undefined, "3"]);
  });
});

test.each([
  [undefined, null],
  ["", null],
  ["other=1; mine=2", "2"],
  ["mine2=1", null],
  ["mine=1; mine=2", null],
  ["mine=a=b", "a=b"],
])("of the Cookie header %o the value is %o", (header, value) => {
  expect(readCookie(header, "mine")).toBe(value);
});
