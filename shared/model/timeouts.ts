/** Time-outs of the stages of a machine: the annotations of its pool's template decide, otherwise the settings of the app. */
import type { ClaimObservation } from './claimStep.ts'
import { ANNOTATION, type Labels } from './labels.ts'
import type { DurationOrNever } from './nodePool.ts'
import { parseDurationOrNever } from './time.ts'
import { type DurationMs, durationMs } from './units.ts'

type About = Pick<ClaimObservation, 'claim' | 'settings'>
type Which = 'launchTimeout' | 'registrationTimeout' | 'initializationTimeout'

const WHICH: readonly Which[] = ['launchTimeout', 'registrationTimeout', 'initializationTimeout']
/** The lower bound of a time-out. A shorter time-out would end before an answer can arrive. */
export const LEAST_TIMEOUT = durationMs(5_000)
/** The upper bound of a time-out for Azure or for a boot. A bootstrap token is valid as long. */
const LONGEST = durationMs(24 * 3_600_000)

/** Time from the creation of the NodeClaim to Azure's acceptance of the machine. */
export function launchTimeout(about: About): DurationMs {
  return bounded(about, 'launchTimeout')
}

/** Time from the creation of the NodeClaim to the registration of its node. */
export function registrationTimeout(about: About): DurationMs {
  return bounded(about, 'registrationTimeout')
}

/** Time from registration to initialization of the node. */
export function initializationTimeout({ claim, settings }: About): DurationOrNever {
  return asked(claim.meta.annotations, 'initializationTimeout') ?? settings.initializationTimeout ?? 'Never'
}

/** Returns what is wrong with the time-out annotations, by field and rule. An invalid annotation counts as absent. */
export function timeoutProblems(annotations: Labels): readonly string[] {
  return WHICH.flatMap((which) => {
    const said = annotations[ANNOTATION[which]]
    if (said === undefined || asked(annotations, which) !== undefined) return []
    const rule =
      which === 'initializationTimeout' ? 'a duration of at least 5s, such as 20m, or Never' : 'a duration from 5s to 24h, such as 20m'
    return [
      `annotations ${ANNOTATION[which]}: ${JSON.stringify(said.slice(0, 60))} must be ${rule}; the setting of the app holds until it is corrected`,
    ]
  })
}

function bounded({ claim, settings }: About, which: 'launchTimeout' | 'registrationTimeout'): DurationMs {
  const said = asked(claim.meta.annotations, which)
  return said === undefined || said === 'Never' ? settings[which] : said
}

function asked(annotations: Labels, which: Which): DurationOrNever | undefined {
  const said = annotations[ANNOTATION[which]]
  const read = said === undefined ? undefined : parseDurationOrNever(said)
  if (read?.ok !== true) return undefined
  if (which === 'initializationTimeout') return read.value === 'Never' || read.value >= LEAST_TIMEOUT ? read.value : undefined
  return read.value !== 'Never' && read.value >= LEAST_TIMEOUT && read.value <= LONGEST ? read.value : undefined
}
