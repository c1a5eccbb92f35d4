/** The results of a played case, in words and in numbers. */
import { checkPlan } from '../../checker/checkPlan.ts'
import type { Played } from './playCase.ts'
import type { Trials } from './tryRefused.ts'

/** Pods that were planned and are not bound, although the engine still has a place for them. */
export function lost({ left, refused }: Played): readonly string[] {
  return [...left].filter(([pod]) => !refused.has(pod)).map(([pod, why]) => `${pod} is planned and not bound: ${why}`)
}

/** Pods that were planned and lost their place because the scheduler bound others differently. The engine now refuses them too. */
export function shutOut({ left, refused }: Played): readonly string[] {
  return [...left.keys()].flatMap((pod) => {
    const why = refused.get(pod)
    return why === undefined ? [] : [`${pod} was planned, until others were bound: ${why.code}, ${why.message}`]
  })
}

/** The violations that the checker finds in the plans, each in the state of the real cluster. */
export function broken({ rounds }: Played): readonly string[] {
  return rounds.flatMap(({ snapshot, decision }, index) => checkPlan(snapshot, decision).map((each) => `plan ${index + 1}: ${each}`))
}

export function emptied({ empty, machines, places }: Played): readonly string[] {
  return empty.map((name) => {
    const pods = machines.get(name)?.map((pod) => `${pod} (on ${places.get(pod) ?? 'nothing'})`)
    return `${name} stands empty, planned for ${pods?.join(', ')}`
  })
}

export type Tally = {
  cases: number
  planned: number
  first: number
  later: number
  shutOut: number
  machines: number
  empty: number
  refused: number
  tried: number
}

export function tally(): Tally {
  return { cases: 0, planned: 0, first: 0, later: 0, shutOut: 0, machines: 0, empty: 0, refused: 0, tried: 0 }
}

export function count(into: Tally | undefined, played: Played, { tried }: Trials): void {
  if (into === undefined) return
  const { rounds, machines, empty, refused } = played
  const [first, ...others] = rounds
  into.cases++
  into.planned += first?.planned.length ?? 0
  into.first += first?.bound.length ?? 0
  into.later += others.reduce((sum, { bound }) => sum + bound.length, 0)
  into.shutOut += shutOut(played).length
  into.machines += machines.size
  into.empty += empty.length
  into.refused += refused.size
  into.tried += tried
}

export function inWords({ cases, planned, first, later, shutOut: gone, machines, empty, refused, tried }: Tally): string {
  const share = planned === 0 ? 100 : (100 * first) / planned
  return (
    `${cases} worlds, ${planned} pods planned, ${first} of them bound at once (${share.toFixed(1)} %), ${later} in later rounds, ` +
    `${gone} shut out by the scheduler's own choices; ${machines} machines planned, ${empty} of them empty at the end; ` +
    `${refused} pods refused, ${tried} of them tried with every machine beside them`
  )
}
