import { fc, runs } from "../property.ts";
import { describe, expect, it } from "vitest";
import { PROBLEM_CODES, type ProblemCode } from "../../src/contract/problem.ts";
import type { WireResponse } from "../../src/contract/wire.ts";
import { ADMIN_KEY } from "../service/fixture.ts";
import { adminRequest, type Item, openWorld, requestTo } from "./hostile-requests.ts";

/**
 * Hostile requests: every answer matches the OpenAPI document, and none contains anything that the
 * key may not read.
 */

const world = await openWorld();
const flatName = (area: string) => area.replace("/", "");
/** Unique words of each area, in names and contents. */
const markers = world.files.map(({ area, path }) => {
  const name = /name[a-z]+\dx/.exec(path)![0];
  return { area, marks: [name, name.replace("name", "text")] };
});

const request = requestTo(world);
const step = fc.tuple(fc.constantFrom(...Object.keys(world.keys)), request);

/** Checks any answer. Returns its status, or the code of its problem. */
function expectSound({ status, headers, body }: WireResponse): string {
  expect(status).toBeLessThan(500);
  expect(headers["x-request-id"]).toMatch(/^req_/);
  if (status < 300) return String(status);
  const { code } = JSON.parse(body) as { readonly code: ProblemCode };
  expect([code, PROBLEM_CODES[code].status, body.length < 20_000]).toEqual([code, status, true]);
  return code;
}

describe("no answer has another key's data", () => {
  it("in any sequence of requests of five keys with grants of their own", async () => {
    let requests = 0;
    const seen = new Set<string>();
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        const { service, keys } = await openWorld();
        for (const [who, sent] of steps) {
          const { key, sees } = keys[who]!;
          const response = await service.handle({ ...sent, headers: { "x-api-key": key } });
          requests++;
          ends.add(expectSound(response));
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
        // Documents that none of the keys may write are unchanged.
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
    // Each key saw the words of its own area, so foreign words would have been found.
    expect([...seen].sort()).toEqual(["both mixedin", "both open", "other other", "reader open", "writer mixedin"]);
    // Enough requests are valid enough to reach a route.
    const reached = ["200", "201", "204", "not_found", "invalid_request", "invalid_id", "file_not_found", "forbidden"];
    expect(reached.filter((end) => !ends.has(end))).toEqual([]);
  });

  it("and an administrator's answers are sound, too", async () => {
    const { service, workspaceId } = await openWorld();
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    await fc.assert(
      fc.asyncProperty(adminRequest(workspaceId), async (sent) => {
        expectSound(await service.answer({ ...sent, headers }));
      }),
      { numRuns: runs(500) },
    );
  });
});
