import { createBoundedMap } from '../../base/caches.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { LaunchChoice, LaunchPlan } from '../../model/instance.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'

/**
 * The offerings that launches of this process try. In a burst, many claims want the same offerings at once. Until Azure has made a machine of an
 * offering, one claim tries it, and the others wait for the answer. So a refused offering costs one request, and an offering that Azure has costs the
 * others the time of one answer, once.
 *
 * While Azure refuses offerings, few claims look for the next one, and the others wait for what these find: what the first of them is given, all
 * others take, and each further try would have been for nothing.
 */
export interface FirstTries {
  /** Begins the try of an offering, or says what to wait for. */
  begin(asked: AskedTry): Begun
  /** Reports whether Azure made a machine of the offering lately. */
  works(choice: Offered, now: EpochMs): boolean
  /** The number of claims that look for an offering, since they were refused or wait. */
  seeking(): number
  /** The claim looks for nothing more. */
  leave(claim: NodeClaimName): void
}

/**
 * `open`: what the claim may try. It waits for no other offering. `hasWaited`: a claim waits for one answer of Azure for each offering, so that it does
 * not wait for one claim after another.
 */
export type AskedTry = {
  readonly claim: NodeClaimName
  readonly choice: Offered
  readonly open: LaunchPlan
  readonly now: EpochMs
  readonly hasWaited: (choice: Offered) => boolean
}

/** `answer` settles when a claim that tries an offering for the first time has its answer. `end`: must be called, with what Azure did. */
export type Begun =
  | { readonly kind: 'wait'; readonly choice: Offered; readonly answer: Promise<TryResult> }
  | { readonly kind: 'try'; readonly end: (result: TryResult, now: EpochMs) => void }

/** `unknown`: the answer says nothing about the offering. `unasked`: Azure was not asked, so that another claim has to try it. */
export type TryResult = 'made' | 'refused' | 'unknown' | 'unasked'

export type Offered = Pick<LaunchChoice, 'size' | 'zone' | 'capacityType'>
/** `readUntil`: the offering was refused. A claim that does not know it yet has read what is refused before. */
type Known =
  | { readonly kind: 'works'; readonly until: EpochMs }
  | { readonly kind: 'asked'; readonly choice: Offered; readonly answer: Promise<TryResult> }
  | { readonly kind: 'answered'; readonly choice: Offered; readonly answer: Promise<TryResult>; readonly readUntil: EpochMs }

/** How long an offering counts as one that Azure has, and a refusal as one of late. */
const LATELY = durationMs(5 * 60_000)
/** Longer than a read of what is refused takes. */
const READ_FOR = durationMs(10_000)
/** More than the offerings of all sizes that one burst tries. A forgotten offering is tried by several claims. */
const MOST_TRIES_KEPT = 2_000
/** One more claim looks for an offering after as many refusals. So few tries are for nothing, and a long search is not much longer for it. */
const REFUSALS_PER_SEEKER = 4

type Asked = Extract<Known, { kind: 'asked' }>

export function createFirstTries(): FirstTries {
  const offerings = createBoundedMap<string, Known>(MOST_TRIES_KEPT)
  const underWay = new Map<string, Asked>()
  const seekers = new Set<NodeClaimName>()
  let refusedAt: readonly EpochMs[] = []

  /** The try of another offering that the claim waits for, as others look for it. Undefined: it may look for one itself. */
  function searchOf({ open, now, hasWaited }: AskedTry): Asked | undefined {
    refusedAt = refusedAt.filter((at) => now < later(at, LATELY))
    if (refusedAt.length === 0 || underWay.size === 0) return undefined
    const usable = open.candidates.flatMap(({ choice }) => (hasWaited(choice) ? [] : (underWay.get(nameOf(choice)) ?? [])))
    return usable.length < 1 + Math.floor(refusedAt.length / REFUSALS_PER_SEEKER) ? undefined : usable[0]
  }

  /** What is known of the offering, and still counts. */
  function knownOf(name: string, now: EpochMs): Known | undefined {
    const known = offerings.get(name)
    if (known?.kind === 'works') return now < known.until ? known : undefined
    return known?.kind === 'answered' && now >= known.readUntil ? undefined : known
  }

  function awaitedFor(asked: AskedTry, known: Known | undefined): Exclude<Known, { kind: 'works' }> | undefined {
    if (known?.kind === 'works' || asked.hasWaited(asked.choice)) return undefined
    return known ?? searchOf(asked)
  }

  function begin(asked: AskedTry): Begun {
    const { claim, choice, now } = asked
    const name = nameOf(choice)
    const known = knownOf(name, now)
    const awaited = awaitedFor(asked, known)
    if (awaited !== undefined) {
      seekers.add(claim)
      return { kind: 'wait', choice: awaited.choice, answer: awaited.answer }
    }
    const { promise: answer, resolve: tell } = Promise.withResolvers<TryResult>()
    const isFirst = known === undefined || known.kind === 'answered'
    if (isFirst) ask(name, { kind: 'asked', choice, answer })
    return {
      kind: 'try',
      end(result, at) {
        if (result === 'made') offerings.set(name, { kind: 'works', until: later(at, LATELY) })
        if (result === 'refused') {
          seekers.add(claim)
          refusedAt = [...refusedAt, at].slice(-MOST_TRIES_KEPT)
        }
        if (!isFirst) return
        if (result === 'unasked') offerings.delete(name)
        else if (result !== 'made') offerings.set(name, { kind: 'answered', choice, answer, readUntil: later(at, READ_FOR) })
        underWay.delete(name)
        tell(result)
      },
    }
  }

  function ask(name: string, first: Asked): void {
    offerings.set(name, first)
    underWay.set(name, first)
  }

  return {
    begin,
    works: (choice, now) => knownOf(nameOf(choice), now)?.kind === 'works',
    seeking: () => seekers.size,
    leave: (claim) => void seekers.delete(claim),
  }
}

function nameOf({ size, zone, capacityType }: Offered): string {
  return `${size} ${zone} ${capacityType}`
}
