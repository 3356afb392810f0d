/**
 * Replaces each `{{NAME}}` of a template.
 * @throws if `fields` lacks a name
 */
export function fillTemplate(template: string, fields: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z0-9]+)\}\}/g, (place, name: string) => {
    const value = fields[name];
    if (value === undefined) throw new Error(`nothing fills ${place}`);
    return value;
  });
}
