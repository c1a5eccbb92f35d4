import { err, ok, type Result } from '../../shared/base/result.ts'
import { ownValue } from '../../shared/base/values.ts'
import { type DurationMs, durationMs } from '../../shared/model/units.ts'

/** What happens to the machines. `ask`: it is not set, and a person at the terminal can be asked. */
export type DownChoice = 'drain' | 'keep' | 'ask'

export type DownOptions = {
  readonly machines: DownChoice
  /** How long the drain of all machines may take. */
  readonly limit: DurationMs
}

const DEFAULT_LIMIT = durationMs(30 * 60_000)
const MS_BY_UNIT: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 }

/** Reads `JOINER_DOWN` and `JOINER_DOWN_TIMEOUT`. Without a terminal, `JOINER_DOWN` must be set. */
export function readDownOptions(
  environment: { readonly [name: string]: string | undefined },
  isTerminal: boolean,
): Result<DownOptions, string> {
  const limit = readLimit(environment['JOINER_DOWN_TIMEOUT'])
  if (!limit.ok) return limit
  const said = environment['JOINER_DOWN'] ?? ''
  if (said === 'drain' || said === 'keep') return ok({ machines: said, limit: limit.value })
  const choice = 'azd env set JOINER_DOWN drain (machines are drained and deleted) or azd env set JOINER_DOWN keep (machines stay)'
  if (said !== '') return err(`JOINER_DOWN is ${said}; set it: ${choice}`)
  const maySilently = isTerminal && environment['AZD_NO_PROMPT'] !== 'true'
  return maySilently
    ? ok({ machines: 'ask', limit: limit.value })
    : err(`the terminal is not interactive, so it must be set what becomes of the machines: ${choice}`)
}

/** Whether the topic of health events is deleted although others subscribe to it. */
export function deletesSharedTopic(environment: { readonly [name: string]: string | undefined }): boolean {
  return environment['JOINER_DOWN_HEALTH_TOPIC'] === 'delete'
}

function readLimit(text: string | undefined): Result<DurationMs, string> {
  if (text === undefined || text === '') return ok(DEFAULT_LIMIT)
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? []
  const ms = Number(count) * (ownValue(MS_BY_UNIT, unit) ?? Number.NaN)
  return Number.isFinite(ms) && ms > 0 ? ok(durationMs(ms)) : err(`JOINER_DOWN_TIMEOUT is ${text}; it must be a time such as 45m`)
}
