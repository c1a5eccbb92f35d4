/**
 * Returns the doc comment above each name of an object: `/** text *\/`, and then `name:`. The object begins at `marker` and ends at the first line
 * that begins with a closing bracket.
 */
export function docComments(source: string, marker: string): ReadonlyMap<string, string> {
  const from = source.indexOf(marker)
  if (from === -1) throw new Error(`no "${marker}" in the source`)
  const end = source.slice(from).search(/\n[)}]/)
  const body = source.slice(from, end === -1 ? undefined : from + end)
  const found = [...body.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*'?([\w-]+)'?[:,]/g)]
  return new Map(found.map(([, text = '', name = '']) => [name, inOneLine(text)]))
}

function inOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\*/, '').trim())
    .filter((line) => line !== '')
    .join(' ')
}
