/** Translates the environment of Karpenter's container into settings of the function app. */
import * as z from 'zod'
import { ownValue } from '../../shared/base/values.ts'
import { Fault, problem } from '../../shared/model/problem.ts'

export type AppSettings = { readonly [name: string]: string }

/** A variable that takes its value from elsewhere is refused. */
const Environment = z.array(z.strictObject({ name: z.string(), value: z.string().default('') }))

type Gates = { readonly [Gate in keyof typeof DEFAULT_GATES]: boolean }

/** The gates that the specs set, with the defaults of Karpenter. */
const DEFAULT_GATES = { NodeRepair: false, TerminateFirstDrift: false, TerminateFirstRepair: false }

/** A variable or gate without a counterpart is an error: a spec would pass or fail for a setting that is not there. */
export function appSettingsFrom(environment: unknown): AppSettings {
  const read = Environment.safeParse(environment ?? [])
  if (!read.success) throw refused(z.prettifyError(read.error))
  let gates: Gates = DEFAULT_GATES
  const settings: { SCHEDULER_CONFIG?: string } = {}
  for (const { name, value } of read.data) {
    if (name === 'FEATURE_GATES') gates = gatesOf(value)
    else if (name === 'SCHEDULER_CONFIG') settings.SCHEDULER_CONFIG = value
    else throw refused(`variable ${name} has no counterpart; add it to scripts/peerSuites/translate.ts`)
  }
  return { NODE_REPAIR: gates.NodeRepair ? 'on' : 'off', TERMINATE_FIRST: terminateFirst(gates), ...settings }
}

/** Reads `Gate=true,Other=false`. */
function gatesOf(text: string): Gates {
  const stated = text.split(',').map((entry) => {
    const [gate = '', value] = entry.trim().split('=')
    if (ownValue(DEFAULT_GATES, gate) === undefined)
      throw refused(`feature gate ${gate} has no counterpart; add it to scripts/peerSuites/translate.ts`)
    if (value !== 'true' && value !== 'false') throw refused(`feature gate ${entry} is neither true nor false`)
    return [gate, value === 'true']
  })
  return { ...DEFAULT_GATES, ...Object.fromEntries(stated) }
}

function terminateFirst({ NodeRepair, TerminateFirstDrift, TerminateFirstRepair }: Gates): string {
  // As in Karpenter, without repair there is nothing that could go first for it.
  const forRepair = NodeRepair && TerminateFirstRepair
  if (forRepair) return TerminateFirstDrift ? 'both' : 'repair'
  return TerminateFirstDrift ? 'drift' : 'off'
}

function refused(message: string): Fault {
  return new Fault('read the environment of the Deployment karpenter', problem('SETTING.INVALID', message))
}
