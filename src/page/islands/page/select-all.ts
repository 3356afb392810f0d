/** Lets one check box (`data-all="NAME"`) check or clear all boxes of that name in its form. */
export function addSelectAll(): void {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const name = target.dataset["all"];
    const boxes = name === undefined ? null : target.form?.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`);
    for (const box of boxes ?? []) box.checked = target.checked;
  });
}
