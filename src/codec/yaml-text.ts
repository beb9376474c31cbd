// Values as YAML text. The writer is loaded by the first client that asks for YAML.

/** The writer, once it is there. */
export async function yamlText(): Promise<(value: unknown) => string> {
  const { writeYaml } = await import('./yaml/write-yaml.ts');
  return writeYaml;
}
