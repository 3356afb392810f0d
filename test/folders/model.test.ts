import { describe, expect, it } from "vitest";
import { Model, Unexplained, type Version } from "./model.ts";

/** The model accepts observations that some order of transfers explains, and rejects all others. */

const version = (...marks: string[]): Version => ({ id: "a", marks, path: "a.md" });
const file = (...marks: string[]) => ({ path: "a.md", marks });
const view = (...marks: string[]) => ({ files: marks.length === 0 ? [] : [file(...marks)], copies: [] });

/** Returns a model of two folders that have one document. */
const newModel = () => new Model("a", 2, version("1"));

/** Observes the end of a sync of one folder that nothing disturbed. */
function sync(model: Model, folder: number): void {
  model.transfer([folder]);
  model.seeRest(folder);
}

/** Returns a model in which folder 0 has uploaded its edit, and folder 1 has another edit. */
function withTwoEdits(): Model {
  const model = newModel();
  model.write(0, version("1", "2"));
  model.write(1, version("1", "3"));
  sync(model, 0);
  return model;
}

describe("an edit", () => {
  it("is uploaded by a sync, and not before", () => {
    const model = newModel();
    model.write(0, version("1", "2"));
    expect(() => model.seeRemote([file("1", "2")])).toThrow(Unexplained);
    sync(model, 0);
    model.seeRemote([file("1", "2")]);
  });

  it("may be uploaded or not by a sync that was killed", () => {
    for (const marks of [["1"], ["1", "2"]]) {
      const model = newModel();
      model.write(0, version("1", "2"));
      model.transfer([0]);
      model.kill(0);
      model.seeRemote([file(...marks)]);
    }
  });

  it("may meet another one: both merge, or it is a conflict", () => {
    const merged = withTwoEdits();
    sync(merged, 1);
    merged.seeFolder(1, view("1", "2", "3"));
    merged.seeRemote([file("1", "2", "3")]);
    const conflict = withTwoEdits();
    sync(conflict, 1);
    conflict.seeFolder(1, { files: [file("1", "3")], copies: [["1", "2"]] });
    conflict.seeRemote([file("1", "2")]);
  });

  it("replaces no edit that its user has not seen", () => {
    for (const marks of [
      ["1", "2"],
      ["1", "3"],
    ]) {
      const model = withTwoEdits();
      sync(model, 1);
      expect(() => model.seeFolder(1, view(...marks))).toThrow(Unexplained);
    }
  });

  it("beats a deletion", () => {
    const model = newModel();
    model.write(0, version("1", "2"));
    sync(model, 0);
    model.move(1, null);
    sync(model, 1);
    expect(() => model.seeFolder(1, view())).toThrow(Unexplained);
    model.seeFolder(1, view("1", "2"));
  });
});

describe("a decision", () => {
  it("is not asked for twice", () => {
    const model = withTwoEdits();
    sync(model, 1);
    const conflict = { files: [file("1", "3")], copies: [["1", "2"]] };
    model.seeFolder(1, conflict);
    model.choose(1, "mine");
    sync(model, 1);
    expect(() => model.seeFolder(1, conflict)).toThrow(Unexplained);
    model.seeRemote([file("1", "3")]);
  });
});

describe("a deletion", () => {
  it("comes to the other folder, and nothing brings the document back", () => {
    const model = newModel();
    model.move(0, null);
    sync(model, 0);
    model.seeRemote([]);
    sync(model, 1);
    expect(() => model.seeFolder(1, view("1"))).toThrow(Unexplained);
    model.seeFolder(1, view());
  });
});

describe("a rename", () => {
  it("is not undone, also where the other folder edited", () => {
    const model = newModel();
    model.move(0, "b.md");
    sync(model, 0);
    model.write(1, version("1", "2"));
    sync(model, 1);
    expect(() => model.seeFolder(1, view("1", "2"))).toThrow(Unexplained);
    model.seeFolder(1, { files: [{ path: "b.md", marks: ["1", "2"] }], copies: [] });
  });
});
