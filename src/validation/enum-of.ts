/** Documents an enum in OpenAPI: what the field says, and what each of its values means. */
export function enumOf<Value extends string>(
  description: string,
  meanings: Readonly<Record<Value, string>>,
): { enum: Value[]; description: string } {
  const values = Object.keys(meanings) as Value[];
  const sentences = values.map((value) => `\`${value}\`: ${meanings[value]}.`);
  return { enum: values, description: [description, ...sentences].filter(Boolean).join(' ') };
}
