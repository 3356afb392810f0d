import { fc, runs } from "../property.ts";
import { describe, expect, it } from "vitest";
import { ADMIN_KEY } from "../service/fixture.ts";
import { requestTo } from "./hostile-requests.ts";
import { type Item, openWorld } from "./tenants.ts";

/**
 * No answer to any key holds what another may read and it may not, whatever they send (beyond
 * test/service/fuzz.test.ts).
 */

const world = await openWorld();
const flatName = (area: string) => area.replace("/", "");
/** The markers of each area: in names and in texts. */
const markers = world.files.map(({ area, path }) => {
  const name = /name[a-z]+\dx/.exec(path)![0];
  return { area, marks: [name, name.replace("name", "text")] };
});

const request = requestTo(world);

describe("no answer holds another key's data", () => {
  it("in any sequence of requests of five keys with grants of their own", async () => {
    let requests = 0;
    const seen = new Set<string>();
    const statuses = new Map<number, number>();
    const step = fc.tuple(fc.constantFrom(...Object.keys(world.keys)), request);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        const { service, keys } = await openWorld();
        for (const [who, sent] of steps) {
          const { key, sees } = keys[who]!;
          const response = await service.handle({ ...sent, headers: { "x-api-key": key } });
          requests++;
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          expect(response.status).toBeLessThan(500);
          const all = response.body + JSON.stringify(response.headers);
          const said = `${sent.path} ${sent.body ?? ""}`;
          for (const { area, marks } of markers)
            for (const mark of marks) {
              if (!all.includes(mark)) continue;
              if (sees.includes(area)) seen.add(`${who} ${flatName(area)}`);
              else if (!said.includes(mark))
                expect(`${who}: ${sent.method} ${said} -> ${response.body}`).not.toContain(mark);
            }
          if (/admin/i.test(sent.path)) expect(response.status).toBeGreaterThanOrEqual(400);
        }
        // And what none of them may write is as it was.
        for (const { id, path, area } of world.files.filter((file) =>
          ["open", "closed", "mixed/out"].includes(file.area),
        )) {
          const headers = { "x-api-key": world.key };
          const answer = await service.answer({ method: "GET", path: `/v1/files/${id}`, headers, body: null });
          expect([answer.status, (JSON.parse(answer.body) as Item).path]).toEqual([200, path]);
          expect(answer.body).toContain(`"text${flatName(area)}`);
        }
      }),
      { numRuns: runs(50) },
    );
    expect(requests).toBeGreaterThan(1_500);
    // Each key was answered with what it may read: the markers would be found.
    expect([...seen].sort()).toEqual(["both mixedin", "both open", "other other", "reader open", "writer mixedin"]);
    expect([200, 400, 403, 404].filter((status) => !statuses.has(status))).toEqual([]);
  });

  it("nor do the routes of the administrator take any other key, nor the service's the administrator's", async () => {
    for (const { key } of Object.values(world.keys))
      for (const path of ["/admin/keys", "/admin/workspaces", "/admin/reviews"]) {
        const headers = { authorization: `Bearer ${key}`, "x-api-key": ADMIN_KEY };
        const answer = await world.service.handle({
          method: "GET",
          path,
          headers: { authorization: headers.authorization },
          body: null,
        });
        expect([path, answer.status]).toEqual([path, 401]);
      }
    const answer = await world.service.handle({
      method: "GET",
      path: "/v1/files",
      headers: { "x-api-key": ADMIN_KEY },
      body: null,
    });
    expect(answer.status).toBe(401);
  });
});
