import { expect, test } from "vitest";
import { findLinks } from "../../src/markdown/links/find.ts";
import { respell, toDisk, toService } from "../../src/markdown/links/translate.ts";
import { moved, placeIn, worldOf } from "./world.ts";

const WORLD = worldOf(["a.md", "Plan.md", "notes/Travel costs.md", "x/Same.md", "y/Same.md", "x/é.md"]);
const idOf = (path: string) => WORLD.get(path)!;
const PLAN = idOf("Plan.md");
const TRAVEL = idOf("notes/Travel costs.md");
const here = placeIn(WORLD, "a.md", true);

test.each([
  ["[[Plan]]", `[[Plan]](${PLAN})`],
  ["![[Plan]]", `![[Plan]](${PLAN})`],
  ["[[Plan|the plan]]", `[[the plan]](${PLAN})`],
  [
    "[[Travel costs#By train (2nd class)]]",
    `[[Travel costs#By train (2nd class)]](${TRAVEL}#By%20train%20%282nd%20class%29)`,
  ],
  ["[[Travel costs#^block|x]]", `[[x]](${TRAVEL}#^block)`],
  ["[[Plan.md]] ![[Travel costs.md]]", `[[Plan.md]](${PLAN}) ![[Travel costs.md]](${TRAVEL})`],
  ["[[x/Same|one]] and [[y/Same]]", `[[one]](${idOf("x/Same.md")}) and [[y/Same]](${idOf("y/Same.md")})`],
  [
    "# In a heading: [[Plan]]\n\n- [ ] in a list: [[Plan|p]]",
    `# In a heading: [[Plan]](${PLAN})\n\n- [ ] in a list: [[p]](${PLAN})`,
  ],
  [
    "| [[Plan\\|p]] | b |\n|-|-|\n| [[Plan]] | [[Plan\\|q]] |",
    `| [[p]](${PLAN}) | b |\n|-|-|\n| [[Plan]](${PLAN}) | [[q]](${PLAN}) |`,
  ],
])("%s is one form, and comes back", (disk, service) => {
  expect(toService(disk, here)).toBe(service);
  expect(toDisk(service, here)).toBe(disk);
});

test.each([
  ["no document has the name", "[[Nobody]] ![[picture.png]]"],
  ["more than one has", "[[Same]]"],
  ["it is in code", "`[[Plan]]`\n\n```\n[[Plan]]\n```\n"],
  ["it is the text of a link", "[see [[Plan]] there](https://example.org)"],
  ["it is a link's text by itself", "[[Plan]](https://example.org)"],
  ["a definition has its name", "[[Plan]]\n\n[Plan]: https://example.org\n"],
  ["it is a heading of its own text", "[[#Heading]]"],
])("it stays as it is where %s", (_why, text) => {
  expect(toService(text, here)).toBe(text);
  expect(toDisk(text, here)).toBe(text);
});

test("case and normal form do not count, and the spelling stays", () => {
  const text = "[[plan]] [[PLAN|x]] [[e\u0301]]";
  const service = toService(text, here);
  expect(service).toBe(`[[plan]](${PLAN}) [[x]](${PLAN}) [[e\u0301]](${idOf("x/é.md")})`);
  expect(toDisk(service, here)).toBe("[[plan]] [[Plan|x]] [[e\u0301]]");
  expect(toDisk(service, here, { previous: text })).toBe(text);
});

test("a name with the file's extension keeps it in earlier content, and means another file with that name if there is one", () => {
  const text = "[[plan.MD#h|p]] [[notes/Travel costs.md|t]]";
  const service = toService(text, here);
  expect(service).toBe(`[[p]](${PLAN}#h) [[t]](${TRAVEL})`);
  expect(toDisk(service, here, { previous: text })).toBe(text);
  const both = placeIn(new Map([...WORLD, ["x/Plan.md.md", "doc_97"]]), "a.md", true);
  expect(toService("[[Plan.md]] [[Plan]] [[Plan.md.md]]", both)).toBe(
    `[[Plan.md]] [[Plan]](${PLAN}) [[Plan.md.md]](doc_97)`,
  );
});

test("a link gets the new name of its target; its words stay, and so does the service's content", () => {
  const text = "[[Plan]] [[Plan#h]] [[Plan|p]] [[Travel costs]]";
  const after = placeIn(
    moved(WORLD, (path) => (path === "Plan.md" ? "deep/Old plan.md" : path)),
    "a.md",
    true,
  );
  const respelled = respell(text, here, after);
  expect(respelled).toBe("[[Old plan|Plan]] [[Old plan#h|Plan#h]] [[Old plan|p]] [[Travel costs]]");
  expect(toService(respelled, after)).toBe(toService(text, here));
  expect(respell(respelled, after, here)).toBe("[[Plan]] [[Plan#h]] [[Plan|p]] [[Travel costs]]");
});

test("a name that another gets, too, is said with its folder; at the root, as a path", () => {
  const service = `[[Plan]](${PLAN}) [[t]](${TRAVEL})`;
  const more = new Map([...WORLD, ["z/plan.md", "doc_98"], ["z/Travel costs.md", "doc_99"]]);
  const after = placeIn(more, "a.md", true);
  const disk = toDisk(service, after);
  expect(disk).toBe("[[Plan]](Plan.md) [[notes/Travel costs|t]]");
  expect(toService(disk, after)).toBe(service);
  expect(respell("[[Plan]] [[Travel costs|t]]", here, after)).toBe(disk);
});

test("what the service has in no form of ours is a link like others", () => {
  const text = `[[a]](${PLAN} "title") [[b]](<${PLAN}>) [[c]](/Plan.md) [[d]](${PLAN})(e)`;
  const disk = toDisk(text, here);
  expect(disk).toBe('[[a]](Plan.md "title") [[b]](<Plan.md>) [[c]](Plan.md) [[d]](Plan.md)(e)');
  expect(toService(disk, here, { previous: text })).toBe(text);
});

test("content that would be read differently in its other form keeps its wiki links", () => {
  const text = "[[Plan|p]]\n|a|b|\n|-|-|\n|[[Same|c]]";
  expect(toService(text, here)).toBe(text);
});

test("without the setting, wiki links are no links", () => {
  const off = placeIn(WORLD, "a.md");
  expect(toService("[[Plan]]", off)).toBe("[[Plan]]");
  expect(toDisk(`[[Plan]](${PLAN})`, off)).toBe("[[Plan]](Plan.md)");
  expect(findLinks("[[Plan]]")).toEqual([]);
});
