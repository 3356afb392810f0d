import { expect, it } from "vitest";
import { serveHttp } from "./fixture.ts";
import { problemIn, raw } from "./raw-http.ts";

it("refuses two Host or two Authorization headers, on any route", async () => {
  const { port, key } = await serveHttp();
  const auth = `authorization: Bearer ${key}\r\n`;
  for (const more of [`host: y\r\n${auth}`, `HOST: x\r\n${auth}`, auth + auth, `${auth}Authorization: Basic eDp4\r\n`])
    for (const target of ["GET /v1/files", "GET /v1/events", "GET /metrics", "GET /app"]) {
      const text = await raw(port, `${target} HTTP/1.1\r\nhost: x\r\n${more}connection: close\r\n\r\n`);
      expect([target, more, text.slice(0, 13)]).toEqual([target, more, "HTTP/1.1 400 "]);
      expect(problemIn(text).code).toBe("invalid_request");
    }
  expect(await raw(port, `GET /v1/files HTTP/1.1\r\nhost: x\r\n${auth}connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
});
