import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

const WIDE_WINDOW = "(min-width: 45rem)";

type EditorLabels = { readonly result: string; readonly beside: string };

type EditorTexts = { readonly root: ShadowRoot; readonly field: HTMLTextAreaElement; readonly other: string };

export function findEditedField(): HTMLTextAreaElement | null {
  return document.querySelector("textarea[data-editor]");
}

/**
 * Shows an editor in place of the text field, beside the version in the field `data-beside`. The
 * hidden text field keeps the content that the form sends. Does nothing if the editor exists.
 */
export function mountEditor(): void {
  const field = findEditedField();
  const otherField = document.querySelector<HTMLTextAreaElement>("textarea[data-beside]");
  if (field === null || otherField === null || field.previousElementSibling?.className === "editor") return;
  const labels = { result: field.dataset["editor"]!, beside: otherField.dataset["beside"]! };
  const { result, beside } = labels;
  const isWide = matchMedia(WIDE_WINDOW).matches;
  const host = addBoxBefore(
    field,
    isWide ? [beside, result] : [`${result}, with what ${beside.toLowerCase()} has instead`],
  );
  field.hidden = true;
  // In a shadow root, CodeMirror uses style sheet objects, which the content security policy
  // allows. The policy forbids inline styles.
  const editorTexts = { root: host.attachShadow({ mode: "open" }), field, other: otherField.value };
  if (isWide) mountBeside(editorTexts, labels);
  else mountUnified(editorTexts, labels);
}

/** Adds a box before the text field. Returns the element for the editor below the headings. */
function addBoxBefore(field: HTMLTextAreaElement, heads: readonly string[]): HTMLElement {
  const createElement = (tag: string, className: string) => Object.assign(document.createElement(tag), { className });
  const [box, head, host] = [
    createElement("div", "editor"),
    createElement("p", "heads"),
    createElement("div", "texts"),
  ];
  for (const text of heads) head.append(Object.assign(document.createElement("span"), { textContent: text }));
  box.append(head, host);
  field.before(box);
  return host;
}

function mountBeside({ root, field, other }: EditorTexts, { result, beside }: EditorLabels): void {
  const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false), makeFocusable()];
  new MergeView({
    root,
    parent: root,
    a: { doc: other, extensions: [...makeCommonExtensions(beside), ...readOnly] },
    b: { doc: field.value, extensions: [...makeCommonExtensions(result), copyToField(field)] },
    revertControls: "a-to-b",
    renderRevertControl: () => createTakeButton("→", beside),
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
}

function createTakeButton(sign: string, beside: string): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = sign;
  button.setAttribute("aria-label", `Take this place from ${beside.toLowerCase()}`);
  return button;
}

function mountUnified({ root, field, other }: EditorTexts, { result, beside }: EditorLabels): void {
  // CodeMirror has two buttons for each passage that differs. One button keeps the edited passage;
  // the other button takes the passage of the other version. An empty element replaces the first
  // button, because the form sends the edited content anyway.
  const mergeControls = (type: "accept" | "reject", take: (event: MouseEvent) => void) => {
    if (type === "accept") return document.createElement("span");
    const button = createTakeButton("Take this", beside);
    button.addEventListener("click", take);
    return button;
  };
  const extensions = [
    ...makeCommonExtensions(result),
    copyToField(field),
    unifiedMergeView({ original: other, mergeControls }),
  ];
  new EditorView({ root, parent: root, doc: field.value, extensions });
}

/** Makes read-only content focusable, so that the keyboard can scroll and select in it. */
function makeFocusable(): Extension {
  return EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true" });
}

/**
 * Returns the CodeMirror extensions that every editor on the page has. No extension binds the Tab
 * key, so this key moves the focus to the next control.
 */
function makeCommonExtensions(name: string): Extension[] {
  return [
    lineNumbers(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": name, dir: "auto" }),
    THEME,
  ];
}

function copyToField(field: HTMLTextAreaElement): Extension {
  return EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) field.value = state.doc.toString();
  });
}

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
  // Most fonts lack the character that CodeMirror shows for hidden lines.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
  // Leaves space for the button of a passage, even if the passage has no lines in the other
  // version.
  ".cm-deletedChunk": { paddingInlineEnd: "5.5rem", minHeight: "2.25rem" },
  "&.cm-editor .cm-chunkButtons button": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    padding: "4px 8px",
  },
});
