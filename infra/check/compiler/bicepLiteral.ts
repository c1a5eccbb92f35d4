// Values as Bicep writes them, for files of parameters.
import type { Json } from '../evaluate/value.ts'

export function bicepLiteral(value: Json): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('${', '\\${').replaceAll('\n', '\\n')}'`
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[\n${value.map((each) => `${bicepLiteral(each)}\n`).join('')}]`
  return `{\n${Object.entries(value)
    .map(([key, each]) => `${bicepLiteral(key)}: ${bicepLiteral(each)}\n`)
    .join('')}}`
}
