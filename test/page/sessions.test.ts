import { describe, expect, test } from "vitest";
import { cookieOf } from "../../src/page/browsers.ts";
import { refusalOf } from "../../src/page/same-site.ts";
import { Sessions, Tickets } from "../../src/page/sessions.ts";

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

  test("end when they were not used for a while, and no sooner", () => {
    const given = world();
    const sessions = new Sessions<string>(given, { most: 4, idleMs: 10 });
    const secret = sessions.begin("ann");
    for (given.at.now = 10; given.at.now <= 50; given.at.now += 10) expect(sessions.find(secret)).not.toBeNull();
    given.at.now += 1;
    expect(sessions.find(secret)).toBeNull();
    expect(sessions.find(secret)).toBeNull();
  });

  test("are so many at most: the one that was used last stays", () => {
    const sessions = new Sessions<string>(world(), { most: 2, idleMs: 10 });
    const [first, second] = [sessions.begin("1"), sessions.begin("2")];
    sessions.find(first);
    const third = sessions.begin("3");
    expect([first, second, third].map((secret) => sessions.find(secret)?.who)).toEqual(["1", undefined, "3"]);
  });
});

test("a ticket is good once, until its time is over", () => {
  const given = world();
  const tickets = new Tickets(given, { most: 2, lifeMs: 10 });
  const [a, b] = [tickets.issue(), tickets.issue()];
  expect([tickets.take(a), tickets.take(a), tickets.take("x")]).toEqual([true, false, false]);
  given.at.now = 11;
  expect(tickets.take(b)).toBe(false);
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

test.each([
  ["GET", undefined, undefined, null],
  ["GET", undefined, "none", null],
  ["GET", "https://here", "same-origin", null],
  ["GET", "http://here", undefined, "origin"],
  ["GET", undefined, "cross-site", "site"],
  ["POST", undefined, "same-origin", "origin"],
  ["POST", "https://here", undefined, null],
  ["POST", "https://here", "none", "site"],
  ["POST", "https://here", "same-site", "site"],
] as const)("%s with Origin %o and Sec-Fetch-Site %o: %o", (method, origin, fetchSite, refusal) => {
  expect(refusalOf({ method, host: "here", origin, fetchSite }, new Set(["here"]), "https")).toBe(refusal);
});
