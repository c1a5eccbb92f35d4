/** Whether the scheduler can carry a plan out: it binds pods one after another, and keeps every demand each time. */
import type { Placement, Plan } from '../plan.ts'
import { type Allowance, allowances, record } from '../topology/rules.ts'
import type { Restore } from './restorePoint.ts'

/**
 * True when there is an order in which all pods of the plan can be bound: its own, or that of those first who must be level with others.
 * `toBase` puts the counts back to what was before the plan; when it is true, they are those of the plan afterwards.
 */
export function comesAbout({ log }: Plan, toBase: Restore): boolean {
  // What was promised before is part of what was there.
  const own = log.filter((each) => each.isPromise !== true)
  toBase()
  if (canBeBound(own)) return true
  toBase()
  return canBeBound([...own.filter(isSpread), ...own.filter((each) => !isSpread(each))])
}

/** Rules that stand when everything has been given up that can be. */
export function demandsOf({ podClass, variant }: Pick<Placement, 'podClass' | 'variant'>): readonly Allowance[] {
  return allowances(podClass, podClass.variants.at(-1) ?? variant)
}

/** In this order, those who cannot yet are asked again after the others. */
function canBeBound(log: readonly Placement[]): boolean {
  let waiting = log
  while (waiting.length > 0) {
    const left = waiting.flatMap((placement) => {
      const count = placement.count - bind(placement)
      return count === 0 ? [] : count === placement.count ? [placement] : [{ ...placement, count }]
    })
    if (left.length === waiting.length && left.every((each, index) => each === waiting[index])) return false
    waiting = left
  }
  return true
}

/** Counts those pods of the placement that may come now, and says how many they are. */
function bind(placement: Placement): number {
  const { host, podClass, variant, count } = placement
  if (demandsOf(placement).length === 0) {
    record(host, podClass, variant, count)
    return count
  }
  let bound = 0
  for (; bound < count && mayCome(placement); bound++) record(host, podClass, variant)
  return bound
}

function mayCome(placement: Placement): boolean {
  const { host } = placement
  return demandsOf(placement).every(({ group, allows }) => {
    const domain = group.isHost ? host.name : host.domainOf(group.key)
    return domain === undefined ? group.kind === 'antiAffinity' : allows(domain)
  })
}

/** Others that count can come after those that must be level with them. */
function isSpread({ podClass }: Placement): boolean {
  return podClass.variants.at(-1)?.spread.length !== 0
}
