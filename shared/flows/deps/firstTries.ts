import { createBoundedMap } from '../../base/boundedMap.ts'
import type { LaunchChoice } from '../../model/launchPlan.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

/**
 * The offerings that launches of this process try. In a burst, many claims want the same offering at once. Until Azure has made a machine of it, one
 * claim tries it, and the others wait for the answer. So a refused offering costs one request, and an offering that Azure has costs the others the
 * time of one answer, once.
 */
export interface FirstTries {
  /**
   * Begins the try of an offering, or says what to wait for. A claim waits once for each offering, so that it does not wait for one claim after
   * another.
   */
  begin(choice: Offered, now: EpochMs, hasWaited: boolean): Begun
}

/** `answer` settles when the claim that tries the offering for the first time has its answer. `end`: must be called, with what Azure did. */
export type Begun =
  | { readonly kind: 'wait'; readonly answer: Promise<void> }
  | { readonly kind: 'try'; readonly end: (isMade: boolean, now: EpochMs) => void }

type Offered = Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'>
/** `readUntil`: the offering was refused. A claim that does not know it yet has read what is refused before. */
type Known = { readonly worksUntil: EpochMs } | { readonly answer: Promise<void>; readonly readUntil?: EpochMs }

/** How long an offering counts as one that Azure has. */
const WORKS_FOR = durationMs(5 * 60_000)
/** Longer than a read of what is refused takes. */
const READ_FOR = durationMs(10_000)
/** More than the offerings of all sizes that one burst tries. A forgotten offering is tried by several claims. */
const MOST = 2_000

export function createFirstTries(): FirstTries {
  const offerings = createBoundedMap<string, Known>(MOST)

  return {
    begin(choice, now, hasWaited) {
      const name = nameOf(choice)
      const works = (at: EpochMs) => offerings.set(name, { worksUntil: later(at, WORKS_FOR) })
      const last = offerings.get(name)
      const known = last !== undefined && 'readUntil' in last && (hasWaited || now >= last.readUntil) ? undefined : last
      if (known !== undefined && 'answer' in known && !hasWaited) return { kind: 'wait', answer: known.answer }
      if (known !== undefined && ('answer' in known || now < known.worksUntil)) {
        return { kind: 'try', end: (isMade, at) => void (isMade && works(at)) }
      }
      const { promise: answer, resolve: tell } = Promise.withResolvers<void>()
      offerings.set(name, { answer })
      return {
        kind: 'try',
        end(isMade, at) {
          if (isMade) works(at)
          else offerings.set(name, { answer, readUntil: later(at, READ_FOR) })
          tell()
        },
      }
    },
  }
}

function nameOf({ size, zone, capacityType }: Offered): string {
  return `${size} ${zone} ${capacityType}`
}
