import { describe, expect, test } from "vitest";
import { cookieOf } from "../../src/page/browsers.ts";
import { Sessions } from "../../src/page/sessions.ts";

function world() {
  let made = 0;
  const at = { now: 0 };
  return { at, now: () => at.now, secret: () => `secret-${++made}` };
}

describe("sessions", () => {
  test("are found by their secret, each with a token of its own", () => {
    const sessions = new Sessions<string>(world(), { most: 4, idleMs: 10 });
    const [ann, ben] = [sessions.begin("ann"), sessions.begin("ben")];
    expect([sessions.find(ann)?.who, sessions.find(ben)?.who, sessions.find("secret")]).toEqual(["ann", "ben", null]);
    expect(sessions.find(ann)?.csrf).not.toBe(sessions.find(ben)?.csrf);
    sessions.end(ann);
    expect(sessions.find(ann)).toBeNull();
  });

  test("are so many at most: the one that was used last stays", () => {
    const sessions = new Sessions<string>(world(), { most: 2, idleMs: 10 });
    const [first, second] = [sessions.begin("1"), sessions.begin("2")];
    sessions.find(first);
    const third = sessions.begin("3");
    expect([first, second, third].map((secret) => sessions.find(secret)?.who)).toEqual(["1", undefined, "3"]);
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
  expect(cookieOf(header, "mine")).toBe(value);
});
