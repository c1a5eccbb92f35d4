/** Rounds amounts up while machines are filled on paper, so that there are few different amounts. Placed pods keep their own amounts. */

import type { Amounts } from '../../model/quantities/amounts.ts'
import { MOST_AMOUNTS, ROUNDING_STEPS } from '../../model/quantities/tuning.ts'

/** Returns the rounded amounts. Amounts between the same steps share one object, which has the most of each resource that any of them takes. */
export function roundedUp(all: readonly Amounts[]): (amounts: Amounts) => Amounts {
  const distinct = [...new Set(all)]
  if (distinct.length <= MOST_AMOUNTS) return (amounts) => amounts
  const alike = ROUNDING_STEPS.reduce<readonly (readonly Amounts[])[]>(
    (found, step) => (found.length > 0 && found.length <= MOST_AMOUNTS ? found : alikeBy(distinct, step)),
    [],
  )
  const rounded = new Map<Amounts, Amounts>()
  for (const own of alike) {
    const most = own.reduce(mostOf)
    for (const amounts of own) rounded.set(amounts, most)
  }
  return (amounts) => rounded.get(amounts) ?? amounts
}

/** Amounts that lie between the same steps. */
function alikeBy(all: readonly Amounts[], step: number): readonly (readonly Amounts[])[] {
  const found = new Map<string, Amounts[]>()
  for (const amounts of all) {
    const text = amounts.map((amount) => (amount > 0 ? Math.ceil(Math.log(amount) / Math.log1p(step)) : -1)).join(' ')
    const known = found.get(text)
    if (known === undefined) found.set(text, [amounts])
    else known.push(amounts)
  }
  return [...found.values()]
}

function mostOf(one: Amounts, other: Amounts): Amounts {
  return one.map((amount, axis) => Math.max(amount, other[axis] ?? 0))
}
