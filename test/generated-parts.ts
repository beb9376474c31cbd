// Pages with parts that are made of data: everything between `<!-- generated: name -->` and `<!-- end -->`.

export function regenerated(page: string, parts: Readonly<Record<string, () => string>>): string {
  return page.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, part: string, end: string) => `${begin}${parts[part]?.() ?? ''}${end}`,
  );
}
