import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRig, type Rig } from "../cli/rig.ts";
import { ENTRY } from "../program.ts";

/** Runs the commands of `src/docs/editors.md` with the installed editors. */

const PAGE = readFileSync(new URL("../../src/docs/editors.md", import.meta.url), "utf8");

function block(language: string): string {
  const found = PAGE.match(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m"));
  if (found === null) throw new Error(`the page has no block of ${language}`);
  return found[1]!;
}

const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

let rig: Rig;
let env: NodeJS.ProcessEnv;
/** Output of a sync in a folder with a blocked document. */
let printed: readonly string[];

beforeAll(async () => {
  rig = await openRig();
  rig.write("notes/a.md", "a\n");
  await rig.init();
  rig.write("notes/held here.md", "\0");
  const { out, err } = await rig.run(["sync", "w"]);
  printed = [...out, ...err];
  const bin = join(rig.dir, "bin");
  mkdirSync(bin);
  mkdirSync(join(rig.dir, "home"));
  writeFileSync(join(bin, "mdmirror"), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`, { mode: 0o755 });
  const { PATH } = process.env;
  env = { ...process.env, PATH: `${bin}:${PATH}`, HOME: join(rig.dir, "home"), XDG_STATE_HOME: rig.stateHome };
});
afterAll(() => rig.close());

/** Runs a program to its end. It does not block, because this process also runs the service. */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: 120_000 }, (_error, out, err) => resolve(`${out}${err}`));
  });
}

describe("the page on editors", () => {
  test("VS Code's tasks find documents with problems", () => {
    type Pattern = { regexp: string; file: number; code: number; message: number; kind: string };
    type Task = { label: string; args: string[]; problemMatcher: { pattern: Pattern } | [] };
    const { version, tasks } = JSON.parse(block("json")) as { version: string; tasks: Task[] };
    expect([version, tasks.map(({ label }) => label)]).toEqual(["2.0.0", ["mdmirror: watch", "mdmirror: sync"]]);
    const matcher = tasks[1]!.problemMatcher;
    if (Array.isArray(matcher)) throw new Error("the sync has no matcher");
    const { regexp, file, code, message } = matcher.pattern;
    const problems = printed.flatMap((line) => {
      const found = new RegExp(regexp).exec(line);
      return found === null ? [] : [[found[file], found[code], found[message]]];
    });
    expect(problems).toEqual([["notes/held here.md", "contains-nul", "the file contains a NUL character"]]);
  });

  test.skipIf(!has("vim"))("Vim syncs, and lists what needs somebody (skipped where Vim is missing)", async () => {
    const rc = join(rig.dir, "vimrc");
    const list = join(rig.dir, "list");
    writeFileSync(rc, block("vim"));
    rig.write("notes/a.md", "written in vim\n");
    const write = `call writefile(map(getqflist(), {_, one -> bufname(one.bufnr) . '|' . one.text}), '${list}')`;
    const told = await run(
      "vim",
      ["-N", "-u", rc, "-es", "-c", "MdmirrorSync", "-c", write, "-c", "qa!", "notes/a.md"],
      rig.root,
    );
    expect(told).toEqual(expect.any(String));
    expect(readFileSync(list, "utf8")).toMatch(
      /notes\/held here\.md\|contains-nul: the file contains a NUL character\n$/,
    );
    expect(rig.remote("notes/a.md")!.content).toBe("written in vim\n");
  });

  test.skipIf(!has("emacs"))(
    "Emacs syncs, and goes to what needs somebody (skipped where Emacs is missing)",
    async () => {
      rig.write("notes/a.md", "written in emacs\n");
      const rc = join(rig.dir, "init.el");
      writeFileSync(
        rc,
        `${block("elisp")}
(find-file "notes/a.md")
(setq compilation-always-kill t)
(mdmirror-sync)
(while (get-buffer-process "*compilation*") (accept-process-output nil 1))
(next-error 1)
(princ (buffer-name (window-buffer)))`,
      );
      expect(await run("emacs", ["--batch", "-l", rc], rig.root)).toContain("held here.md");
      expect(rig.remote("notes/a.md")!.content).toBe("written in emacs\n");
    },
  );

  test.each(["bash", "zsh"].filter(has))("the prompt of %s", async (shell) => {
    const rc = join(rig.dir, "prompt");
    const prompt = `[$(mdmirror_prompt)]`;
    writeFileSync(rc, `${block("bash")}\necho "${prompt}"\ncd / && echo "${prompt}"\n`);
    expect(await run(shell, [rc], rig.path("notes"))).toBe("[ [attention blocked:1]]\n[]\n");
  });
});
