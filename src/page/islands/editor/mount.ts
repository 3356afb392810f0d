import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

/** Window width from which the editor has two columns; narrower windows have one. */
const WIDE = "(min-width: 45rem)";

/** Labels of the content to edit, and of the other version. */
type Labels = { readonly result: string; readonly beside: string };

type Texts = { readonly root: ShadowRoot; readonly field: HTMLTextAreaElement; readonly other: string };

/** Returns the field for the content to edit: `data-editor` is its label. */
export function editedField(): HTMLTextAreaElement | null {
  return document.querySelector("textarea[data-editor]");
}

/**
 * Replaces the field by an editor, beside the version in the field `data-beside`. The field stays,
 * hidden, and has the content for the form. Does nothing if the editor already exists.
 */
export function mountEditor(): void {
  const field = editedField();
  const other = document.querySelector<HTMLTextAreaElement>("textarea[data-beside]");
  if (field === null || other === null || field.previousElementSibling?.className === "editor") return;
  const labels = { result: field.dataset["editor"]!, beside: other.dataset["beside"]! };
  const { result, beside } = labels;
  const isWide = matchMedia(WIDE).matches;
  const host = boxBefore(
    field,
    isWide ? [beside, result] : [`${result}, with what ${beside.toLowerCase()} has instead`],
  );
  field.hidden = true;
  // CodeMirror puts its styles into its root. In a shadow root it uses style sheet objects, which
  // the page's policy allows.
  const texts = { root: host.attachShadow({ mode: "open" }), field, other: other.value };
  if (isWide) mountBeside(texts, labels);
  else mountUnified(texts, labels);
}

/** Returns the element for the editor, below the headings of its columns. */
function boxBefore(field: HTMLTextAreaElement, heads: readonly string[]): HTMLElement {
  const element = (tag: string, className: string) => Object.assign(document.createElement(tag), { className });
  const [box, head, host] = [element("div", "editor"), element("p", "heads"), element("div", "texts")];
  for (const text of heads) head.append(Object.assign(document.createElement("span"), { textContent: text }));
  box.append(head, host);
  field.before(box);
  return host;
}

function mountBeside({ root, field, other }: Texts, { result, beside }: Labels): void {
  const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false), focusable()];
  new MergeView({
    root,
    parent: root,
    a: { doc: other, extensions: [...common(beside), ...readOnly] },
    b: { doc: field.value, extensions: [...common(result), written(field)] },
    revertControls: "a-to-b",
    renderRevertControl: () => takeButton("→", beside),
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
}

/** Returns a button that copies this passage from the other version. */
function takeButton(sign: string, beside: string): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = sign;
  button.setAttribute("aria-label", `Take this place from ${beside.toLowerCase()}`);
  return button;
}

function mountUnified({ root, field, other }: Texts, { result, beside }: Labels): void {
  // No button keeps a passage: the form sends the editor's content in any case.
  const mergeControls = (type: "accept" | "reject", take: (event: MouseEvent) => void) => {
    if (type === "accept") return document.createElement("span");
    const button = takeButton("Take this", beside);
    button.addEventListener("click", take);
    return button;
  };
  const extensions = [...common(result), written(field), unifiedMergeView({ original: other, mergeControls })];
  new EditorView({ root, parent: root, doc: field.value, extensions });
}

/** Lets the keyboard scroll and select in content that cannot be edited. */
function focusable(): Extension {
  return EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true" });
}

/** Extensions of both columns. Tab moves to the next control, as everywhere on the page. */
function common(name: string): Extension[] {
  return [
    lineNumbers(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": name, dir: "auto" }),
    THEME,
  ];
}

function written(field: HTMLTextAreaElement): Extension {
  return EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) field.value = state.doc.toString();
  });
}

/** The editor's theme, in the page's colours for light and dark. */
const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--ground)", fontSize: "0.9rem" },
  "&.cm-focused": { outline: "3px solid var(--link)", outlineOffset: "-3px" },
  ".cm-content": { caretColor: "var(--text)", fontFamily: "ui-monospace, monospace" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--raised)", borderColor: "var(--line)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--quiet-ground)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed-ground)" },
  "&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--added-ground)" },
  "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText, .cm-changedText, .cm-deletedText": {
    background: "none",
    fontWeight: "700",
    textDecoration: "underline 2px",
  },
  ".cm-collapsedLines": { color: "var(--faint)", background: "var(--raised)" },
  // Few fonts have CodeMirror's own sign for left-out lines.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
  // Its button covers no line, also where the other version has no lines.
  ".cm-deletedChunk": { paddingInlineEnd: "5.5rem", minHeight: "2.25rem" },
  "&.cm-editor .cm-chunkButtons button": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    padding: "4px 8px",
  },
});
