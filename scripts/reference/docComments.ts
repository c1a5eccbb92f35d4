/**
 * What the source says above each name of an object: `/** text *\/` and then `name:`. Looked for from `marker` to the first line that closes what
 * began at the margin.
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
