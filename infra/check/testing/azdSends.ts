// What azd sends to Azure for a parameter, from the text of one variable: `loadParameters` and `armParameterFileValue` of azd 1.31.2
// (pkg/infra/provisioning/bicep/bicep_provider.go, read in November 2026).
import type { Json } from '../evaluate/value.ts'

export type Sent = { readonly value: Json } | 'left out' | 'azd fails'
export type SentParameter = { readonly type: string; readonly fallback: string | undefined }

export function azdSends({ type, fallback }: SentParameter, text: string): Sent {
  if (type === 'object' || type === 'array') return parsed(text)
  // The text is put into the JSON of the file of parameters as it is.
  const file = parsed(`{"value":"${text}"}`)
  if (typeof file === 'string') return file
  return type === 'int' ? numberOf(text) : textOf(file, fallback)
}

function parsed(text: string): Sent {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return 'azd fails'
  }
}

/** `strconv.ParseInt` with base 10. */
function numberOf(text: string): Sent {
  return /^[+-]?\d{1,18}$/.test(text) ? { value: Number(text) } : 'left out'
}

function textOf({ value }: Exclude<Sent, string>, fallback: string | undefined): Sent {
  const text = Object.entries(value ?? {}).find(([key]) => key === 'value')?.[1]
  if (typeof text !== 'string') return 'azd fails'
  return text !== '' || (fallback !== undefined && fallback !== '') ? { value: text } : 'left out'
}
