import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closest } from '../../shared/base/text.ts'
import { Fault, problem } from '../../shared/model/problem.ts'

const SAMPLE = join(import.meta.dirname, '..', '..', 'local.settings.sample.json')

/** Settings that only the stack can know: addresses of its parts, and identities. */
const OWNED = /^(FUNCTIONS_WORKER_RUNTIME|AzureWebJobsStorage.*|JOINER_CLUSTERS|ENTRA_.*|AZURE_CLIENT_ID|ARM_ENDPOINT|PRICES_ENDPOINT)$/
/** Settings with such a name override values of host.json. */
const HOST = /^AzureFunctionsJobHost__\w+$/

/**
 * Parses settings of the function app, each `NAME=value`. The names are those of the sample settings. The app itself checks the values at its start,
 * as it does in Azure.
 */
export function givenSettings(pairs: readonly string[]): { readonly [name: string]: string } {
  const names = settingNames()
  return Object.fromEntries(pairs.map((pair) => pairOf(pair, names)))
}

function pairOf(pair: string, names: readonly string[]): readonly [name: string, value: string] {
  const at = pair.indexOf('=')
  if (at < 1) throw refused(`--set ${pair} is not NAME=value, for example --set BATCH_IDLE_DURATION=500ms`)
  const name = pair.slice(0, at)
  if (OWNED.test(name)) throw refused(`--set ${name}: the local stack sets it by itself; settings to choose are ${names.join(', ')}`)
  if (!names.includes(name) && !HOST.test(name)) {
    const alike = closest(name, names)
    const hint = alike.length > 0 ? `did you mean ${alike.join(' or ')}?` : `there are ${names.join(', ')}`
    throw refused(`--set ${name}: the function app has no such setting; ${hint}`)
  }
  return [name, pair.slice(at + 1)]
}

/** Returns the names of settings that a user may set here. */
function settingNames(): readonly string[] {
  const sample: { readonly Values: { readonly [name: string]: string } } = JSON.parse(readFileSync(SAMPLE, 'utf8'))
  return Object.keys(sample.Values).filter((name) => !OWNED.test(name))
}

function refused(message: string): Fault {
  return new Fault('read the settings', problem('SETTING.INVALID', message))
}
